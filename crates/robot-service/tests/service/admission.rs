//! Which game a batch is for, and when it is executed: its round is waited for, and batches of a game take turns.

use std::time::Duration;

use futures::FutureExt as _;
use starkeep_test_harness::TestRequest;
use uuid::Uuid;

use crate::harness::{Bench, GAME, TwoPlanets, batch, mine, player, regenerate, spawning, tx};

const OTHER: Uuid = Uuid::from_u128(0x6b << 120);

fn of(request: TestRequest, game: Uuid, round: Option<u32>) -> TestRequest {
    let request = request.header("starkeep-game", &game.to_string());
    match round {
        Some(round) => request.header("starkeep-round", &round.to_string()),
        None => request,
    }
}

async fn one_robot() -> (Bench, TwoPlanets, Uuid) {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    (bench, planets, robot)
}

#[tokio::test]
async fn without_a_name_the_only_running_game_is_meant() {
    let bench = Bench::new().await;
    let planets = bench.two_planets(9);
    let (commands, spawn) =
        (batch(&[regenerate(Uuid::nil(), 2)]), spawning(player(1), tx(1), &[planets.station]));
    for request in [&commands, &spawn] {
        bench.waiting_in_vain(request.clone()).await.refused(409, "not-one-running-game", None);
        bench.waiting_in_vain(of(request.clone(), GAME, None)).await.refused(404, "unknown-game", None);
    }
    bench.start_game(GAME).await;
    assert_eq!(bench.ask(spawn.clone()).await.status, 201);
    assert_eq!(bench.ask(commands.clone()).await.status, 202);
    bench.start_game(OTHER).await;
    for request in [&commands, &spawn] {
        bench.ask(request.clone()).await.refused(409, "not-one-running-game", None);
    }
    bench.roster(GAME, "ended").await;
    assert_eq!(bench.ask(commands.clone()).await.status, 202);
    for request in [&commands, &spawn] {
        bench.ask(of(request.clone(), GAME, Some(1))).await.refused(409, "game-ended", None);
    }
    bench.roster(GAME, "deleted").await;
    bench.waiting_in_vain(of(commands, GAME, None)).await.refused(404, "unknown-game", None);
}

#[tokio::test]
async fn a_game_that_was_started_just_now_is_waited_for() {
    let bench = Bench::new().await;
    let planets = bench.two_planets(9);
    let mut spawn = bench.ask(spawning(player(1), tx(1), &[planets.station])).boxed();
    assert!(futures::poll!(&mut spawn).is_pending());
    bench.start_game(GAME).await;
    assert_eq!(spawn.await.status, 201);
}

#[tokio::test]
async fn robots_of_another_game_are_unknown_to_a_batch() {
    let (bench, _, robot) = one_robot().await;
    bench.start_game(OTHER).await;
    assert_eq!(bench.ask(of(batch(&[regenerate(robot, 2)]), OTHER, None)).await.status, 202);
    assert_eq!(bench.result_of(tx(2))["message"], format!("Robot with ID {robot} not found"));
}

#[tokio::test]
async fn a_batch_waits_for_the_events_of_its_round() {
    let (bench, planets, robot) = one_robot().await;
    let (mut commands, mut spawn) = (
        bench.ask(of(batch(&[regenerate(robot, 2)]), GAME, Some(2))).boxed(),
        bench.ask(of(spawning(player(1), tx(3), &[planets.station]), GAME, Some(2))).boxed(),
    );
    assert!(futures::poll!(&mut commands).is_pending());
    assert!(futures::poll!(&mut spawn).is_pending());
    bench.round(GAME, 2, "started").await;
    assert!(futures::poll!(&mut commands).is_pending(), "its input has not ended");
    bench.round(GAME, 2, "command input ended").await;
    assert_eq!((commands.await.status, spawn.await.status), (202, 201));
    // An earlier round is known as well.
    assert_eq!(bench.ask(of(batch(&[regenerate(robot, 4)]), GAME, Some(1))).await.status, 202);
}

