//! Batches for the robot service, which works on several at the same time: the next one goes out when the results of the
//! one before have come, when its share of the phase is over, or after a gap where nobody tells of results.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use starkeep_game_core::Kind;
use starkeep_game_service::ports::ExecutorHealth;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{EPOCH, in_one_process};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::dispatching::one_of_each;
use crate::fake_executor::Reaction;
use crate::fake_topics::Presence;
use crate::harness::Setup;
use crate::playing::Match;

const TOPICS: [&str; 4] = ["movement", "fighting", "mining", "regeneration"];
const PLANET: Uuid = Uuid::from_u128(0x80);

/// A match whose service reads results; a phase has a second.
struct Ordered {
    it: Match,
    stop: Stop,
    leader: Leader,
}

impl Ordered {
    async fn new() -> Self {
        let this = Self::beside(Presence::Here, None).await;
        for topic in TOPICS {
            this.it.bench.topics.read(topic, 1).await;
        }
        this
    }

    async fn beside(presence: Presence, batch_gap: Option<Duration>) -> Self {
        let it = Match::with(Setup { batch_gap, results: true, ..Setup::in_memory() }).await;
        it.bench.topics.set(presence);
        let stop = Stop::new();
        let leader = Leader::always(it.bench.clock.clone(), stop.clone());
        it.bench.service().robot_results().expect("there is a broker").start(&leader);
        Self { it, stop, leader }
    }

    /// As the robot service does it; the service has noticed.
    async fn result(&self, topic: &str, id: Uuid) {
        self.record(topic, &[("eventId", "e"), ("transactionId", &id.to_string()), ("type", topic)]).await;
    }

    async fn record(&self, topic: &str, headers: &[(&str, &str)]) {
        let topics = &self.it.bench.topics;
        let reads = topics.reads(topic);
        topics.put(topic, headers);
        topics.read(topic, reads + 1).await;
    }

    fn sent(&self) -> usize {
        self.it.bench.robots.sent().len()
    }

    /// So many milliseconds must pass before the next batch is sent, with nothing else happening.
    async fn goes_on_after(&self, sending: &mut (impl Future + Unpin), millis: u64) {
        let sent = self.sent();
        self.it.bench.clock.advance(Duration::from_millis(millis - 1));
        self.it.settle(sending).await;
        assert_eq!(self.sent(), sent, "it goes out too early");
        self.it.bench.clock.advance(Duration::from_millis(1));
        self.it.settle(sending).await;
        assert_eq!(self.sent(), sent + 1, "it does not go out");
    }

    async fn end(self) {
        self.stop.cancel();
        self.leader.finished().await;
    }
}

async fn moves(it: &Match, count: u128) -> Vec<Uuid> {
    let mut ids = Vec::new();
    for number in 0..count {
        let robot = Uuid::from_u128(0x200 + number);
        it.bench.spawn(robot, it.ada.0).await;
        ids.push(it.send_for(robot, "movement", json!({"planetId": PLANET})).await);
    }
    ids
}

#[tokio::test]
async fn each_batch_waits_for_the_results_of_the_one_before_and_for_no_time() {
    let this = Ordered::new().await;
    let [_, _, go, fight, mine, rest] = one_of_each(&this.it).await;
    this.it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(this.it.bench.dispatch());
    for (number, (topic, id)) in TOPICS.into_iter().zip([go, fight, mine]).enumerate() {
        this.it.settle(&mut sending).await;
        assert_eq!(this.sent(), number + 1);
        this.result(topic, id).await;
    }
    // Nothing waits for the results of the last one.
    sending.await;
    assert_eq!(this.sent(), 4);
    assert_eq!(this.it.states(&[go, fight, mine, rest]).await, ["dispatched"; 4]);
    this.end().await;
}

#[tokio::test]
async fn a_result_may_come_before_the_answer() {
    let this = Ordered::new().await;
    let [_, _, go, ..] = one_of_each(&this.it).await;
    let answer = std::sync::Arc::new(Notify::new());
    this.it.bench.robots.then(Reaction::Hold(answer.clone()));
    this.it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(this.it.bench.dispatch());
    this.it.settle(&mut sending).await;
    this.result("movement", go).await;
    this.it.settle(&mut sending).await;
    assert_eq!(this.sent(), 1);
    answer.notify_one();
    this.it.settle(&mut sending).await;
    assert_eq!(this.sent(), 2);
    drop(sending);
    this.end().await;
}

#[tokio::test]
async fn results_that_do_not_come_are_waited_for_as_long_as_the_batch_has_a_share_of_the_phase() {
    let this = Ordered::new().await;
    one_of_each(&this.it).await;
    this.it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(this.it.bench.dispatch());
    this.it.settle(&mut sending).await;
    // A second for four, then 750 ms for three, then 500 ms for two.
    this.goes_on_after(&mut sending, 250).await;
    this.goes_on_after(&mut sending, 250).await;
    this.it.bench.clock.advance(Duration::from_millis(250));
    sending.await;
    assert_eq!(this.sent(), 4);
    this.end().await;
}

