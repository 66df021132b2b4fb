//! Services that carry commands out and are away, late or broken, in real time: no round waits for them, and every receipt says
//! what is known. And where all is well, batches come in their order, with a pause between those for robots.

use std::time::Duration;

use starkeep_contract::command::{CommandState, CommandType};
use starkeep_platform::clock::SystemClock;
use starkeep_test_http::Caller;
use tempfile::TempDir;

use crate::bot::{Bot, final_states};
use crate::executors::{Executors, Manner, times};
use crate::game_time::Sighting;
use crate::program::Program;
use crate::rounds::undisturbed_home;
use starkeep_fault_harness::Chance;

/// Rounds whose execution lasts five seconds at most: long enough for a busy machine to begin several batches.
const SHORT: u32 = 20_000;
/// Rounds that are over only when everything is carried out.
const LONG: u32 = 86_400_000;

async fn serve(executors: &Executors, gap: &str) -> (Program, TempDir) {
    let home = undisturbed_home();
    let own = ["--data-dir", home.path().to_str().unwrap(), "--batch-gap", gap].map(str::to_owned);
    (Program::serve("all", &[own.as_slice(), &executors.flags()].concat()).await, home)
}

/// Sends a command of each kind in a round whose execution the clock ends; what became of them when it was over. Game time never
/// stood still: the round was over when it was meant to be.
async fn states_in_real_time(service: &Caller) -> Vec<CommandState> {
    let bot = Bot::in_a_hurry(service, 1, SHORT).await;
    let sent = bot.send(service, &CommandType::ALL.map(|kind| bot.order(kind))).await;
    bot.is_ready(service).await;
    let clock = SystemClock::start();
    let before = Sighting::within_a_phase(&bot.game, service, &clock).await;
    bot.outlives(service, 1).await;
    let after = Sighting::within_a_phase(&bot.game, service, &clock).await;
    assert_eq!(after.shifts, before.shifts, "the machine left no time to tell");
    let (gained, passed) = (after.gained_since(&before), after.least_since(&before));
    assert!(gained >= passed, "{gained:?} of game time, and {passed:?} passed");
    final_states(service, &sent).await
}

#[tokio::test]
async fn services_that_never_answer_hold_up_no_round_and_nobody_knows_what_they_got() {
    let executors = Executors::start();
    executors.trading.behave(Manner::Silent);
    executors.robots.behave(Manner::Silent);
    let (program, _home) = serve(&executors, "1ms").await;
    let states = states_in_real_time(&program.game()).await;
    // Each waits for half of what is left; which of them the time was too short for is up to the machine.
    let begun = states.iter().take_while(|state| **state == CommandState::Unknown).count();
    assert!(begun >= 2, "{states:?}");
    assert!(states[begun..].iter().all(|state| *state == CommandState::Undelivered), "{states:?}");
    let arrived = executors.arrived().await;
    assert!(arrived.len() <= begun, "{states:?}, and {} arrived", arrived.len());
    assert!(arrived.iter().zip(CommandType::ALL).all(|(batch, kind)| batch.kind == kind));
}

#[tokio::test]
async fn an_answer_that_comes_after_its_phase_corrects_the_receipt() {
    let executors = Executors::start();
    // The phase lasts five seconds.
    executors.trading.behave(Manner::Late(7_500..=7_500, Chance(1)));
    let (program, _home) = serve(&executors, "1ms").await;
    let service = program.game();
    let bot = Bot::in_a_hurry(&service, 1, SHORT).await;
    let sent = bot.send(&service, &[bot.purchase()]).await;
    bot.is_ready(&service).await;
    program.logged("a batch of commands was not accepted", 1).await;
    program.logged("a late answer has corrected receipts", 1).await;
    bot.outlives(&service, 1).await;
    assert_eq!(final_states(&service, &sent).await, [CommandState::Dispatched]);
    assert_eq!(executors.arrived().await.len(), 1);
}

