//! Answers to batches that come after their time: they correct receipts that say `unknown`, also rounds later, and nothing
//! waits for them. And batches for which too little time is left: they are not sent at all.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use starkeep_game_service::ports::{BatchFault, ExecutorHealth};
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::EPOCH;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::fake_executor::Reaction;
use crate::harness::Setup;
use crate::playing::Match;

/// A match with a dispatcher that runs, and a purchase whose answer is held back.
struct Late {
    it: Match,
    purchase: Uuid,
    mining: Uuid,
    answer: Arc<Notify>,
    stop: Stop,
    leader: Leader,
}

impl Late {
    /// Its purchase is unknown: its share of the first round's execution is over. The mining went out after it.
    async fn new(setup: Setup, fault: Option<BatchFault>) -> Self {
        Self::after(setup, 0, fault).await
    }

    /// The same, after so many attempts that may have arrived.
    async fn after(setup: Setup, attempts: usize, fault: Option<BatchFault>) -> Self {
        let it = Match::with(setup).await;
        it.bench.trading.set_health(Ok(ExecutorHealth { executes_once: attempts > 0, fault: None }));
        for _ in 0..attempts {
            it.bench.trading.then(Reaction::Fail(BatchFault::Unclear("the connection was lost".into())));
        }
        it.bench.robots.set_position(Some("00000000000000bb-0-00000000".to_owned()));
        let answer = Arc::new(Notify::new());
        it.bench.trading.then(match fault {
            None => Reaction::Hold(answer.clone()),
            Some(fault) => Reaction::HoldAndFail(answer.clone(), fault),
        });
        let purchase = it.ada_sends("buying", json!({"itemName": "HEALTH"})).await;
        let robot = Uuid::from_u128(0x71);
        it.bench.spawn(robot, it.ada.0).await;
        let mining = it.send_for(robot, "mining", json!({})).await;
        let stop = Stop::new();
        let leader = Leader::always(it.bench.clock.clone(), stop.clone());
        it.bench.service().dispatcher(stop.clone()).start(&leader);
        let this = Self { it, purchase, mining, answer, stop, leader };
        this.it.bench.advance_alone(3_000).await;
        for attempt in 1..=attempts {
            this.until(|late| late.it.bench.trading.sent().len() == attempt).await;
            this.it.bench.clock.advance(Duration::from_millis(50));
        }
        this.until(|late| late.it.bench.trading.sent().len() == attempts + 1).await;
        this.it.bench.clock.advance(Duration::from_millis(500));
        this.until(|late| late.it.bench.robots.sent().len() == 1).await;
        this.says("dispatched", this.mining).await;
        this.says("unknown", this.purchase).await;
        this
    }

    async fn until(&self, done: impl Fn(&Self) -> bool) {
        for _ in 0..1_000 {
            if done(self) {
                return;
            }
            self.go_on().await;
        }
        panic!("it does not come to this");
    }

    /// Lets the dispatcher and the store come further.
    async fn go_on(&self) {
        self.it.ping().await;
        tokio::task::yield_now().await;
    }

    /// The receipt comes to say this.
    async fn says(&self, state: &str, id: Uuid) {
        for _ in 0..1_000 {
            if self.it.states(&[id]).await == [state] {
                return;
            }
            self.go_on().await;
        }
        panic!("it never says {state}: {:?}", self.it.states(&[id]).await);
    }

    /// The receipt stays as it is, for as long as the dispatcher needs to react to an answer.
    async fn stays(&self, state: &str) {
        for _ in 0..32 {
            self.go_on().await;
        }
        assert_eq!(self.it.states(&[self.purchase]).await, [state]);
    }

    async fn end(self) -> Match {
        self.stop.cancel();
        self.leader.finished().await;
        self.it
    }
}

#[tokio::test]
async fn a_late_answer_corrects_the_receipt_in_its_round_or_rounds_later() {
    for setup in [Setup::in_memory(), Setup::default()] {
        for later in [0, 1, 3] {
            let late = Late::new(setup, None).await;
            for _ in 0..later {
                late.it.bench.advance_alone(500).await;
                late.it.bench.advance_alone(3_000).await;
                late.it.bench.advance_alone(500).await;
            }
            late.says("unknown", late.purchase).await;
            late.answer.notify_one();
            late.says("dispatched", late.purchase).await;
            let (purchase, mining) = (late.purchase, late.mining);
            let mut it = late.end().await;
            assert_eq!(it.bench.trading.sent().len(), 1, "it is not sent again");
            if setup.store == Setup::default().store {
                it.bench.compare_replica().await;
                it.bench.restart().await;
                assert_eq!(it.states(&[purchase, mining]).await, ["dispatched"; 2]);
            }
        }
    }
}

