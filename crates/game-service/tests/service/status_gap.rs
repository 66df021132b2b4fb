//! With Kafka, nothing else is sent for a while before and after a `status` record `created` or `ended`; nobody waits for that.

use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_test_harness::{StoreKind, post};

use crate::harness::{Bench, Setup};

const GAP: i64 = 1_000;

pub(crate) fn on_kafka(dialect: Dialect, store: StoreKind) -> Setup {
    Setup { dialect, store, kafka: true, ..Setup::default() }
}

impl Bench {
    /// Lets every task do what it can without the clock. Nothing here needs another thread.
    pub(crate) async fn settle(&self) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    /// Starts the relay, and lets it see that there is nothing to send.
    pub(crate) async fn relay_from_now(&self) {
        self.start_relay();
        self.settle().await;
    }

    /// Moves the clock, and lets every task do what has become due.
    pub(crate) async fn pass(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
        self.settle().await;
    }
}

/// Games that are created, joined and ended without a pause; the clock stands, so nobody waits.
async fn change_games_quickly(bench: &Bench, games: usize) {
    for _ in 0..games {
        let game = bench.create(9, 2).await;
        bench.join(game).await;
        bench.end(game).await.is(201);
    }
}

#[tokio::test]
async fn quick_changes_of_game_are_told_with_a_gap_around_each_and_one_between_two() {
    let bench = Bench::with(on_kafka(Dialect::Msd, StoreKind::Memory)).await;
    bench.relay_from_now().await;
    change_games_quickly(&bench, 50).await;
    for _ in 0..200 {
        bench.pass(GAP.unsigned_abs()).await;
    }
    let records = bench.broker.records();
    let told: Vec<_> = records.iter().map(|(_, told)| told.as_str()).collect();
    assert_eq!(told, ["created", "playerStatus", "gameRoster", "gameRoster", "ended"].repeat(50));
    let times: Vec<_> = records.iter().map(|(at, _)| *at).collect();
    // Between two records of `status` everything else is sent at once.
    let expected = (0..50).flat_map(|number| [1, 2, 2, 2, 3].map(|place| (number * 3 + place) * GAP));
    assert!(times.iter().copied().eq(expected), "{times:?}");
    bench.stop_tasks().await;
}

#[tokio::test]
async fn a_start_and_its_rounds_have_no_gap() {
    let bench = Bench::with(on_kafka(Dialect::Msd, StoreKind::Memory)).await;
    bench.relay_from_now().await;
    let game = bench.create(9, 2).await;
    bench.pass(1_000).await;
    bench.pass(1_000).await;
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.settle().await;
    assert!(start.is_finished());
    assert_eq!(
        bench.broker.records(),
        [(1_000, "created"), (2_000, "started"), (2_000, "gameRoster"), (2_000, "roundStatus")]
            .map(|(at, told)| (at, told.to_owned()))
    );
    bench.stop_tasks().await;
}

#[tokio::test]
async fn the_standard_dialect_leaves_no_gap() {
    let bench = Bench::with(on_kafka(Dialect::Standard, StoreKind::Memory)).await;
    bench.relay_from_now().await;
    change_games_quickly(&bench, 3).await;
    bench.settle().await;
    let records = bench.broker.records();
    assert_eq!(records.len(), 15);
    assert!(records.iter().all(|(at, _)| *at == 0), "{records:?}");
    bench.stop_tasks().await;
}