#[tokio::test]
async fn where_nobody_tells_of_results_there_is_a_gap_that_grows_with_the_commands() {
    for presence in [None, Some(Presence::Away), Some(Presence::WithoutTopics)] {
        let this = Ordered::beside(presence.unwrap_or_default(), None).await;
        if presence.is_none() {
            // The broker is lost after a while.
            this.it.bench.topics.read("movement", 1).await;
        }
        moves(&this.it, 4).await;
        this.it.ada_sends("mining", json!({})).await;
        this.it.bench.advance_alone(3_000).await;
        let mut sending = Box::pin(this.it.bench.dispatch());
        this.it.settle(&mut sending).await;
        if presence.is_none() {
            this.it.bench.topics.fail("movement");
            while this.leader.states()["listen-to-movement"].last_error.is_none() {
                tokio::task::yield_now().await;
            }
            this.it.settle(&mut sending).await;
        }
        assert_eq!(this.sent(), 1, "{presence:?}");
        this.it.bench.clock.advance(Duration::from_millis(179));
        this.it.settle(&mut sending).await;
        assert_eq!(this.sent(), 1, "{presence:?}");
        this.it.bench.clock.advance(Duration::from_millis(1));
        sending.await;
        assert_eq!(this.sent(), 2, "{presence:?}");
        this.end().await;
    }
}

#[tokio::test]
async fn a_broker_that_comes_back_tells_of_results_again() {
    let this = Ordered::beside(Presence::Away, None).await;
    this.it.ping().await;
    this.it.bench.topics.set(Presence::Here);
    this.it.bench.clock.advance(Duration::from_secs(2));
    this.it.bench.topics.read("movement", 1).await;
    let ids = moves(&this.it, 1).await;
    this.it.ada_sends("mining", json!({})).await;
    this.it.bench.advance_alone(1_000).await;
    let mut sending = Box::pin(this.it.bench.dispatch());
    this.it.settle(&mut sending).await;
    this.result("movement", ids[0]).await;
    sending.await;
    assert_eq!(this.sent(), 2);
    this.end().await;
}

#[tokio::test]
async fn a_gap_that_was_asked_for_is_kept_although_results_come() {
    let this = Ordered::beside(Presence::Here, Some(Duration::from_millis(40))).await;
    this.it.bench.topics.read("movement", 1).await;
    let ids = moves(&this.it, 1).await;
    this.it.ada_sends("mining", json!({})).await;
    this.it.bench.advance_alone(3_000).await;
    let mut sending = Box::pin(this.it.bench.dispatch());
    this.it.settle(&mut sending).await;
    this.result("movement", ids[0]).await;
    this.it.bench.clock.advance(Duration::from_millis(39));
    this.it.settle(&mut sending).await;
    assert_eq!(this.sent(), 1);
    this.it.bench.clock.advance(Duration::from_millis(1));
    sending.await;
    assert_eq!(this.sent(), 2);
    this.end().await;
}

#[tokio::test]
async fn a_robot_service_that_executes_once_is_not_waited_for() {
    let this = Ordered::new().await;
    this.it.bench.robots.set_health(Ok(ExecutorHealth { executes_once: true, fault: None }));
    this.it.bench.start_tasks();
    this.it.bench.robots.probes_answered(1).await;
    tokio::task::yield_now().await;
    this.it.bench.stop_tasks().await;
    one_of_each(&this.it).await;
    this.it.bench.advance_alone(3_000).await;
    this.it.bench.dispatch().await;
    assert_eq!(this.sent(), 4);
    this.end().await;
}

#[tokio::test]
async fn neither_a_stop_nor_the_games_end_waits_for_results() {
    for ends in [false, true] {
        let this = Ordered::new().await;
        let [_, _, go, fight, ..] = one_of_each(&this.it).await;
        this.it.bench.advance_alone(3_000).await;
        let stop = Stop::new();
        let dispatcher = this.it.bench.service().dispatcher(stop.clone());
        let mut sending = Box::pin(async { dispatcher.step(EPOCH).await.expect("carried out") });
        this.it.settle(&mut sending).await;
        if ends {
            this.it.bench.end(this.it.game).await.is(201);
        } else {
            stop.cancel();
        }
        sending.await;
        assert_eq!(this.sent(), 1);
        let expected = if ends { "dropped" } else { "pending" };
        assert_eq!(this.it.states(&[go, fight]).await, ["dispatched", expected]);
        this.end().await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 8) })]

    /// Each number is a result of the move with that number, or of something else.
    #[test]
    fn the_attacks_go_out_with_the_last_missing_result_whatever_else_is_in_the_topics(
        results in prop::collection::vec(0..8_usize, 0..24),
    ) {
        in_one_process(async {
            let this = Ordered::new().await;
            let ids = moves(&this.it, 3).await;
            this.it.ada_sends("battle", json!({"targetId": PLANET})).await;
            this.it.bench.advance_alone(3_000).await;
            let mut sending = Box::pin(this.it.bench.dispatch());
            this.it.settle(&mut sending).await;
            let mut missing: Vec<_> = (0..ids.len()).collect();
            for number in results {
                match number {
                    0..3 => this.result("movement", ids[number]).await,
                    3 => this.record("movement", &[("transactionId", "no id")]).await,
                    4 => this.record("fighting", &[]).await,
                    _ => this.result("movement", Uuid::from_u128(number as u128)).await,
                }
                missing.retain(|move_| *move_ != number);
                if missing.is_empty() {
                    break;
                }
                this.it.settle(&mut sending).await;
                assert_eq!(this.sent(), 1, "{missing:?} are missing");
            }
            if missing.is_empty() {
                sending.await;
                let kinds: Vec<_> = this.it.bench.robots.sent().into_iter().map(|(kind, _)| kind).collect();
                assert_eq!(kinds, [Kind::Movement, Kind::Battle]);
            } else {
                drop(sending);
            }
            this.end().await;
        });
    }
}
