//! `Idempotency-Key` on every POST: a repeated request gets the first answer and does nothing, whatever happened since.
//! Keys and crashes together are in `crashes`, keys and the host's token in `host_token`.

use std::time::Duration;

use serde_json::json;
use starkeep_test_harness::{EPOCH, Reply, TestRequest, post};
use uuid::Uuid;

use crate::fake_map::Behaviour;
use crate::harness::{Bench, id_in};

fn creation() -> TestRequest {
    post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3}))
}

fn command(game: Uuid, word: &str) -> TestRequest {
    post(format!("/games/{game}/gameCommands/{word}"))
}

/// The same bytes and headers as the first time, and the mark of a repetition.
#[track_caller]
fn assert_replay(replay: &Reply, first: &Reply) {
    assert_eq!(replay.header("idempotency-replayed"), Some("true"), "{replay:?}");
    assert_eq!(first.header("idempotency-replayed"), None, "{first:?}");
    assert_eq!((replay.status, &replay.bytes), (first.status, &first.bytes));
    for name in ["location", "content-type"] {
        assert_eq!(replay.header(name), first.header(name));
    }
}

#[tokio::test]
async fn a_repeated_creation_gets_the_first_answer_and_creates_nothing() {
    let mut bench = Bench::new().await;
    let first = bench.ask(creation().key("k1")).await;
    let game = id_in(&first);
    assert_replay(&bench.ask(creation().key("k1")).await, &first);
    bench.restart().await;
    assert_replay(&bench.ask(creation().key("k1")).await, &first);
    bench.end(game).await.is(201);
    assert_replay(&bench.ask(creation().key("k1")).await, &first);
    assert_eq!((bench.games().await.len(), bench.map.orders().len()), (1, 1));
    assert_eq!(bench.history(game), ["created", "ended"]);
}

#[tokio::test]
async fn a_repeated_creation_is_no_conflict_in_msd() {
    let bench = Bench::msd_in_memory().await;
    let first = bench.ask(creation().key("k1")).await;
    id_in(&first);
    assert_replay(&bench.ask(creation().key("k1")).await, &first);
}

#[tokio::test]
async fn a_repeated_start_gets_the_first_answer_before_any_look_at_the_state() {
    // With the world that was made at the creation, and with one that replaces it.
    for joined in [1, 0] {
        let mut bench = Bench::new().await;
        let game = bench.create(5, 1).await;
        for _ in 0..joined {
            bench.join(game).await;
        }
        let first = bench.ask(command(game, "start").key("go")).await;
        assert_eq!(first.is(201)["gameStatus"], "running");
        bench.advance(4_000).await;
        assert_replay(&bench.ask(command(game, "start").key("go")).await, &first);
        bench.end(game).await.is(201);
        assert_replay(&bench.ask(command(game, "start").key("go")).await, &first);
        bench.restart().await;
        assert_replay(&bench.ask(command(game, "start").key("go")).await, &first);
        let started = bench.history(game).iter().filter(|word| *word == "started").count();
        assert_eq!((started, bench.game(game).await["gameStatus"].as_str()), (1, Some("ended")));
    }
}

#[tokio::test]
async fn a_repeated_end_gets_the_first_answer_also_when_the_game_is_gone() {
    let mut bench = Bench::new().await;
    let game = bench.running(5).await;
    let first = bench.ask(command(game, "end").key("stop")).await;
    assert_eq!(first.is(201)["gameStatus"], "ended");
    assert_replay(&bench.ask(command(game, "end").key("stop")).await, &first);
    bench.ask(starkeep_test_harness::delete(format!("/games/{game}"))).await;
    bench.restart().await;
    assert_replay(&bench.ask(command(game, "end").key("stop")).await, &first);
}

#[tokio::test]
async fn a_key_belongs_to_its_path() {
    let bench = Bench::in_memory().await;
    let [one, other] = [bench.create(5, 3).await, bench.create(5, 3).await];
    for request in [creation(), command(one, "end"), command(other, "end")] {
        let reply = bench.ask(request.key("same")).await;
        assert_eq!((reply.status, reply.header("idempotency-replayed")), (201, None));
    }
}

#[tokio::test]
async fn requests_without_a_key_are_each_their_own() {
    let bench = Bench::in_memory().await;
    assert_ne!(id_in(&bench.ask(creation()).await), id_in(&bench.ask(creation()).await));
}

#[tokio::test]
async fn another_body_under_the_same_key_is_refused() {
    let bench = Bench::in_memory().await;
    let game = id_in(&bench.ask(creation().key("k1")).await);
    let before = bench.whole_state().await;
    for body in [
        json!({"maxRounds": 6, "maxPlayers": 3}),
        json!({}),
        json!({"maxPlayers": 3, "maxRounds": 5, "x": 1}),
    ] {
        let reply = bench.ask(post("/games").json(&body).key("k1")).await;
        reply.refused(422, "idempotency-key-reused", Some("Idempotency-Key"));
    }
    assert_eq!(bench.whole_state().await, before);
    bench.ask(command(game, "start").key("k1")).await.is(201);
    let other = bench.ask(command(game, "start").text("{}").key("k1")).await;
    other.refused(422, "idempotency-key-reused", Some("Idempotency-Key"));
}