#[tokio::test]
async fn services_that_are_down_hold_up_no_round_and_got_nothing() {
    let mut executors = Executors::start();
    executors.trading.go_away().await;
    executors.robots.go_away().await;
    let (program, _home) = serve(&executors, "1ms").await;
    assert_eq!(states_in_real_time(&program.game()).await, [CommandState::Undelivered; 6]);
}

#[tokio::test]
async fn one_that_breaks_down_is_not_asked_again_and_keeps_nothing_from_the_other() {
    let executors = Executors::start();
    executors.trading.behave(Manner::Broken);
    let (program, _home) = serve(&executors, "1ms").await;
    let service = program.game();
    let bot = Bot::in_a_hurry(&service, 1, LONG).await;
    let sent = bot.send(&service, &CommandType::ALL.map(|kind| bot.order(kind))).await;
    bot.is_ready(&service).await;
    bot.outlives(&service, 1).await;
    let (unknown, taken) = (CommandState::Unknown, CommandState::Dispatched);
    assert_eq!(final_states(&service, &sent).await, [unknown, unknown, taken, taken, taken, taken]);
    assert_eq!(executors.arrived().await.len(), 6);
}

#[tokio::test]
async fn in_a_hurry_one_that_is_down_is_not_waited_for() {
    let mut executors = Executors::start();
    executors.robots.go_away().await;
    let (program, _home) = serve(&executors, "1ms").await;
    let service = program.game();
    let bot = Bot::in_a_hurry(&service, 1, LONG).await;
    for round in 1..=3 {
        let sent = bot.send(&service, &[bot.order(CommandType::Mining)]).await;
        bot.is_ready(&service).await;
        bot.outlives(&service, round).await;
        assert_eq!(final_states(&service, &sent).await, [CommandState::Undelivered]);
    }
}

#[tokio::test]
async fn one_that_comes_up_within_the_phase_gets_its_batch_once() {
    let mut executors = Executors::start();
    let (program, _home) = serve(&executors, "1ms").await;
    let service = program.game();
    // Its execution lasts three seconds.
    let bot = Bot::in_a_game(&service, 1, 12_000).await;
    // A machine that was too slow for one round may be fast enough for the next.
    let sent = loop {
        executors.robots.go_away().await;
        let round = bot.round(&service).await;
        let sent = bot.send(&service, &[bot.order(CommandType::Mining)]).await;
        // Time enough to be refused more than once.
        bot.executes(&service, round, 200).await;
        executors.robots.come_back();
        let back = bot.time(&service).await;
        bot.outlives(&service, round).await;
        if back.round_count == Some(round) && back.phase_ends_in_millis >= Some(2_000) {
            break sent;
        }
    };
    assert_eq!(final_states(&service, &sent).await, [CommandState::Dispatched]);
    assert_eq!(times(&executors.arrived().await).get(&sent[0]), Some(&1));
}

#[tokio::test]
async fn batches_come_in_their_order_with_a_pause_between_those_for_robots() {
    let executors = Executors::start();
    let (program, _home) = serve(&executors, "150ms").await;
    let service = program.game();
    let bot = Bot::in_a_hurry(&service, 1, LONG).await;
    let mut orders = CommandType::ALL.map(|kind| bot.order(kind));
    orders.reverse();
    let mut sent = bot.send(&service, &orders).await;
    sent.reverse();
    bot.is_ready(&service).await;
    bot.outlives(&service, 1).await;
    assert_eq!(final_states(&service, &sent).await, [CommandState::Dispatched; 6]);
    let arrived = executors.arrived().await;
    let came: Vec<_> = arrived.iter().map(|batch| (batch.kind, batch.commands.clone())).collect();
    let meant: Vec<_> = CommandType::ALL.into_iter().zip(sent.iter().map(|id| vec![*id])).collect();
    assert_eq!(came, meant);
    for next in arrived[2..].windows(2) {
        let pause = next[1].at.since(next[0].at);
        assert!(pause >= Duration::from_millis(150), "{pause:?} between {next:?}");
    }
}