#[tokio::test]
async fn a_batch_whose_round_does_not_come_in_time_is_not_executed() {
    let (bench, _, robot) = one_robot().await;
    for game in [GAME, OTHER] {
        let sent = of(batch(&[regenerate(robot, 2)]), game, Some(2)).header("starkeep-timeout-millis", "700");
        let mut sent = bench.ask(sent).boxed();
        assert!(futures::poll!(&mut sent).is_pending());
        bench.clock.advance(Duration::from_millis(699));
        assert!(futures::poll!(&mut sent).is_pending());
        bench.clock.advance(Duration::from_millis(1));
        sent.await.refused(503, "round-not-reached", None);
    }
    assert_eq!(bench.results_of(tx(2)).len(), 0);
}

/// Batches of a game take turns in the order in which they came; another game's do not wait.
#[tokio::test]
async fn batches_of_a_game_take_turns() {
    let (bench, planets, _) = one_robot().await;
    bench.start_game(OTHER).await;
    let spawned = bench.ask(of(spawning(player(1), tx(2), &[planets.coal]), GAME, None)).await.is(201);
    let robot = crate::harness::ids(&spawned)[0];
    bench.map.hold_answers();
    let mut first = bench.ask(of(batch(&[mine(robot, 3)]), GAME, None)).boxed();
    assert!(futures::poll!(&mut first).is_pending());
    let late = of(batch(&[regenerate(robot, 4)]), GAME, None).header("starkeep-timeout-millis", "10");
    let (mut second, mut late) =
        (bench.ask(of(batch(&[regenerate(robot, 5)]), GAME, None)).boxed(), bench.ask(late).boxed());
    assert!(futures::poll!(&mut second).is_pending() && futures::poll!(&mut late).is_pending());
    assert_eq!(bench.ask(of(batch(&[regenerate(robot, 6)]), OTHER, None)).await.status, 202);
    bench.clock.advance(Duration::from_millis(10));
    late.await.refused(503, "round-not-reached", None);
    assert_eq!(bench.results_of(tx(5)).len(), 0);
    bench.map.release();
    assert_eq!((first.await.status, second.await.status), (202, 202));
    let told: Vec<_> =
        bench.told_after(0).into_iter().filter_map(|(_, transaction, _)| transaction).collect();
    let place = |transaction| told.iter().position(|of| *of == tx(transaction)).unwrap();
    assert!(place(3) < place(5));
    assert_eq!(bench.results_of(tx(4)).len(), 0);
}

/// Whoever names a round that never comes waits alone, and not for ever.
#[tokio::test]
async fn a_batch_that_waits_for_its_round_holds_up_no_other() {
    let (bench, _, robot) = one_robot().await;
    let far = of(batch(&[regenerate(robot, 2)]), GAME, Some(999_999));
    let mut far = bench.ask(far.header("starkeep-timeout-millis", &u64::MAX.to_string())).boxed();
    assert!(futures::poll!(&mut far).is_pending());
    let near = bench.ask(of(batch(&[regenerate(robot, 3)]), GAME, Some(1)));
    assert_eq!(near.now_or_never().expect("it waits for nobody").status, 202);
    bench.clock.advance(Duration::from_mins(1));
    far.await.refused(503, "round-not-reached", None);
}

/// A round goes on without a batch that came to nothing in time: it must not be executed afterwards.
#[tokio::test]
async fn a_batch_whose_time_is_over_while_the_map_is_asked_is_not_executed() {
    let (bench, planets, robot) = one_robot().await;
    let miner = bench.spawn(player(1), tx(2), &[planets.coal]).await[0];
    for command in [crate::harness::move_to(robot, planets.coal, 3), mine(miner, 4)] {
        let told = bench.told();
        bench.map.hold_planets();
        let sent = batch(std::slice::from_ref(&command)).header("starkeep-timeout-millis", "50");
        let mut sent = bench.ask(sent).boxed();
        assert!(futures::poll!(&mut sent).is_pending());
        bench.clock.advance(Duration::from_millis(51));
        bench.map.release();
        sent.await.refused(503, "round-not-reached", None);
        assert_eq!((bench.told(), bench.map.given()), (told, 0));
        // In time it is.
        let _ = bench.send(&[command]).await;
        assert!(bench.told() > told);
    }
}

#[tokio::test]
async fn headers_that_cannot_be_read_are_refused() {
    let (bench, _, robot) = one_robot().await;
    for header in ["starkeep-game", "starkeep-round", "starkeep-seed", "starkeep-timeout-millis"] {
        let sent = batch(&[regenerate(robot, 2)]).header(header, "x");
        bench.ask(sent).await.refused(422, "invalid-parameter", Some(header));
    }
}
