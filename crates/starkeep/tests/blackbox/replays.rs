//! A replay of a game that was really played: every event of the four services is in it, by round, and the deposits of the
//! gameworld as it was made lead to what the map shows at the end.

use std::collections::HashMap;

use serde_json::{Value, json};
use starkeep_client::GameClient;
use starkeep_contract::GameId;
use starkeep_contract::events::Publisher;
use starkeep_contract::replay::{ReplayEvent, ReplayHeader};
use starkeep_test_http::within_limit;

use crate::bot_game::BotGame;
use crate::whole_game::{events_about, serve};

const SERVICES: [Publisher; 4] = [Publisher::Game, Publisher::Map, Publisher::Robot, Publisher::Trading];

#[tokio::test]
async fn a_replay_has_every_event_of_all_services_by_round() {
    let (program, _home) = serve(&["--replenish-every", "10s"]).await;
    let played = BotGame::play(&program, 3, 4, 40).await;
    let game: Value = played.events.iter().find_map(|event| event["about"].get("gameId").cloned()).unwrap();
    let client = GameClient::new(&format!("http://{}", program.address("game"))).unwrap();
    let game: GameId = serde_json::from_value(game).unwrap();
    let world = client.game(game).await.unwrap().gameworld_id.unwrap();
    // The last replenishment comes after the last round, and then nothing any more.
    let status =
        || async { program.map().get(&format!("/gameworlds/{world}")).await.expect(200)["status"].take() };
    within_limit("the gameworld's end", async { while status().await != "inactive" {} }).await;
    let text = client.replay(game).await.unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let header: ReplayHeader = serde_json::from_str(first).unwrap();
    assert_eq!((header.players.len(), header.game.max_rounds), (4, 40));
    let events: Vec<ReplayEvent> = rest.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    // Exactly what the services' own pages show, however it is ordered.
    let as_told = |event: &Value| (event["channel"].to_string(), event["id"].to_string(), event.to_string());
    let mut told: Vec<_> = events.iter().map(|event| as_told(&json!(event.event))).collect();
    let mut expected = events_about(&program.map(), &format!("gameworld_id={world}")).await;
    for service in [program.game(), program.robot(), program.trading()] {
        expected.extend(events_about(&service, &format!("gameId={game}")).await);
    }
    let mut expected: Vec<_> = expected.iter().map(as_told).collect();
    told.sort();
    expected.sort();
    assert_eq!(told, expected);
    assert!(SERVICES.iter().all(|service| events.iter().any(|event| event.service == *service)));
    let rounds: Vec<_> = events.iter().filter_map(|event| event.event.about.round_number).collect();
    assert!(rounds.is_sorted() && rounds.last() == Some(&40), "{rounds:?}");

    // What was mined and replenished tells how full each deposit is.
    let mut amounts: HashMap<Value, Value> = header
        .planets
        .iter()
        .filter_map(|placed| placed.planet.resource.as_ref())
        .map(|resource| (json!(resource.id), json!(resource.current_amount)))
        .collect();
    for event in events.iter().map(|event| &event.event) {
        match event.headers.r#type.as_str() {
            "resource-mined" => {
                assert!(event.about.round_number.is_some(), "a mining says its round");
                amounts.insert(event.payload["resource_id"].clone(), event.payload["amount_left"].clone());
            }
            "resource-replenished" => {
                assert!(event.about.round_number.is_some(), "a replenishment says its round");
                amounts.insert(event.payload["resource"].clone(), json!(10_000));
            }
            _ => {}
        }
    }
    assert_eq!(header.gameworld.map(|gameworld| gameworld.id), Some(world));
    let chart = program.map().get(&format!("/gameworlds/{world}/planets")).await.expect(200);
    let resources = chart.as_array().unwrap().iter().map(|planet| &planet["resource"]);
    for resource in resources.filter(|resource| !resource.is_null()) {
        assert_eq!(amounts[&resource["id"]], resource["current_amount"], "{resource}");
    }
}
