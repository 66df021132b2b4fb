//! In the msd dialect, with Kafka: a start makes its world, and a round's first batch is sent, only after earlier events were
//! sent. Everything else, and everybody else, never waits for Kafka.

use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_game_service::ports::ExecutorHealth;
use starkeep_game_service::testing::pending;
use starkeep_platform::tasks::Stop;
use starkeep_test_harness::{EPOCH, Reply, StoreKind, post};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::harness::{Bench, MAP_TIMEOUT, Setup};
use crate::status_gap::on_kafka;

async fn msd() -> Bench {
    let bench = Bench::with(on_kafka(Dialect::Msd, StoreKind::Memory)).await;
    bench.relay_from_now().await;
    bench
}

/// A start that is under way.
async fn begin_start(bench: &Bench, game: Uuid) -> JoinHandle<Reply> {
    let start = tokio::spawn(bench.ask(post(format!("/games/{game}/gameCommands/start"))));
    bench.settle().await;
    start
}

/// The outcome of what must not wait any longer.
async fn done<T>(work: JoinHandle<T>) -> T {
    assert!(work.is_finished(), "it still waits");
    work.await.expect("no panic")
}

async fn start_at_once(bench: &Bench, game: Uuid) -> Reply {
    done(begin_start(bench, game).await).await
}

fn timeout_millis() -> u64 {
    u64::try_from(MAP_TIMEOUT.as_millis()).expect("a few seconds")
}

/// A running game, all of whose events were sent.
async fn running(bench: &Bench) -> Uuid {
    let game = bench.create(9, 2).await;
    let (player, _) = bench.register("ada").await;
    bench.put_in(game, player).await;
    bench.spawn(ROBOT, player).await;
    bench.pass(1_000).await;
    bench.pass(1_000).await;
    start_at_once(bench, game).await.is(201);
    bench.settle().await;
    assert_eq!(bench.broker.records().len(), bench.events().len());
    game
}

const ROBOT: Uuid = Uuid::from_u128(0x700);

