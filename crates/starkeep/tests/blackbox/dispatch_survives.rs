//! The execution phase under kills: whatever instant a process dies at, no batch is sent twice, the round comes to its end in the
//! next process, and every command's receipt is true.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use futures::future::join_all;
use serde_json::Value;
use starkeep_contract::command::{CommandState, CommandType};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_test_http::Caller;
use tempfile::TempDir;
use uuid::Uuid;

use crate::bot::{Bot, final_states};
use crate::executors::{Arrived, Executors, Manner, times};
use crate::program::Program;
use crate::scale::scale;
use starkeep_fault_harness::Chance;

/// Drawn from it are the instants of the kills, and how long the answers to batches take.
const SEED: u64 = 11;
/// One kill meets each of them somewhere else.
const GAMES: u32 = 3;
/// Rounds without a kill, to measure how long an execution takes.
const UNDISTURBED: u32 = 3;
/// So long that no phase ends by the clock.
const ROUND_MILLIS: u32 = 86_400_000;

struct Setup {
    home: TempDir,
    executors: Executors,
}

impl Setup {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), executors: Executors::start() }
    }

    async fn serve(&self) -> Program {
        let mut flags: Vec<OsString> = vec!["--data-dir".into(), self.home.path().into()];
        flags.extend(["--max-running-games", "3", "--batch-gap", "3ms"].map(Into::into));
        flags.extend(self.executors.flags().into_iter().map(Into::into));
        Program::serve("all", &flags).await
    }

    /// Answers take a while from now on, so that a process can die before, during and after each.
    fn delay_answers(&self) {
        for (number, executor) in [(1, &self.executors.trading), (2, &self.executors.robots)] {
            executor.behave(Manner::Late(0..=10, Chance(SEED + number)));
        }
    }
}

/// A round's worth: every kind, a purchase that no robot makes, and one that takes the place of another.
fn orders(bot: &Bot) -> Vec<Value> {
    let replaced = bot.order_to(bot.robot(CommandType::Mining), CommandType::Selling);
    let kinds = CommandType::ALL.into_iter().map(|kind| bot.order(kind));
    [replaced, bot.purchase()].into_iter().chain(kinds).collect()
}

/// All bots send their commands and are ready; what they have sent.
async fn command(bots: &[Bot], service: &Caller) -> Vec<Uuid> {
    let orders: Vec<_> = bots.iter().map(orders).collect();
    let sent = join_all(bots.iter().zip(&orders).map(|(bot, orders)| bot.send(service, orders))).await;
    join_all(bots.iter().map(|bot| bot.is_ready(service))).await;
    sent.into_iter().flatten().collect()
}

async fn finish_round(bots: &[Bot], service: &Caller, round: u32) {
    join_all(bots.iter().map(|bot| bot.outlives(service, round))).await;
}

/// What was sent in a round that nobody disturbs, and how many milliseconds its execution took.
async fn undisturbed(bots: &[Bot], service: &Caller, round: u32) -> (Vec<Uuid>, u64) {
    let clock = SystemClock::start();
    let sent = command(bots, service).await;
    let begun = clock.monotonic();
    finish_round(bots, service, round).await;
    (sent, u64::try_from(clock.monotonic().since(begun).as_millis()).unwrap())
}

fn assert_receipts_are_true(receipts: &[(Uuid, CommandState)], arrived: &[Arrived]) {
    let times = times(arrived);
    assert!(times.values().all(|times| *times == 1), "sent twice: {times:?}");
    for (command, state) in receipts {
        let arrived = times.contains_key(command);
        let fits = match state {
            CommandState::Dispatched => arrived,
            CommandState::Undelivered | CommandState::Dropped | CommandState::Replaced => !arrived,
            CommandState::Unknown => true,
            CommandState::Pending => false,
        };
        assert!(fits, "{command} is said to be {state:?}, and arrived: {arrived}");
    }
    let sent: BTreeSet<_> = receipts.iter().map(|(command, _)| command).collect();
    assert!(times.keys().all(|command| sent.contains(command)), "nobody sent what arrived");
}

