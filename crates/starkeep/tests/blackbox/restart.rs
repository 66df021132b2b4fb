//! What a killed process finds when it is started again: the same games, gameworlds and amounts, and a running game that
//! goes on as if nothing had been.

use serde_json::{Value, json};
use starkeep_test_http::Caller;

use crate::journal::whole_log;
use crate::two_services::{END, START, TwoServices, path};

/// Everything that can be read of the map: gameworlds, and each page of planets with their deposits.
async fn whole_map(map: &Caller) -> Vec<Value> {
    let mut answers = vec![map.get("/gameworlds").await.expect(200)];
    for page in 1.. {
        let planets = map.get(&format!("/planets?page={page}")).await.expect(200);
        if planets.as_array().unwrap().is_empty() {
            break;
        }
        answers.push(planets);
    }
    answers
}

/// Planets that hold a deposit.
fn rich_planets(answers: &[Value]) -> Vec<&Value> {
    let planets = answers[1..].iter().flat_map(|page| page.as_array().unwrap());
    planets.filter(|planet| !planet["resource"].is_null()).collect()
}

#[tokio::test]
async fn killed_services_find_every_game_and_every_amount() {
    let mut services = TwoServices::with(&["--replenish-every", "0"]).await;
    let (mut ids, mut worlds) = (Vec::new(), Vec::new());
    for number in 0..3 {
        ids.push(services.create().await);
        worlds.push(services.show(&ids[number]).await["gameworldId"].take());
    }
    for (game, command) in [(0, START), (1, END)] {
        services.game().post(&path(&ids[game], command), &Value::Null).await.expect(201);
        assert_eq!(services.proxy.forwarded("PATCH", &worlds[game]).await, 200);
    }
    let map = services.map();
    let before_mining = whole_map(&map).await;
    for (number, planet) in rich_planets(&before_mining).into_iter().enumerate().take(10) {
        let order = json!({ "mining": { "amount_requested": 1_000 * (number + 1) } });
        let minings = format!("/planets/{}/minings", planet["id"].as_str().unwrap());
        let left = map.post(&minings, &order).await.expect(201)["amount_left"].take();
        assert_eq!(left, 10_000 - 1_000 * (number + 1));
    }
    let before = (services.games().await, whole_map(&map).await);
    assert_ne!(before.1, before_mining);
    services.kill_game_service().await;
    services.kill_map_service().await;

    services.start_map_service().await;
    services.start_game_service().await;
    let found = (services.games().await, whole_map(&services.map()).await);
    assert_eq!(found, before);
    let ended = services.game().patch(&path(&ids[0], "/maxRounds"), &json!({ "maxRounds": 0 })).await;
    assert_eq!(ended.expect(200)["gameStatus"], "ended");
}

/// A game with rounds of 100 ms; its id and, once started, its gameworld.
async fn started(services: &TwoServices, rounds: u32) -> (Value, Value) {
    let new = json!({ "maxRounds": rounds, "maxPlayers": 2, "duration": 100 });
    let game = services.game().post("/games", &new).await.expect(201)["gameId"].take();
    let mut shown = services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    (game, shown["gameworldId"].take())
}

#[tokio::test]
async fn a_running_game_goes_on_over_kills_with_no_round_missing_or_doubled_and_ends_by_itself() {
    let mut services = TwoServices::with(&["--max-running-games", "2"]).await;
    let (long, its_world) = started(&services, 25).await;
    let mut round = Value::from(1);
    for _ in 0..3 {
        // The end of a short game is the sign that some rounds of the long one have passed.
        let (_, short_world) = started(&services, 3).await;
        assert_eq!(services.proxy.forwarded("PATCH", &short_world).await, 200);
        services.kill_game_service().await;
        services.start_game_service().await;
        let reached = services.show(&long).await["currentRoundNumber"].take();
        assert!(reached.as_u64() >= round.as_u64(), "{round}, then {reached}");
        round = reached;
    }
    assert_eq!(services.proxy.forwarded("PATCH", &its_world).await, 200);
    let shown = services.show(&long).await;
    assert_eq!((&shown["gameStatus"], &shown["currentRoundNumber"]), (&"ended".into(), &25.into()));
    let time = services.game().get(&path(&long, "/time")).await.expect(200);
    assert_eq!(time["gameTimeInMillis"], 2_500, "every round had its whole length, and no more");

    let program = services.take_game_service();
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    let rounds =
        (1..=25).flat_map(|n| ["started", "command input ended", "ended"].map(|s| (n, s.to_owned())));
    let (status, history) = log(&mut services, &long).await;
    assert_eq!(status, ["created", "started", "ended"]);
    assert_eq!(history, rounds.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_game_that_is_ended_after_a_kill_closes_its_open_round_once() {
    let mut services = TwoServices::new().await;
    let game = services.create().await;
    services.game().post(&path(&game, START), &Value::Null).await.expect(201);
    services.kill_game_service().await;
    services.start_game_service().await;
    let ended =
        services.game().patch(&path(&game, "/maxRounds"), &json!({ "maxRounds": 0 })).await.expect(200);
    assert_eq!((&ended["gameStatus"], &ended["currentRoundNumber"]), (&"ended".into(), &1.into()));
    services.kill_game_service().await;
    let (status, rounds) = log(&mut services, &game).await;
    assert_eq!(status, ["created", "started", "ended"]);
    let words: Vec<_> = rounds.into_iter().map(|(_, word)| word).collect();
    assert_eq!(words, ["started", "command input ended", "ended"]);
}

/// What the log says about the game, in its order: words of the game, and numbers and words of its rounds.
async fn log(services: &mut TwoServices, game: &Value) -> (Vec<String>, Vec<(u64, String)>) {
    services.start_game_service().await;
    let (mut status, mut rounds) = (Vec::new(), Vec::new());
    for event in whole_log(&services.game()).await {
        let payload = &event["payload"];
        let text = |key: &str| payload[key].as_str().unwrap().to_owned();
        match event["channel"].as_str().unwrap() {
            _ if payload["gameId"] != *game => {}
            "status" => status.push(text("status")),
            "roundStatus" => rounds.push((payload["roundNumber"].as_u64().unwrap(), text("roundStatus"))),
            "gameRoster" => {}
            other => panic!("{other}: {payload}"),
        }
    }
    (status, rounds)
}