#[tokio::test]
async fn a_start_makes_its_world_after_what_was_told_and_the_gap_after_it() {
    let bench = msd().await;
    let game = bench.create(9, 2).await;
    let start = begin_start(&bench, game).await;
    bench.pass(1_000).await;
    assert_eq!(bench.broker.records(), [(1_000, "created".to_owned())]);
    bench.pass(999).await;
    assert_eq!((bench.map.orders().len(), start.is_finished()), (0, false), "the gap is not over");
    bench.pass(1).await;
    assert_eq!(bench.map.orders().len(), 1);
    done(start).await.is(201);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn those_who_join_while_a_start_waits_are_in_the_game() {
    let bench = msd().await;
    let game = bench.create(9, 3).await;
    bench.join(game).await;
    let start = begin_start(&bench, game).await;
    bench.pass(1_000).await;
    bench.join(game).await;
    bench.pass(1_000).await;
    done(start).await.is(201);
    assert_eq!(bench.map.last_order().players, 2);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn a_start_without_kafka_is_refused_after_the_time_out_and_changes_nothing() {
    let bench = msd().await;
    // Afterwards no gap is open.
    bench.pass(1_000).await;
    bench.broker.set_away(true);
    let game = bench.create(9, 2).await;
    bench.settle().await;
    let (events, shown) = (bench.events().len(), bench.game(game).await);
    let start = begin_start(&bench, game).await;
    bench.pass(timeout_millis() - 1).await;
    assert!(!start.is_finished());
    bench.pass(1).await;
    let detail = done(start).await.refused(503, "kafka-unavailable", None);
    assert!(
        detail.starts_with("Kafka cannot be reached, so the game was not started: none of the events"),
        "{detail}"
    );
    assert!(detail.contains("the broker at nowhere does not answer"), "{detail}");
    assert_eq!((bench.events().len(), bench.game(game).await), (events, shown));
    assert_eq!((pending(bench.service()), bench.map.orders().len()), ((0, 0), 0));
    bench.join(game).await;

    bench.broker.set_away(false);
    let start = begin_start(&bench, game).await;
    for _ in 0..30 {
        bench.pass(100).await;
    }
    done(start).await.is(201);
    let told: Vec<_> = bench.broker.records().into_iter().map(|(_, told)| told).collect();
    assert_eq!(told, ["created", "playerStatus", "gameRoster", "started", "gameRoster", "roundStatus"]);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn many_gaps_are_no_silence() {
    let bench = msd().await;
    for _ in 0..10 {
        let game = bench.create(9, 2).await;
        bench.end(game).await.is(201);
    }
    let game = bench.create(9, 2).await;
    let start = begin_start(&bench, game).await;
    // Three gaps for each game, between which its records are sent, and two for the last one.
    for _ in 0..32 {
        assert!(!start.is_finished());
        bench.pass(1_000).await;
    }
    done(start).await.is(201);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn a_start_that_is_refused_anyway_is_refused_at_once() {
    let bench = msd().await;
    let game = running(&bench).await;
    bench.broker.set_away(true);
    bench.order(game, "pause").await.is(201);
    start_at_once(&bench, game).await.refused(403, "game-not-created", None);
    start_at_once(&bench, Uuid::from_u128(5)).await.refused(404, "unknown-game", None);
    bench.end(game).await.is(201);
    start_at_once(&bench, game).await.refused(403, "game-not-created", None);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn a_repeated_start_gets_its_answer_without_kafka() {
    let bench = msd().await;
    let game = bench.create(9, 2).await;
    bench.pass(1_000).await;
    bench.pass(1_000).await;
    let start = async || {
        let start = post(format!("/games/{game}/gameCommands/start")).key("once");
        let start = tokio::spawn(bench.ask(start));
        bench.settle().await;
        done(start).await.is(201)
    };
    let first = start().await;
    bench.broker.set_away(true);
    assert_eq!(start().await, first);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn nothing_but_a_start_waits_for_kafka() {
    let bench = msd().await;
    let game = running(&bench).await;
    bench.broker.set_away(true);
    bench.order(game, "pause").await.is(201);
    bench.order(game, "resume").await.is(201);
    bench.advance(3_000).await;
    bench.advance(1_000).await;
    assert_eq!(bench.game(game).await["currentRoundNumber"], 2);
    bench.end(game).await.is(201);
    let next = bench.create(9, 2).await;
    bench.join(next).await;
    bench.end(next).await.is(201);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn the_standard_dialect_and_an_installation_without_kafka_never_wait() {
    for setup in [
        on_kafka(Dialect::Standard, StoreKind::Memory),
        Setup { dialect: Dialect::Msd, ..Setup::in_memory() },
    ] {
        // The relay does not run: nothing is sent, ever.
        let bench = Bench::with(setup).await;
        let game = bench.create(9, 2).await;
        bench.join(game).await;
        start_at_once(&bench, game).await.is(201);
        bench.advance(3_000).await;
        assert_eq!(bench.broker.records(), []);
    }
}

/// The execution phase of 1 s has begun, with a command for the robot service; the dispatcher is at work.
async fn execution(bench: &Bench, game: Uuid) -> JoinHandle<Result<(), String>> {
    let player = bench.game(game).await["participatingPlayers"][0].clone();
    let command = json!({
        "gameId": game, "playerId": player, "robotId": ROBOT, "commandType": "regeneration", "commandObject": {},
    });
    bench.ask(post("/commands").json(&command)).await.is(201);
    bench.advance_alone(3_000).await;
    let dispatcher = bench.service().dispatcher(Stop::new());
    let dispatch = tokio::spawn(async move { dispatcher.step(EPOCH).await });
    bench.settle().await;
    dispatch
}

#[tokio::test]
async fn the_first_batch_of_a_round_waits_until_earlier_events_were_sent() {
    let bench = msd().await;
    let game = running(&bench).await;
    bench.broker.hold(true);
    let dispatch = execution(&bench, game).await;
    bench.pass(300).await;
    assert_eq!(bench.robots.sent().len(), 0);
    bench.broker.hold(false);
    bench.settle().await;
    done(dispatch).await.unwrap();
    assert_eq!(bench.robots.sent().len(), 1);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn it_waits_for_half_of_the_phase_at_most() {
    let bench = msd().await;
    let game = running(&bench).await;
    bench.broker.hold(true);
    let dispatch = execution(&bench, game).await;
    bench.pass(499).await;
    assert_eq!(bench.robots.sent().len(), 0);
    bench.pass(1).await;
    done(dispatch).await.unwrap();
    assert_eq!(bench.robots.sent().len(), 1);
    bench.broker.hold(false);
    bench.stop_tasks().await;
}

#[tokio::test]
async fn it_does_not_wait_while_kafka_is_away_nor_for_an_executor_that_executes_once() {
    for is_away in [true, false] {
        let bench = msd().await;
        let game = running(&bench).await;
        if is_away {
            bench.broker.set_away(true);
        } else {
            bench.robots.set_health(Ok(ExecutorHealth { executes_once: true, fault: None }));
            bench.start_tasks();
            bench.robots.probes_answered(1).await;
            bench.stop_tasks().await;
        }
        let dispatch = execution(&bench, game).await;
        done(dispatch).await.unwrap();
        assert_eq!(bench.robots.sent().len(), 1, "away: {is_away}");
        if is_away {
            bench.stop_tasks().await;
        }
    }
}
