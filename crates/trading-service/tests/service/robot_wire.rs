//! Calls to the robot service as they go over HTTP: paths, bodies, keys, headers, and what each answer means.

use starkeep_platform::store::Store as _;
use starkeep_test_harness::store_in;
use starkeep_trading_service::store::Trading;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::SystemClock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::Front;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed};
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_http::{FakeServer, ReceivedRequest};
use starkeep_trading_core::{PlanetId, PlayerId, RobotId};
use starkeep_trading_service::{Config, Item, OtherServices, ServiceUrl, TradingService};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::fake_robots::shown;
use crate::harness::{A, GAME, WORLD, buy, buy_robots, planet, sell, tx};

const ROBOT: Uuid = Uuid::from_u128(0xcafe);

fn answer(asked: &ReceivedRequest) -> Response {
    let robot = || shown(RobotId(ROBOT), PlayerId(A), PlanetId(planet(1)));
    let text = |text: &'static str| text.into_response();
    match (asked.method.clone(), asked.path.trim_start_matches(&format!("/robots/{ROBOT}"))) {
        (Method::GET, "/health") => axum::Json(json!({"executesOnce": true})).into_response(),
        (Method::GET, "") => axum::Json(robot()).into_response(),
        (Method::POST, "/robots") => (StatusCode::CREATED, axum::Json(vec![robot()])).into_response(),
        (Method::POST, "/instant-restore") => text("robot has been restored"),
        (Method::POST, "/upgrades") => {
            let problem =
                starkeep_contract::Problem::new(starkeep_contract::Code::GameEnded, "the level is too high");
            (StatusCode::CONFLICT, axum::Json(problem)).into_response()
        }
        (Method::POST, "/inventory/clearResources") => {
            axum::Json(json!({"coal": 4, "iron": 1, "gem": 0, "gold": 0, "platin": 0})).into_response()
        }
        _ => (StatusCode::NOT_FOUND, "Robot not found").into_response(),
    }
}

/// A service that talks to a robot service over HTTP and has received the events of a game of A.
struct Wired {
    router: Front,
    folder: tempfile::TempDir,
    robots: FakeServer,
}

impl Wired {
    /// With a robot service that answers so.
    async fn to(answer: fn(&ReceivedRequest) -> Response) -> Self {
        let robots = FakeServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let store = store_in::<Trading>(&folder.path().join("trading.db"), ReplicaId(Uuid::from_u128(1)));
        let config = Config {
            frame: FrameConfig::default(),
            service_token: AdminToken::new(Some("s3cret".to_owned())),
            robot_timeout: Duration::from_secs(5),
        };
        let nobody = ServiceUrl::parse("http://127.0.0.1:9").unwrap();
        let others = OtherServices {
            game: nobody.clone(),
            map: nobody,
            robot: Some(ServiceUrl::local(robots.address())),
        };
        let (clock, common) = (SystemClock::start(), store.clone().common());
        let service = TradingService::new(store, config.clone(), clock.clone(), SequentialIds::new(), others);
        let leader = Leader::always(clock.clone(), Stop::new());
        let framed = Framed::open(service.clone(), common, clock, config.frame, None).await.unwrap();
        for (channel, payload) in events_of_a_game() {
            let item = event(channel, &payload);
            let epoch = starkeep_test_harness::EPOCH;
            let recorded = if channel == "gameworld-created" {
                service.record_map_items(epoch, &[item], "1".to_owned()).await
            } else {
                service.record_game_items(epoch, &[item], "1".to_owned()).await
            };
            recorded.unwrap();
        }
        Self { router: framed.router(&leader), folder, robots }
    }

    async fn send(&self, batch: &Value) -> u16 {
        let request = http::Request::post("/commands")
            .header("authorization", "Bearer s3cret")
            .header("starkeep-game", GAME.to_string())
            .header("starkeep-seed", "7")
            .header("starkeep-timeout-millis", "5000")
            .body(axum::body::Body::from(batch.to_string()))
            .unwrap();
        self.router.clone().oneshot(request).await.unwrap().status().as_u16()
    }

    fn trades(&self) -> Vec<Value> {
        let log = rusqlite::Connection::open(self.folder.path().join("trading.db")).unwrap();
        let mut trades =
            log.prepare("SELECT payload FROM event_log WHERE channel = 'trades' ORDER BY position").unwrap();
        let payloads = trades.query_map([], |row| row.get::<_, String>(0)).unwrap();
        payloads.map(|payload| serde_json::from_str(&payload.unwrap()).unwrap()).collect()
    }
}

