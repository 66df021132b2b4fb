//! `GET /games/{gameId}/view`: what a player sees of its game, and who may see it.

use serde_json::{Value, json};
use starkeep_contract::view::ResourcePrices;
use starkeep_game_service::ports::{LookupFault, SeenByPlayer};
use starkeep_test_harness::get;
use uuid::Uuid;

use crate::harness::Bench;

const STATION: &str = "5eed0000-0000-4000-8000-000000000002";

/// A running game, and the token of a player of it.
async fn playing(bench: &Bench) -> (Uuid, String) {
    let (game, (_, token)) = (bench.create(5, 2).await, bench.register("ada").await);
    bench.put_in(game, token).await.is(200);
    bench.start(game).await.is(201);
    (game, token.to_string())
}

fn robot(number: u32) -> Value {
    json!({
        "id": format!("5eed0000-0000-4000-8000-{number:012}"), "player": "5eed0000-0000-4000-8000-000000000004",
        "planet": STATION, "alive": true, "maxHealth": 10, "maxEnergy": 20, "energyRegen": 4, "attackDamage": 1,
        "miningSpeed": 2, "health": 10, "energy": 20, "healthLevel": 0, "damageLevel": 0, "miningSpeedLevel": 0,
        "miningLevel": 0, "energyLevel": 0, "energyRegenLevel": 0, "storageLevel": 0,
        "inventory": { "maxStorage": 20, "usedStorage": 0, "storedCoal": 0, "storedIron": 0, "storedGem": 0,
            "storedGold": 0, "storedPlatin": 0 },
    })
}

fn planet() -> Value {
    json!({
        "id": STATION, "movement_difficulty": 1, "recharge_multiplicator": 2,
        "gameworld_id": "5eed0000-0000-4000-8000-000000000006", "planet_type": "spacestation", "neighbours": [],
        "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z", "resource": null,
    })
}

#[tokio::test]
async fn a_player_sees_money_prices_robots_and_where_they_stand() {
    let bench = Bench::in_memory().await;
    let (game, token) = playing(&bench).await;
    let prices = ResourcePrices { coal: 5, iron: 15, gem: 30, gold: 50, platin: 60 };
    bench.lookups.tells(Ok(SeenByPlayer {
        money: Some(100),
        prices: Some(prices),
        robots: Some(vec![
            serde_json::from_value(robot(8)).unwrap(),
            serde_json::from_value(robot(9)).unwrap(),
        ]),
        planets: Some(vec![serde_json::from_value(planet()).unwrap()]),
    }));
    bench.advance(1_000).await;
    let view = bench.ask(get(format!("/games/{game}/view")).bearer(&token)).await.is(200);
    let expected = json!({
        "gameId": game, "roundNumber": 1, "phase": "collection", "phaseEndsInMillis": 2_000, "money": 100,
        "prices": prices, "robots": [robot(8), robot(9)], "planets": [planet()],
    });
    assert_eq!(view, expected);
    assert_eq!(
        bench.lookups.asked_planets(),
        [STATION.parse::<Uuid>().unwrap()],
        "each planet is asked for once"
    );
}

#[tokio::test]
async fn without_the_services_that_would_tell_there_is_null() {
    let bench = Bench::in_memory().await;
    let (game, token) = playing(&bench).await;
    let view = bench.ask(get(format!("/games/{game}/view")).bearer(&token)).await.is(200);
    for part in ["money", "prices", "robots", "planets"] {
        assert_eq!(view[part], Value::Null, "{part}");
    }
}

#[tokio::test]
async fn a_service_that_does_not_tell_is_named() {
    let bench = Bench::in_memory().await;
    let (game, token) = playing(&bench).await;
    bench.lookups.tells(Err(LookupFault { service: "robot", reason: "it is away".to_owned() }));
    let reply = bench.ask(get(format!("/games/{game}/view")).bearer(&token)).await;
    let detail = reply.refused(503, "executor-unavailable", None);
    assert!(detail.contains("the robot service") && detail.contains("it is away"), "{detail}");
}

#[tokio::test]
async fn only_a_player_of_the_game_sees_it() {
    let bench = Bench::in_memory().await;
    let (game, _) = playing(&bench).await;
    let path = format!("/games/{game}/view");
    bench.ask(get(&path)).await.refused(401, "player-token-needed", None);
    let stranger = bench.register("stranger").await.1.to_string();
    bench.ask(get(&path).bearer(&stranger)).await.refused(409, "not-participating", None);
    let unknown = format!("/games/{}/view", Uuid::nil());
    bench.ask(get(unknown).bearer(&stranger)).await.refused(404, "unknown-game", None);
}
