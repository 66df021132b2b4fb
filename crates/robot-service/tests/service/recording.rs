//! What the game service's events tell: recorded with their position, once, also over gaps and restarts.

use serde_json::json;
use starkeep_contract::events::{Channel, Gap, GapReason};
use starkeep_core_types::WorldId;
use starkeep_executor::{GameChange, GameEvent, RoundState};
use starkeep_http_client::Item;
use starkeep_platform::lease::Epoch;
use starkeep_robot_core::GameId;
use starkeep_test_harness::{EPOCH, get};
use uuid::Uuid;

use crate::harness::{Bench, GAME, batch, event, player, regenerate, spawning, tx};

fn stored_position(bench: &Bench) -> Option<String> {
    bench.database().query_row("SELECT position FROM game_stream", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_position_is_kept_with_what_was_learned_and_not_without() {
    let mut bench = Bench::on_file().await;
    bench.receive(Channel::Status, json!({"gameId": GAME, "status": "created"})).await;
    let after_created = stored_position(&bench);
    assert!(after_created.is_some());
    // Nothing of this matters to robots, so it costs no commit.
    bench.round(GAME, 1, "started").await;
    bench.receive(Channel::Status, json!({"gameId": GAME, "status": "created"})).await;
    bench.roster(GAME, "joined").await;
    assert_eq!(stored_position(&bench), after_created);
    bench.roster(GAME, "started").await;
    let after_start = stored_position(&bench);
    assert_ne!(after_start, after_created);
    bench.restart().await;
    let games = bench.ask(get("/health")).await.body["parts"]["games"]["detail"].clone();
    assert_eq!((games, stored_position(&bench)), (json!("1 followed, 1 run"), after_start));
}

#[tokio::test]
async fn a_round_that_was_read_costs_no_commit_and_is_written_with_the_next_one() {
    let mut bench = Bench::on_file().await;
    bench.receive(Channel::Status, json!({"gameId": GAME, "status": "created"})).await;
    bench.roster(GAME, "started").await;
    let after_start = stored_position(&bench);
    let of_round = |round: u32| {
        let batch = batch(&[regenerate(Uuid::nil(), 1)]).header("starkeep-game", &GAME.to_string());
        batch.header("starkeep-round", &round.to_string()).header("starkeep-timeout-millis", "0")
    };
    let rounds = |bench: &Bench| {
        let round = "SELECT round, round_state FROM followed_game";
        bench.database().query_row(round, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    };
    bench.ask(of_round(1)).await.refused(503, "round-not-reached", None);
    bench.round(GAME, 1, "command input ended").await;
    assert_eq!(bench.ask(of_round(1)).await.status, 202);
    bench.ask(of_round(2)).await.refused(503, "round-not-reached", None);
    assert_eq!((stored_position(&bench), rounds(&bench)), (after_start, (0, "init".to_owned())));

    // A restart reads it again.
    bench.restart().await;
    bench.ask(of_round(1)).await.refused(503, "round-not-reached", None);
    bench.round(GAME, 1, "command input ended").await;
    assert_eq!(bench.ask(of_round(1)).await.status, 202);

    bench.receive(Channel::Status, json!({"gameId": Uuid::nil(), "status": "created"})).await;
    bench.restart().await;
    assert_eq!(bench.ask(of_round(1)).await.status, 202, "the position is after it, so it is not read again");
}

/// A replica that led before, and leads again, does not commit what it read then: another one may have committed more since,
/// even that the game was deleted.
#[tokio::test]
async fn a_task_that_begins_anew_forgets_what_it_read_and_did_not_commit() {
    let bench = Bench::on_file().await;
    bench.receive(Channel::Status, json!({"gameId": GAME, "status": "created"})).await;
    bench.round(GAME, 5, "command input ended").await;
    assert_eq!(Some(bench.service().game_stream().begin()), stored_position(&bench));
    bench.roster(Uuid::nil(), "ended").await;
    let round =
        bench.database().query_row("SELECT round FROM followed_game WHERE status = 'created'", [], |row| {
            row.get::<_, u32>(0)
        });
    assert_eq!(round, Ok(0));
}

#[tokio::test]
async fn a_leader_that_leads_again_brings_no_deleted_game_back() {
    let first = Bench::new().await;
    let second = first.another_replica().await;
    first.receive(Channel::Status, json!({"gameId": GAME, "status": "created"})).await;
    first.round(GAME, 5, "command input ended").await;
    first.memory().take_lease_away();
    second.memory().give_lease(Epoch(2));
    let deleted = json!({
        "gameId": GAME, "change": "deleted", "playerId": null, "gameworldId": null, "startMoney": null,
    });
    let deleted = event("later", Channel::GameRoster, deleted);
    second.service().game_stream().record(Epoch(2), &[deleted], "later".to_owned()).await.unwrap();
    second.memory().take_lease_away();
    first.memory().give_lease(Epoch(3));
    let stream = first.service().game_stream();
    assert_eq!(stream.begin(), "later");
    let other = event("last", Channel::Status, json!({"gameId": Uuid::nil(), "status": "created"}));
    stream.record(Epoch(3), &[other], "last".to_owned()).await.unwrap();
    let games = first.ask(get("/health")).await.body["parts"]["games"]["detail"].clone();
    assert_eq!(games, "1 followed, 0 run");
}

/// Whoever was away for long catches up with few commits.
#[tokio::test]
async fn what_is_there_is_one_decision() {
    let bench = Bench::on_file().await;
    let other = Uuid::from_u128(5);
    let tell = |game, change| GameEvent { game: GameId(game), change };
    bench.game_service.set_missed(vec![tell(other, GameChange::Created), tell(GAME, GameChange::Ended)]);
    let items = vec![
        event("1", Channel::Status, json!({"gameId": GAME, "status": "created"})),
        event("2", Channel::RoundStatus, json!({"gameId": "x"})),
        Item::Gap(Gap { reason: GapReason::Expired, resumes_after: "3".to_owned() }),
        event("4", Channel::Status, json!({"gameId": other, "status": "ended"})),
        event("5", Channel::Status, json!({"gameId": Uuid::nil(), "status": "created"})),
    ];
    let decisions = async || {
        let metrics = bench.metrics().await;
        let line = metrics.lines().find(|line| line.starts_with("starkeep_store_decisions_total"));
        line.unwrap().rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let before = decisions().await;
    bench.service().game_stream().record(EPOCH, &items, "5".to_owned()).await.unwrap();
    assert_eq!((decisions().await - before, stored_position(&bench).as_deref()), (1, Some("5")));
    let known = bench.game_service.asked_with();
    assert!(
        known.get(GameId(GAME)).is_some(),
        "what came before the gap is known when the games are asked for"
    );
    // Where nothing was known before, nothing was missed.
    let games = bench.ask(get("/health")).await.body["parts"]["games"].clone();
    assert_eq!(games, json!({"status": "ok", "detail": "3 followed, 0 run"}));
    let of = |game: Uuid| batch(&[regenerate(Uuid::nil(), 1)]).header("starkeep-game", &game.to_string());
    for ended in [GAME, other] {
        bench.ask(of(ended)).await.refused(409, "game-ended", None);
    }
    assert_eq!(bench.ask(of(Uuid::nil())).await.status, 202);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_stops_nothing() {
    let bench = Bench::new().await;
    bench.receive(Channel::RoundStatus, json!({"gameId": "x"})).await;
    bench.start_game(GAME).await;
    assert_eq!(bench.ask(batch(&[regenerate(Uuid::nil(), 1)])).await.status, 202);
}

#[tokio::test]
async fn after_a_gap_the_games_are_asked_for_and_until_then_health_says_so() {
    let mut bench = Bench::on_file().await;
    let planets = bench.two_planets(9);
    bench.start_game(GAME).await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let other = Uuid::from_u128(5);
    let before = stored_position(&bench);
    let gap = || Item::Gap(Gap { reason: GapReason::Expired, resumes_after: "later".to_owned() });
    bench.game_service.set_away(true);
    let stream = bench.service().game_stream();
    stream.record(EPOCH, &[gap()], "later".to_owned()).await.unwrap_err();
    let games = bench.ask(get("/health")).await.body["parts"]["games"].clone();
    assert_eq!(games["status"], "degraded");
    assert!(games["detail"].as_str().unwrap().contains("nobody is there"), "{games}");
    assert_eq!(stored_position(&bench), before, "a new process meets the same gap");

    bench.game_service.set_away(false);
    let tell = |game, change| GameEvent { game: GameId(game), change };
    bench.game_service.set_missed(vec![
        tell(GAME, GameChange::Ended),
        tell(other, GameChange::Created),
        tell(other, GameChange::Started { world: WorldId(Uuid::nil()) }),
        tell(other, GameChange::Round { number: 4, state: RoundState::InputEnded }),
    ]);
    let at = bench.wall();
    stream.record(EPOCH, &[gap()], "later".to_owned()).await.unwrap();
    drop(stream);
    for is_restarted in [false, true] {
        if is_restarted {
            bench.restart().await;
        }
        assert_eq!(stored_position(&bench).as_deref(), Some("later"));
        let health = bench.ask(get("/health")).await.body;
        let detail = format!(
            "2 followed, 1 run; events of the game service were missed, and its games were asked for at {at}"
        );
        assert_eq!(health["parts"]["games"], json!({"status": "ok", "detail": detail}));
        let sent = batch(&[regenerate(robot, 2)]).header("starkeep-game", &GAME.to_string());
        bench.ask(sent).await.refused(409, "game-ended", None);
        let spawn = spawning(player(1), tx(3), &[planets.station]).header("starkeep-round", "4");
        assert_eq!(bench.ask(spawn).await.status, 201);
    }
}

#[tokio::test]
async fn a_deleted_game_leaves_nothing_behind() {
    for is_missed in [false, true] {
        let mut bench = Bench::on_file().await;
        let planets = bench.two_planets(9);
        bench.start_game(GAME).await;
        let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
        bench.map.behave(crate::fake_map::Behaviour::LosesItsAnswer);
        let sent = batch(&[crate::harness::mine(robot, 2)]).header("starkeep-timeout-millis", "10");
        bench.ask(sent).await.refused(503, "map-unavailable", None);
        assert_eq!(bench.count("intent"), 1);
        if is_missed {
            // It ended unnoticed, too.
            let deleted = GameEvent { game: GameId(GAME), change: GameChange::Deleted };
            bench.game_service.set_missed(vec![deleted]);
            let gap = Item::Gap(Gap { reason: GapReason::Expired, resumes_after: "later".to_owned() });
            bench.service().game_stream().record(EPOCH, &[gap], "later".to_owned()).await.unwrap();
        } else {
            bench.roster(GAME, "ended").await;
            bench.roster(GAME, "deleted").await;
        }
        for table in ["intent", "robot", "spawned", "book", "executed", "carried_out", "followed_game"] {
            assert_eq!(bench.count(table), 0, "{table}");
        }
        bench.service().mining_settler().step().await.unwrap();
        bench.assert_books_balance().await;
        bench.restart().await;
        bench.assert_books_balance().await;
    }
}

#[tokio::test]
async fn robots_of_a_player_who_was_taken_out_stay_and_act() {
    let mut bench = Bench::on_file().await;
    let planets = bench.two_planets(9);
    bench.start_game(GAME).await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let before = (bench.robot(robot).await, bench.told());
    let left = json!({
        "gameId": GAME, "change": "left", "playerId": player(1), "gameworldId": null, "startMoney": null,
    });
    bench.receive(Channel::GameRoster, left).await;
    for is_restarted in [false, true] {
        if is_restarted {
            bench.restart().await;
        }
        assert_eq!((bench.robot(robot).await, bench.told()), before);
    }
    // What was accepted before is carried out.
    bench.execute(&[crate::harness::move_to(robot, planets.coal, 2)]).await;
    assert_eq!(bench.robot(robot).await["planet"], json!(planets.coal));
}