#[tokio::test]
async fn every_call_is_as_the_robot_service_expects_it() {
    let wired = Wired::to(answer).await;
    let unknown = Uuid::from_u128(0xdead);
    let batch = json!([
        buy_robots(tx(1), A, 1),
        sell(tx(2), A, ROBOT, None),
        buy(tx(3), A, ROBOT, "ENERGY", None),
        buy(tx(4), A, ROBOT, "MAX_ENERGY_1", None),
        sell(tx(5), A, unknown, None),
    ]);
    assert_eq!(wired.send(&batch).await, 200);

    let seen = wired.robots.requests();
    let find =
        |line: &str| seen.iter().find(|asked| asked.line() == line).unwrap_or_else(|| panic!("no {line}"));
    assert!(seen.iter().all(|asked| asked.headers["authorization"] == "Bearer s3cret"));
    let ReceivedRequest { headers, body, .. } = find("POST /robots");
    assert_eq!(body, &json!({"transactionId": tx(1), "player": A, "planets": [planet(1)], "quantity": 1}));
    assert_eq!(headers["idempotency-key"], tx(1).to_string());
    assert_eq!(headers["starkeep-game"], GAME.to_string());
    assert_eq!(headers["starkeep-seed"], "7");
    let ReceivedRequest { headers, body, .. } =
        find(&format!("POST /robots/{ROBOT}/inventory/clearResources"));
    assert_eq!(headers["idempotency-key"], tx(2).to_string());
    assert_eq!(body, &Value::Null);
    let ReceivedRequest { body, .. } = find(&format!("POST /robots/{ROBOT}/instant-restore"));
    assert_eq!(body, &json!({"transactionId": tx(3), "restorationType": "ENERGY"}));
    let ReceivedRequest { body, .. } = find(&format!("POST /robots/{ROBOT}/upgrades"));
    assert_eq!(body, &json!({"transactionId": tx(4), "upgradeType": "MAX_ENERGY", "targetLevel": 1}));

    let trades = wired.trades();
    let messages: Vec<_> = trades.iter().map(|trade| trade["message"].as_str().unwrap()).collect();
    let not_found = format!("Robot with ID {unknown} not found");
    assert_eq!(
        messages,
        [
            "robot-buy successful",
            "resources sold",
            "robot has been restored",
            "the level is too high",
            &not_found
        ]
    );
    let changes: Vec<_> = trades.iter().map(|trade| trade["moneyChangedBy"].as_i64().unwrap()).collect();
    assert_eq!(changes, [-100, 35, -75, 0, 0]);
}

/// As our robot service answers while the map is away.
fn without_a_map(asked: &ReceivedRequest) -> Response {
    if asked.method == Method::GET {
        return axum::Json(json!({"executesOnce": true})).into_response();
    }
    let text = "The map service cannot be reached; no robot was spawned";
    let problem = starkeep_contract::Problem::new(starkeep_contract::Code::MapUnavailable, text);
    (StatusCode::SERVICE_UNAVAILABLE, axum::Json(problem)).into_response()
}

#[tokio::test]
async fn a_purchase_while_the_map_is_away_fails_at_once() {
    let wired = Wired::to(without_a_map).await;
    assert_eq!(wired.send(&json!([buy_robots(tx(1), A, 1)])).await, 200);
    let trades = wired.trades();
    assert_eq!((trades.len(), &trades[0]["success"]), (1, &json!(false)));
    assert_eq!(trades[0]["message"], "The map service cannot be reached; no robot was spawned");
}

fn events_of_a_game() -> Vec<(&'static str, Value)> {
    let roster = |change: &str, player: Option<Uuid>, world: Option<Uuid>| json!({"gameId": GAME, "change": change, "playerId": player, "gameworldId": world, "startMoney": 200});
    vec![
        ("gameworld-created", json!({"id": WORLD, "spacestation_ids": [planet(1)], "status": "active"})),
        ("gameRoster", roster("joined", Some(A), None)),
        ("gameRoster", roster("started", None, Some(WORLD))),
    ]
}

fn event(channel: &str, payload: &Value) -> Item {
    let event = json!({
        "id": "1", "channel": channel, "payload": payload,
        "headers": {"eventId": Uuid::nil(), "transactionId": "", "version": "1", "timestamp": "", "type": channel},
    });
    Item::Event(serde_json::from_value(event).unwrap())
}