#[tokio::test(flavor = "multi_thread")]
async fn whenever_the_process_is_killed_no_batch_is_sent_twice_and_every_receipt_is_true() {
    let setup = Setup::new();
    setup.delay_answers();
    let mut program = setup.serve().await;
    let mut service = program.game();
    let mut bots = Vec::new();
    for number in 0..GAMES {
        bots.push(Bot::in_a_hurry(&service, number, ROUND_MILLIS).await);
    }
    let (mut receipts, mut span) = (Vec::new(), u64::MAX);
    for round in 1..=UNDISTURBED {
        let (sent, millis) = undisturbed(&bots, &service, round).await;
        receipts.extend(sent.iter().copied().zip(final_states(&service, &sent).await));
        span = span.min(millis);
    }
    let taken = |state| matches!(state, CommandState::Dispatched | CommandState::Replaced);
    assert!(receipts.iter().all(|(_, state)| taken(*state)), "{receipts:?}");

    println!("seed {SEED}, phases of {span} ms");
    let mut chance = Chance(SEED);
    for round in (UNDISTURBED + 1..).take(10 * scale()) {
        let sent = command(&bots, &service).await;
        bots[0].executes(&service, round, chance.draw(&(0..=span))).await;
        program.kill().await;
        program = setup.serve().await;
        service = program.game();
        finish_round(&bots, &service, round).await;
        receipts.extend(sent.iter().copied().zip(final_states(&service, &sent).await));
    }

    assert_receipts_are_true(&receipts, &setup.executors.arrived().await);
    let mut tally = BTreeMap::<_, u32>::new();
    for (_, state) in &receipts {
        *tally.entry(format!("{state:?}")).or_default() += 1;
    }
    println!("{tally:?}");
    let commands: Vec<_> = receipts.iter().map(|(command, _)| *command).collect();
    let still: Vec<_> = commands.iter().copied().zip(final_states(&service, &commands).await).collect();
    assert_eq!(still, receipts, "what became of a command does not change any more");
}

#[tokio::test]
async fn a_batch_whose_answer_was_outstanding_at_the_kill_is_not_sent_again() {
    let setup = Setup::new();
    let executors = &setup.executors;
    let mut program = setup.serve().await;
    let bot = Bot::in_a_hurry(&program.game(), 1, ROUND_MILLIS).await;
    for (round, kind) in (1..).zip(CommandType::ALL) {
        executors.trading.behave(Manner::Silent);
        executors.robots.behave(Manner::Silent);
        let before = executors.arrived().await.len();
        let sent = bot.send(&program.game(), &[bot.order(kind)]).await;
        bot.is_ready(&program.game()).await;
        executors.receive(before + 1).await;
        program.kill().await;

        executors.trading.behave(Manner::Prompt);
        executors.robots.behave(Manner::Prompt);
        program = setup.serve().await;
        // The log of this life alone.
        let told = format!("round={round} kind={kind:?} commands=1");
        program.logged(&told, 1).await;
        bot.outlives(&program.game(), round).await;
        assert_eq!(final_states(&program.game(), &sent).await, [CommandState::Unknown], "{kind:?}");
        let arrived = executors.arrived().await;
        assert_eq!((arrived.len(), arrived[before].kind), (before + 1, kind));
        assert_eq!(arrived[before].commands, sent);
    }
}

#[tokio::test]
async fn what_had_not_been_begun_at_the_kill_is_sent_in_the_next_life() {
    let setup = Setup::new();
    let executors = &setup.executors;
    let program = setup.serve().await;
    let bot = Bot::in_a_hurry(&program.game(), 1, ROUND_MILLIS).await;
    executors.trading.behave(Manner::Silent);
    let sent = bot.send(&program.game(), &CommandType::ALL.map(|kind| bot.order(kind))).await;
    bot.is_ready(&program.game()).await;
    executors.receive(1).await;
    program.kill().await;

    executors.trading.behave(Manner::Prompt);
    let program = setup.serve().await;
    bot.outlives(&program.game(), 1).await;
    let mut expected = [CommandState::Dispatched; 6];
    expected[0] = CommandState::Unknown;
    assert_eq!(final_states(&program.game(), &sent).await, expected);
    let kinds: Vec<_> = executors.arrived().await.into_iter().map(|batch| batch.kind).collect();
    assert_eq!(kinds, CommandType::ALL);
}
