//! What the game service sends to the map and reads from it: orders, lookups and replenishments on a real socket.
//! An older map that knows neither the new fields nor the new route is understood as well.

use std::sync::{Arc, Mutex};

use axum::extract::Path;
use axum::routing::{get, post};
use axum::{Json, Router};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use starkeep_game_core::{MadeWorld, ReplenishmentMode, WorldId};
use starkeep_game_service::ports::{KnownWorld, MapFault, MapGateway, WorldOrder};
use uuid::Uuid;

use crate::map_health::map_with;

const WORLD: WorldId = WorldId(Uuid::from_u128(0x0f0f_0000_0000_4000_8000_0000_0000_0001));

fn order() -> WorldOrder {
    WorldOrder {
        id: WORLD,
        players: 3,
        rounds: 9,
        seed: Some(7),
        nonce: Some("0123456789abcdefABCDEF0123456789".to_owned()),
        style: Some("symmetric".to_owned()),
    }
}

#[tokio::test]
async fn an_order_has_all_that_the_host_gave_and_asks_for_a_world_in_the_games_time() {
    for (answered, replenishment) in [
        (json!({"id": WORLD.0, "replenishment": "on_request"}), ReplenishmentMode::OnRequest),
        (json!({"id": WORLD.0, "replenishment": "automatic"}), ReplenishmentMode::Automatic),
        (json!({"id": WORLD.0}), ReplenishmentMode::Automatic),
    ] {
        let received = Arc::new(Mutex::new(Value::Null));
        let kept = received.clone();
        let make = move |Json(body): Json<Value>| async move {
            *kept.lock().unwrap() = body;
            (StatusCode::CREATED, Json(answered))
        };
        let (map, _, _server) = map_with(Router::new().route("/gameworlds", post(make))).await;
        assert_eq!(map.make(order()).await, Ok(MadeWorld { id: WORLD, replenishment }));
        assert_eq!(
            *received.lock().unwrap(),
            json!({"gameworld": {
                "player_amount": 3, "round_amount": 9, "seed": 7, "nonce": "0123456789abcdefABCDEF0123456789",
                "style": "symmetric", "replenishment": "on_request", "id": WORLD.0,
            }})
        );
    }
}

#[tokio::test]
async fn what_a_host_did_not_give_is_not_in_the_order() {
    let received = Arc::new(Mutex::new(Value::Null));
    let kept = received.clone();
    let make = move |Json(body): Json<Value>| async move {
        *kept.lock().unwrap() = body;
        (StatusCode::CREATED, Json(json!({"id": WORLD.0})))
    };
    let (map, _, _server) = map_with(Router::new().route("/gameworlds", post(make))).await;
    map.make(WorldOrder { seed: None, nonce: None, style: None, ..order() }).await.unwrap();
    let expected = json!({"gameworld": {
        "player_amount": 3, "round_amount": 9, "replenishment": "on_request", "id": WORLD.0,
    }});
    assert_eq!(*received.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_world_is_looked_up() {
    let known = |is_active, replenishment| Ok(Some(KnownWorld { is_active, replenishment }));
    for (status, body, expected) in [
        (
            200,
            json!({"status": "active", "replenishment": "on_request"}),
            known(true, ReplenishmentMode::OnRequest),
        ),
        (
            200,
            json!({"status": "inactive", "replenishment": "automatic"}),
            known(false, ReplenishmentMode::Automatic),
        ),
        (200, json!({"status": "active", "more": 1}), known(true, ReplenishmentMode::Automatic)),
        (404, json!({}), Ok(None)),
    ] {
        let show = move |Path(id): Path<Uuid>| async move {
            assert_eq!(id, WORLD.0);
            (StatusCode::from_u16(status).unwrap(), Json(body))
        };
        let (map, _, _server) = map_with(Router::new().route("/gameworlds/{id}", get(show))).await;
        assert_eq!(map.look_up(WORLD).await, expected);
        assert_eq!(map.fault(), None);
    }
    for (status, is_away) in [(503, false), (401, false), (200, true)] {
        let show = move || async move { (StatusCode::from_u16(status).unwrap(), "no JSON") };
        let (map, _, _server) = map_with(Router::new().route("/gameworlds/{id}", get(show))).await;
        let fault = map.look_up(WORLD).await.unwrap_err();
        assert_eq!(matches!(fault, MapFault::Away { .. }), is_away, "{fault}");
        assert_eq!(map.fault().is_some(), status == 503, "{status}");
    }
}

#[tokio::test]
async fn a_replenishment_has_an_empty_object_its_round_and_its_key() {
    let key = Uuid::from_u128(5);
    let replenish = move |Path(id): Path<Uuid>, headers: HeaderMap, Json(body): Json<Value>| async move {
        assert_eq!((id, body), (WORLD.0, json!({})));
        assert_eq!(headers["starkeep-round"], "3");
        assert_eq!(headers["idempotency-key"], key.to_string());
        (StatusCode::CREATED, Json(json!({"gameworld_id": WORLD.0, "replenished": []})))
    };
    let path = "/gameworlds/{id}/replenishments";
    let (map, _, _server) = map_with(Router::new().route(path, post(replenish))).await;
    assert_eq!((map.replenish(WORLD, 3, key).await, map.fault()), (Ok(()), None));
}

#[tokio::test]
async fn an_older_map_has_no_such_route_and_is_well() {
    for (routes, status) in [
        (Router::new(), 404),
        (Router::new().route("/gameworlds/{id}/replenishments", get(|| async {})), 405),
    ] {
        let (map, _, _server) = map_with(routes).await;
        let fault = map.replenish(WORLD, 3, Uuid::from_u128(5)).await.unwrap_err();
        assert!(matches!(fault, MapFault::Refused { status: got, .. } if got == status), "{fault}");
        assert!(fault.is_final());
        assert_eq!(map.fault(), None, "it is there");
    }
}
