//! Random batches against a robot service that fails at random: balances are exact, every command is executed exactly once,
//! prices stay in their bounds, and the store in memory finds that every image follows from the changes.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::poll;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value;
use starkeep_test_harness::in_one_process;
use uuid::Uuid;

use crate::fake_robots::Reaction;
use crate::harness::{A, B, Bench, GAME, batch, buy, buy_robots, planet, sell, tx};

#[derive(Clone, Debug)]
enum Step {
    Batch(Vec<Command>),
    /// The batch before, once more.
    Again,
    Mine {
        robot: usize,
        load: [u64; 5],
    },
    Walk {
        robot: usize,
        planet: u128,
    },
    NextRound,
    Finish,
    Restart,
}

#[derive(Clone, Debug)]
struct Command {
    player: usize,
    kind: Kind,
    fails: Option<u8>,
}

#[derive(Clone, Debug)]
enum Kind {
    Robots(i64),
    Item { robot: usize, item: usize },
    Sale { robot: usize },
    Nonsense,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![
        3 => (-1..4_i64).prop_map(Kind::Robots),
        3 => (0..6_usize, 0..44_usize).prop_map(|(robot, item)| Kind::Item { robot, item }),
        4 => (0..6_usize).prop_map(|robot| Kind::Sale { robot }),
        1 => Just(Kind::Nonsense),
    ];
    let fails = prop_oneof![4 => Just(None), 1 => (0..4_u8).prop_map(Some)];
    let command = (0..3_usize, kind, fails).prop_map(|(player, kind, fails)| Command { player, kind, fails });
    let load = prop::array::uniform5(0..30_u64);
    let step = prop_oneof![
        6 => prop::collection::vec(command, 1..8).prop_map(Step::Batch),
        1 => Just(Step::Again),
        3 => (0..6_usize, load).prop_map(|(robot, load)| Step::Mine { robot, load }),
        1 => (0..6_usize, 1..7_u128).prop_map(|(robot, planet)| Step::Walk { robot, planet }),
        3 => Just(Step::NextRound),
        1 => Just(Step::Finish),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 8 + 1) })]

    #[test]
    fn in_memory_every_history_adds_up(steps in steps()) {
        in_one_process(async { play(Bench::in_memory().await, steps).await })?;
    }

    #[test]
    fn on_a_file_every_history_adds_up(steps in steps()) {
        in_one_process(async { play(Bench::on_file().await, steps).await })?;
    }
}

struct Play {
    bench: Bench,
    commands: u128,
    items: Vec<String>,
    last: Vec<Value>,
    sent: Vec<Uuid>,
    round: u32,
}

async fn play(bench: Bench, steps: Vec<Step>) -> Result<(), TestCaseError> {
    bench.start_game().await;
    let items = bench.read("/items").await;
    let items =
        items.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect();
    let mut play = Play { bench, commands: 0, items, last: vec![], sent: vec![], round: 1 };
    for step in steps {
        play.step(step).await;
    }
    for _ in 0..5 {
        play.finish().await;
    }
    play.check().await
}

impl Play {
    async fn step(&mut self, step: Step) {
        match step {
            Step::Batch(commands) => {
                self.last.clear();
                for command in commands {
                    self.prepare(&command);
                }
                self.send().await;
            }
            Step::Again => self.send().await,
            Step::Mine { robot, load } => {
                if let Some((robot, owner)) = self.robot(robot) {
                    self.bench.robots.put(robot, owner, self.bench.robots.planet_of(robot), load);
                }
            }
            Step::Walk { robot, planet: to } => {
                if let Some((robot, owner)) = self.robot(robot) {
                    let load = self.bench.robots.load(robot);
                    self.bench.robots.put(robot, owner, planet(to), load);
                }
            }
            Step::NextRound => {
                self.round += 1;
                self.bench.next_round(self.round).await;
            }
            Step::Finish => self.finish().await,
            Step::Restart if self.bench.is_in_memory() => {}
            Step::Restart => self.bench.restart().await,
        }
    }

    fn robot(&self, number: usize) -> Option<(Uuid, Uuid)> {
        let owned = [A, B].into_iter().flat_map(|owner| {
            self.bench.robots.robots_of(owner).into_iter().map(move |robot| (robot, owner))
        });
        let owned: Vec<_> = owned.collect();
        (!owned.is_empty()).then(|| owned[number % owned.len()])
    }

