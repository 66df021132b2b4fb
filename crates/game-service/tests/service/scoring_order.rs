//! Whatever order the streams are read in, and whenever the process dies, a game comes to the same scores.

use proptest::prelude::*;
use serde_json::json;
use starkeep_game_core::ExecutorKind;
use starkeep_game_service::ports::BatchFault;
use starkeep_test_harness::{get, in_one_process};
use uuid::Uuid;

use crate::executor_log::{ExecutorLog, Whom};
use crate::fake_executor::Reaction;
use crate::harness::Setup;
use crate::scoring::{ADAS, ROUNDS, Scored, robot};

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Half a round passes.
    Play,
    /// Somebody reads so many events, and gives up if they have to wait.
    Read(ExecutorKind, usize),
    Score,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let executor = prop_oneof![Just(ExecutorKind::Trading), Just(ExecutorKind::Robots)];
    let step = prop_oneof![
        5 => Just(Step::Play),
        6 => (executor, 1..8_usize).prop_map(|(executor, count)| Step::Read(executor, count)),
        3 => Just(Step::Score),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 0..60)
}

async fn perform(it: &mut Scored, step: Step) {
    match step {
        Step::Play => it.play().await,
        Step::Read(executor, count) => {
            let log = if executor == ExecutorKind::Trading { &it.trading } else { &it.robots };
            read_some(it, log, count).await;
        }
        Step::Score => it.score().await,
        Step::Restart => {
            it.bench.beat().await;
            it.bench.restart().await;
            it.bench.compare_replica().await;
        }
    }
}

/// True if nothing had to wait.
async fn read_some(it: &Scored, log: &ExecutorLog, count: usize) -> bool {
    let items = log.unread(it.bench.service(), count);
    let mut reading = Box::pin(log.record(it.bench.service(), &items));
    for _ in 0..4 {
        if futures::poll!(&mut reading).is_ready() {
            return true;
        }
        // Whatever the store was asked before is answered after this.
        it.bench.spawn(Uuid::max(), it.bob.0).await;
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 8) })]

    #[test]
    fn scores_do_not_depend_on_the_order_of_reading(steps in steps()) {
        in_one_process(async {
            let mut it = Scored::with(Setup::default()).await;
            for step in steps {
                perform(&mut it, step).await;
            }
            while it.played < 2 * ROUNDS {
                it.play().await;
            }
            it.read_everything().await;
            it.bench.compare_replica().await;
            assert_eq!(it.scores().await, it.final_scores());
            assert_eq!(it.scoreboard().await, it.final_scoreboard());
            let rounds: Vec<_> = it.announced().iter().map(|event| event["roundNumber"].clone()).collect();
            assert_eq!(rounds, [1, 2, 3, 4, 5], "each once, in order");
        });
    }
}

/// Two halves of a round are played, twice.
async fn two_rounds() -> Scored {
    let mut it = Scored::with(Setup::in_memory()).await;
    for _ in 0..4 {
        it.play().await;
    }
    it
}

#[tokio::test]
async fn news_of_a_round_wait_until_the_rounds_before_are_scored() {
    let it = two_rounds().await;
    assert!(read_some(&it, &it.trading, usize::MAX).await, "trades of the first round");
    assert!(!read_some(&it, &it.robots, usize::MAX).await, "minings of the second");
    assert!(it.announced().is_empty());
    it.score().await;
    assert_eq!(it.announced().len(), 1);
    assert!(read_some(&it, &it.robots, usize::MAX).await);
}

#[tokio::test]
async fn results_at_hand_do_not_wait_with_what_robots_did() {
    let it = two_rounds().await;
    assert!(!read_some(&it, &it.robots, usize::MAX).await, "the first round is not scored");
    let path = format!("/commands?gameId={}&roundNumber=2", it.game);
    let seen = it.bench.ask(get(path).bearer(&it.ada.1.to_string())).await.is(200);
    let id = seen["commands"][0]["transactionId"].as_str().expect("an id");
    let receipt = it.bench.ask(get(format!("/commands/{id}")).bearer(&it.ada.1.to_string())).await.is(200);
    assert_eq!(receipt["result"]["channel"], "mining", "{receipt}");
    assert!(it.announced().is_empty());
}

#[tokio::test]
async fn what_is_handed_over_again_counts_once() {
    let it = two_rounds().await;
    let all = it.trading.unread(it.bench.service(), usize::MAX);
    // A part is recorded, and then the store fails.
    it.trading.record(it.bench.service(), &all[..3]).await;
    it.trading.record(it.bench.service(), &all).await;
    it.trading.record(it.bench.service(), &all).await;
    let rows = it.scoreboard().await;
    assert_eq!((&rows[0]["money"], &rows[1]["money"]), (&json!(100), &json!(100)));
}