#[tokio::test]
async fn a_key_that_is_not_usable_is_refused() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let before = bench.whole_state().await;
    for key in ["", " ", "two words", "tab\there", "käse", &"x".repeat(256)] {
        for request in [creation(), command(game, "start"), command(game, "end")] {
            let reply = bench.ask(request.key(key)).await;
            reply.refused(422, "invalid-idempotency-key", Some("Idempotency-Key"));
        }
    }
    assert_eq!(bench.whole_state().await, before);
    for key in ["!", &"~".repeat(255)] {
        bench.ask(creation().key(key)).await.is(201);
    }
}

#[tokio::test]
async fn a_twin_in_flight_is_waited_for() {
    let bench = Bench::in_memory().await;
    bench.map.hold_orders();
    let first = tokio::spawn(bench.ask(creation().key("k1")));
    bench.map.orders_received(1).await;
    let mut twin = Box::pin(bench.ask(creation().key("k1")));
    assert!(futures::poll!(&mut twin).is_pending());
    bench.map.release();
    let (first, twin) = (first.await.unwrap(), twin.await);
    id_in(&first);
    assert_replay(&twin, &first);
    assert_eq!((bench.games().await.len(), bench.map.orders().len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_twins_one_creates_and_all_get_its_answer() {
    let bench = Bench::new().await;
    let twins: Vec<_> = (0..24).map(|_| tokio::spawn(bench.ask(creation().key("k1")))).collect();
    let mut replies = Vec::new();
    for twin in twins {
        replies.push(twin.await.unwrap());
    }
    let fresh: Vec<_> =
        replies.iter().filter(|reply| reply.header("idempotency-replayed").is_none()).collect();
    let [first] = fresh[..] else { panic!("{} were fresh", fresh.len()) };
    id_in(first);
    assert!(replies.iter().all(|reply| reply.bytes == first.bytes && reply.status == 201));
    assert_eq!((bench.games().await.len(), bench.map.orders().len()), (1, 1));
}

#[tokio::test]
async fn a_twin_of_a_request_that_failed_tries_by_itself() {
    let bench = Bench::in_memory().await;
    bench.map.hold_orders();
    bench.map.set_behaviour(Behaviour::Away);
    let first = tokio::spawn(bench.ask(creation().key("k1")));
    bench.map.orders_received(1).await;
    let twin = tokio::spawn(bench.ask(creation().key("k1")));
    bench.map.release();
    first.await.unwrap().refused(503, "map-unavailable", None);
    let reply = twin.await.unwrap();
    reply.refused(503, "map-unavailable", None);
    assert_eq!(bench.map.orders().len(), 2, "the twin asked the map itself");
}

#[tokio::test]
async fn an_answer_that_is_no_success_is_not_kept() {
    let bench = Bench::in_memory().await;
    bench.map.set_behaviour(Behaviour::Away);
    bench.ask(creation().key("k1")).await.refused(503, "map-unavailable", None);
    bench.map.set_behaviour(Behaviour::Answers);
    let created = bench.ask(creation().key("k1")).await;
    assert_eq!(created.header("idempotency-replayed"), None);
    let game = id_in(&created);

    bench.map.set_behaviour(Behaviour::Away);
    bench.ask(command(game, "start").key("go")).await.refused(503, "map-unavailable", None);
    bench.map.set_behaviour(Behaviour::Answers);
    bench.ask(command(game, "start").key("go")).await.is(201);

    let other = bench.create(5, 3).await;
    bench.ask(command(other, "start").key("go")).await.refused(409, "another-game-runs", None);
    bench.end(game).await.is(201);
    bench.ask(command(other, "start").key("go")).await.is(201);

    let invalid = post("/games").json(&json!({"maxRounds": 5}));
    bench.ask(invalid.key("k2")).await.refused(422, "invalid-field", Some("maxPlayers"));
    bench.ask(creation().key("k2")).await.is(201);
}

#[tokio::test]
async fn an_answer_is_repeated_as_long_as_it_is_kept_also_after_the_wall_clock_was_set() {
    let bench = Bench::in_memory().await;
    let first = bench.ask(creation().key("k1")).await;
    let end = bench.ask(command(id_in(&first), "end").key("k1")).await;
    bench.clock.advance(Duration::from_hours(24 * 365));
    assert_replay(&bench.ask(creation().key("k1")).await, &first);
    assert_replay(&bench.ask(command(id_in(&first), "end").key("k1")).await, &end);
}

#[tokio::test]
async fn an_answer_that_is_kept_no_longer_is_forgotten() {
    let bench = Bench::in_memory().await;
    let first = bench.ask(creation().key("k1")).await;
    let removed = bench.store().remove_answers(EPOCH, bench.wall() + Duration::from_millis(1)).await;
    assert_eq!(removed, Ok(1));
    let again = bench.ask(creation().key("k1")).await;
    assert_eq!(again.header("idempotency-replayed"), None);
    assert_ne!(id_in(&again), id_in(&first));
    assert_replay(&bench.ask(creation().key("k1")).await, &again);
}