#[tokio::test]
async fn scores_do_not_wait_for_where_the_log_stood_after_a_late_answer() {
    let late = Late::new(Setup { streams: true, ..Setup::default() }, None).await;
    // Nobody will read so far.
    late.it.bench.trading.set_position(Some("00000000000000aa-99-00000000".to_owned()));
    late.it.bench.advance_alone(500).await;
    late.answer.notify_one();
    late.says("dispatched", late.purchase).await;
    let mut it = late.end().await;
    for _ in 0..2 {
        it.bench.service().round_scoring().step(EPOCH).await.expect("rounds are scored");
        let scored = it.bench.events().into_iter().filter(|event| event.channel == "scores");
        assert_eq!(scored.count(), 1, "the first round is over");
        it.bench.compare_replica().await;
        it.bench.beat().await;
        it.bench.restart().await;
    }
}

#[tokio::test]
async fn a_clear_refusal_corrects_it_too_and_an_unclear_one_does_not() {
    for (fault, state) in [
        (BatchFault::TurnedDown("400".into()), "undelivered"),
        (BatchFault::NotReached("refused".into()), "undelivered"),
        (BatchFault::Unclear("500".into()), "unknown"),
    ] {
        let late = Late::new(Setup::in_memory(), Some(fault)).await;
        late.answer.notify_one();
        late.says(state, late.purchase).await;
        late.stays(state).await;
        assert_eq!(late.it.bench.trading.sent().len(), 1, "it is not sent again");
        late.end().await;
    }
}

#[tokio::test]
async fn a_refusal_of_the_last_attempt_says_nothing_of_those_before() {
    for (fault, state) in [
        (Some(BatchFault::TurnedDown("409".into())), "unknown"),
        (Some(BatchFault::NotReached("refused".into())), "unknown"),
        (Some(BatchFault::NotNow("503".into())), "unknown"),
        (None, "dispatched"),
    ] {
        let late = Late::after(Setup::in_memory(), 1, fault).await;
        late.answer.notify_one();
        late.says(state, late.purchase).await;
        late.stays(state).await;
        late.end().await;
    }
}

#[tokio::test]
async fn an_answer_is_listened_for_no_longer_than_a_minute() {
    for (millis, state) in [(59_499, "dispatched"), (59_500, "unknown")] {
        let late = Late::new(Setup::in_memory(), None).await;
        // Its rounds do not go on meanwhile.
        late.it.bench.order(late.it.game, "pause").await.is(201);
        late.it.bench.clock.advance(Duration::from_millis(millis));
        late.stays("unknown").await;
        late.answer.notify_one();
        late.says(state, late.purchase).await;
        late.stays(state).await;
        late.end().await;
    }
}

#[tokio::test]
async fn an_answer_after_the_games_end_changes_nothing() {
    let late = Late::new(Setup::in_memory(), None).await;
    late.it.bench.end(late.it.game).await.is(201);
    late.stays("unknown").await;
    late.answer.notify_one();
    late.stays("unknown").await;
    late.end().await;
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_late_answer() {
    let late = Late::new(Setup::in_memory(), None).await;
    let purchase = late.purchase;
    // Time stands still, so whatever waited for it would wait for ever.
    let it = late.end().await;
    assert_eq!(it.states(&[purchase]).await, ["unknown"]);
}

#[tokio::test]
async fn a_batch_is_not_begun_when_too_little_of_the_phase_is_left() {
    for (passed, state) in [(950, "dispatched"), (951, "undelivered")] {
        let it = Match::in_memory().await;
        let id = it.ada_sends("mining", json!({})).await;
        it.bench.advance_alone(3_000).await;
        it.bench.advance_alone(passed).await;
        let before = it.bench.commits().await;
        it.bench.dispatch().await;
        // What is not sent needs no word that it is being sent.
        let commits = if state == "dispatched" { 2 } else { 1 };
        assert_eq!(it.bench.commits().await, before + commits, "after {passed} ms");
        assert_eq!(it.states(&[id]).await, [state], "after {passed} ms");
        assert_eq!(it.bench.robots.sent().len(), usize::from(state == "dispatched"));
    }
}

#[tokio::test]
async fn a_batch_is_not_begun_either_if_it_took_too_long_to_write_that_it_is() {
    let it = Match::new().await;
    let id = it.ada_sends("mining", json!({})).await;
    it.bench.advance_alone(3_000).await;
    it.bench.writer.hold();
    let mut sending = Box::pin(it.bench.dispatch());
    assert!(futures::poll!(&mut sending).is_pending());
    it.bench.writer.is_held().await;
    it.bench.clock.advance(Duration::from_millis(960));
    it.bench.writer.release();
    sending.await;
    assert_eq!(it.bench.robots.sent(), []);
    assert_eq!(it.states(&[id]).await, ["undelivered"]);
}