#[tokio::test]
async fn robots_deeds_wait_for_the_trades_of_their_round_and_spawns_do_not() {
    let it = two_rounds().await;
    let spawns = it.robots.unread(it.bench.service(), 4);
    assert_eq!(spawns.len(), 4);
    assert!(read_some(&it, &it.robots, 4).await, "they are made while the trades are carried out");
    it.read_everything().await;
    let mut it = it;
    it.play().await;
    assert!(!read_some(&it, &it.robots, usize::MAX).await, "the sales of the third round are not read");
    assert!(read_some(&it, &it.trading, usize::MAX).await);
    assert!(read_some(&it, &it.robots, usize::MAX).await);
}

#[tokio::test]
async fn a_round_is_scored_when_both_streams_have_been_read_so_far() {
    let mut it = Scored::with(Setup::in_memory()).await;
    it.play().await;
    it.play().await;
    it.score().await;
    assert!(it.announced().is_empty(), "nothing has been read");
    let all = it.trading.unread(it.bench.service(), usize::MAX).len();
    assert!(read_some(&it, &it.trading, all - 1).await);
    it.score().await;
    assert!(it.announced().is_empty(), "the last event tells nothing, and may not be skipped");
    assert!(read_some(&it, &it.trading, 1).await);
    it.score().await;
    assert_eq!(it.announced().len(), 1, "no batch went to the robots");
    it.score().await;
    assert_eq!(it.announced().len(), 1, "once");
}

/// Ada's robot is bought and destroyed in the first round. What comes of the purchase is told by nobody but the streams.
async fn short_life(answer: Option<BatchFault>) -> Scored {
    let mut it = Scored::with(Setup::default()).await;
    let whom = Whom { game: it.game, round: Some(1), player: Some(it.ada.0), robot: Some(ADAS) };
    if let Some(fault) = answer {
        it.bench.trading.then(Reaction::Fail(fault));
    }
    let command = it.send(whom, "buying", json!({"itemName": "ROBOT"})).await;
    it.robots.spawned(whom, command);
    it.trading.trade("buy-robot", Whom { robot: None, ..whom }, command, -100, &json!([robot(whom)]));
    it.bench.trading.set_position(Some(it.trading.position()));
    it.bench.advance(3_000).await;
    it.robots.destroyed(whom);
    it
}

#[tokio::test]
async fn a_robot_that_was_destroyed_does_not_live_again_when_its_purchase_is_read_late() {
    for is_scored_before in [false, true] {
        let it = short_life(Some(BatchFault::Unclear("the connection was lost".into()))).await;
        assert!(read_some(&it, &it.robots, usize::MAX).await, "nobody knows of a purchase to wait for");
        if is_scored_before {
            it.bench.advance(1_000).await;
            it.score().await;
            assert_eq!(it.announced().len(), 1);
        }
        assert!(read_some(&it, &it.trading, usize::MAX).await);
        let row = &it.scoreboard().await[1];
        assert_eq!(
            (&row["robotsAlive"], &row["money"]),
            (&json!(0), &json!(100)),
            "scored: {is_scored_before}"
        );
        it.bench.compare_replica().await;
    }
}

#[tokio::test]
async fn a_purchase_that_was_answered_tells_of_the_robot_before_its_own_stream_does() {
    let it = short_life(None).await;
    // It has told of something, so it is known to tell.
    assert!(read_some(&it, &it.robots, 1).await);
    assert!(!read_some(&it, &it.robots, usize::MAX).await, "its end waits for the purchase");
    let mut it = it;
    let whom = Whom { game: it.game, round: Some(2), player: Some(it.bob.0), robot: None };
    assert!(read_some(&it, &it.trading, usize::MAX).await && read_some(&it, &it.robots, usize::MAX).await);
    it.bench.advance(1_000).await;
    it.score().await;
    let command = it.send(whom, "buying", json!({"itemName": "ROBOT"})).await;
    let bought = json!([robot(Whom { robot: Some(Uuid::from_u128(0xb2)), ..whom })]);
    it.trading.trade("buy-robot", whom, command, -100, &bought);
    it.bench.trading.set_position(Some(it.trading.position()));
    it.bench.advance(3_000).await;
    assert!(read_some(&it, &it.trading, usize::MAX).await);
    let alive: Vec<_> = it
        .scoreboard()
        .await
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["robotsAlive"].clone())
        .collect();
    assert_eq!(alive, [1, 0], "of Bob and of Ada");
}