    fn prepare(&mut self, command: &Command) {
        self.commands += 1;
        let id = tx(self.commands);
        let player = [A, B, Uuid::from_u128(0xdead)][command.player];
        let robot = |number| self.robot(number).map_or(Uuid::nil(), |(robot, _)| robot);
        let made = match command.kind {
            Kind::Robots(amount) => buy_robots(id, player, amount),
            Kind::Item { robot: number, item } => buy(id, player, robot(number), &self.items[item], None),
            Kind::Sale { robot: number } => sell(id, player, robot(number), None),
            Kind::Nonsense => serde_json::json!({"transactionId": id, "payload": 7}),
        };
        if let Some(fails) = command.fails {
            let reactions =
                [Reaction::Away, Reaction::Fails, Reaction::LosesItsAnswer, Reaction::Refuses("not today")];
            self.bench.robots.then(reactions[usize::from(fails)].clone());
        }
        self.sent.push(id);
        self.last.push(made);
    }

    async fn send(&self) {
        // A commit on a file takes its time, while this clock is moved as fast as it goes.
        let time = if self.bench.is_in_memory() { "250" } else { "2000" };
        let request = batch(&self.last).header("starkeep-timeout-millis", time);
        let mut waiting = Box::pin(self.bench.ask(request));
        self.move_clock_until(async move { drop(waiting.as_mut().await) }).await;
    }

    async fn finish(&self) {
        let task = self.bench.service().open_trades();
        self.move_clock_until(async move { drop(task.step().await) }).await;
    }

    async fn move_clock_until(&self, work: impl Future<Output = ()>) {
        let mut work = Box::pin(work);
        loop {
            for _ in 0..50 {
                if poll!(&mut work).is_ready() {
                    return;
                }
                tokio::task::yield_now().await;
            }
            self.bench.clock.advance(Duration::from_millis(50));
        }
    }

    async fn check(self) -> Result<(), TestCaseError> {
        let bench = &self.bench;
        bench.assert_settled().await;
        // Every command has at most one event; what was in the last try of its batch has exactly one.
        let mut seen: BTreeMap<Uuid, usize> = BTreeMap::new();
        let mut money = BTreeMap::from([(A, 200_i64), (B, 200)]);
        for (transaction, trade) in bench.published("trades") {
            *seen.entry(transaction.unwrap()).or_default() += 1;
            if trade["message"] == "robot-buy successful" {
                let cost: i64 = trade["data"].as_array().unwrap().iter().map(|_| 100).sum();
                prop_assert_eq!(trade["moneyChangedBy"].as_i64(), Some(-cost));
            }
        }
        prop_assert!(seen.values().all(|times| *times == 1), "{:?}", seen);
        for shown in bench.shown_events("trades").await {
            let player: Option<Uuid> = shown["about"]["playerId"].as_str().and_then(|id| id.parse().ok());
            if let Some(money) = player.and_then(|player| money.get_mut(&player)) {
                *money += shown["payload"]["moneyChangedBy"].as_i64().unwrap();
            }
        }
        prop_assert_eq!(bench.money(A).await.cast_signed(), money[&A]);
        prop_assert_eq!(bench.money(B).await.cast_signed(), money[&B]);
        // What the robot service did is what was published: each call once, and a robot for each that was paid.
        let done: Vec<_> = bench.robots.done().into_iter().map(|call| call.transaction).collect();
        let distinct: std::collections::BTreeSet<_> = done.iter().collect();
        prop_assert_eq!(distinct.len(), done.len());
        let published = bench.published("trades").into_iter().filter(|(_, trade)| trade["success"] == true);
        let published: std::collections::BTreeSet<_> =
            published.map(|(transaction, _)| transaction.unwrap()).collect();
        prop_assert_eq!(published, done.into_iter().collect::<std::collections::BTreeSet<_>>());
        let starts = [5, 15, 30, 50, 60];
        let history = bench.read(&format!("/resources/history/price?gameId={GAME}")).await;
        for (resource, start) in history.as_array().unwrap().iter().zip(starts) {
            for price in resource["history"].as_object().unwrap().values() {
                prop_assert!((1..=start).contains(&price.as_u64().unwrap()), "{}", resource);
            }
        }
        Ok(())
    }
}
