//! The map and the game service over real HTTP: what is sent to them, and how their answers are understood.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::response::IntoResponse as _;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_http_client::{Item, ServiceUrl};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::service::FrameConfig;
use starkeep_robot_service::store::memory;
use starkeep_robot_service::{Config, OtherServices, RobotService};
use starkeep_test_harness::{
    EPOCH, Environment, Harness, Opened, Reply, ServiceUnderTest, StoreKind, StorePlace, get,
};
use starkeep_test_http::{FakeServer, ReceivedRequest};
use uuid::Uuid;

use crate::fake_map::planet_id;
use crate::harness::{GAME, batch, config, ids, mine, move_to, player, spawning, tx};

/// A service that says what the test has told it to.
struct Script {
    server: FakeServer,
    answers: Answers,
}

/// By their paths.
type Answers = Arc<Mutex<BTreeMap<String, (StatusCode, String)>>>;

impl Script {
    async fn start() -> Self {
        let answers = Answers::default();
        let said = answers.clone();
        let server = FakeServer::start(move |asked| {
            let is_order = asked.path.ends_with("/minings");
            if asked.method != if is_order { Method::POST } else { Method::GET } {
                return StatusCode::METHOD_NOT_ALLOWED.into_response();
            }
            let answer = said.lock().unwrap().get(&asked.path).cloned();
            answer.unwrap_or((StatusCode::NOT_FOUND, String::new())).into_response()
        });
        Self { server: server.await, answers }
    }

    fn url(&self) -> ServiceUrl {
        ServiceUrl::local(self.server.address())
    }

    fn say(&self, path: &str, status: u16, body: &impl ToString) {
        let answer = (StatusCode::from_u16(status).unwrap(), body.to_string());
        self.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    fn asked(&self, path: &str) -> Vec<ReceivedRequest> {
        self.server.requests_at(path)
    }
}

pub(crate) struct OverHttp {
    pub(crate) config: Config,
    pub(crate) others: OtherServices,
}

impl ServiceUnderTest for OverHttp {
    type Service = RobotService;

    async fn open(&self, environment: Environment<'_>) -> Opened<RobotService> {
        let Environment { store, replica, clock, chance } = environment;
        let StorePlace::Memory(disturb) = store else { panic!("a store in memory") };
        let store: Arc<dyn starkeep_robot_service::ports::Store> = memory::open(replica, disturb);
        let (common, frame) = (store.clone().common(), self.config.frame.clone());
        let service = RobotService::new(store, self.config.clone(), clock, chance, self.others.clone());
        Opened { service, store: common, frame, relay_to: None }
    }
}

struct Surroundings {
    robots: Harness<OverHttp>,
    map: Script,
    game: Script,
}

impl Surroundings {
    async fn new(dialect: Dialect) -> Self {
        let (map, game) = (Script::start().await, Script::start().await);
        let others = OtherServices { game: game.url(), map: map.url() };
        let frame = FrameConfig {
            dialect,
            admin_token: AdminToken::new(Some("admin".to_owned())),
            ..FrameConfig::default()
        };
        let config = Config { frame, map_timeout: Duration::from_secs(1), ..config() };
        let robots = Harness::open(OverHttp { config, others }, StoreKind::Memory).await;
        let this = Self { robots, map, game };
        for (number, kind, deposit) in
            [(1, "spacestation", Value::Null), (2, "default", json!({"resource_type": "coal"}))]
        {
            let other = planet_id(3 - number);
            let planet = json!({
                "id": planet_id(number), "movement_difficulty": number, "planet_type": kind, "resource": deposit,
                "neighbours": [{"planet_id": other, "movement_difficulty": 3 - number, "direction": "east"}], "more": 1,
            });
            this.map.say(&format!("/planets/{}", planet_id(number)), 200, &planet);
        }
        // A gap tells of the game by the rosters.
        this.miss_events(&json!({"endedGames": [], "games": [{
            "gameId": GAME, "status": "running", "gameworldId": Uuid::nil(), "startMoney": 200, "roundNumber": 1,
            "roundStatus": "command input ended", "players": [],
        }]}))
        .await;
        this
    }

    /// The games are then as these rosters say.
    async fn miss_events(&self, rosters: &Value) {
        self.game.say("/rosters", 200, rosters);
        let gap = starkeep_contract::events::Gap {
            reason: starkeep_contract::events::GapReason::Epoch,
            resumes_after: "p".to_owned(),
        };
        self.robots.service().game_stream().record(EPOCH, &[Item::Gap(gap)], "p".to_owned()).await.unwrap();
    }

    async fn robot(&self, planet: Uuid) -> Uuid {
        ids(&self.robots.ask(spawning(player(1), tx(planet.as_u128() & 0xff), &[planet])).await.is(201))[0]
    }

    async fn mine(&self, robot: Uuid, transaction: u128, status: u16, body: &impl ToString) -> Reply {
        self.map.say(&format!("/planets/{}/minings", planet_id(2)), status, body);
        let sent = batch(&[mine(robot, transaction)]).header("starkeep-timeout-millis", "150");
        self.robots.ask(sent).await
    }

    fn message(&self, transaction: u128) -> String {
        let events = self.robots.stored_events();
        let result = events.iter().rfind(|event| event.transaction == Some(tx(transaction))).unwrap();
        let payload: Value = serde_json::from_str(&result.payload).unwrap();
        payload["message"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn planets_and_minings_are_asked_for_as_the_map_has_them() {
    let all = Surroundings::new(Dialect::Msd).await;
    let station = all.robot(planet_id(1)).await;
    let sent = batch(&[move_to(station, planet_id(2), 20), move_to(station, planet_id(9), 21)]);
    assert_eq!(all.robots.ask(sent).await.status, 202);
    assert_eq!(all.message(21), "The requested planet does not exist");
    let reply = all.mine(station, 22, 201, &json!({"amount_mined": 1, "amount_left": 0})).await;
    assert_eq!(reply.status, 202);
    let path = format!("/planets/{}/minings", planet_id(2));
    let ReceivedRequest { headers, body, .. } = all.map.asked(&path)[0].clone();
    assert_eq!(
        body,
        json!({"mining": {"amount_requested": 2, "transaction_id": tx(22), "robot_id": station}})
    );
    assert_eq!(headers["idempotency-key"], *tx(22).to_string());
    assert_eq!(headers["authorization"], "Bearer admin");
    // Two miners are not named.
    let second = all.robot(planet_id(2)).await;
    all.map.say(&path, 201, &json!({"amount_mined": 4}));
    assert_eq!(all.robots.ask(batch(&[mine(station, 23), mine(second, 24)])).await.status, 202);
    let ReceivedRequest { headers, body, .. } = all.map.asked(&path)[1].clone();
    assert_eq!(body, json!({"mining": {"amount_requested": 4}}));
    assert_eq!(headers["idempotency-key"], *tx(23).to_string());
    assert_eq!(headers["starkeep-round"], "1");
}

#[tokio::test]
async fn the_maps_answers_are_understood() {
    let all = Surroundings::new(Dialect::Msd).await;
    let miner = all.robot(planet_id(2)).await;
    let internal = format!(
        "Unexpected exception occurred: Map Service returned internal error when trying to mine on planet {}",
        planet_id(2)
    );
    for (transaction, status, body, message) in [
        (30, 404, "", format!("Map Service doesn't have a planet with the id {}", planet_id(2))),
        (31, 409, "", internal.clone()),
        (32, 401, "", "Unexpected exception occurred: Could not connect to Map Service".to_owned()),
        (33, 201, "no JSON", internal.clone()),
        (34, 201, r#"{"amount_mined":3}"#, internal),
        (35, 201, r#"{"amount_mined":0}"#, format!("Robot {miner} mined successfully")),
    ] {
        assert_eq!(all.mine(miner, transaction, status, &body).await.status, 202);
        assert_eq!(all.message(transaction), message, "{status} {body}");
    }
    all.mine(miner, 36, 503, &"").await.refused(503, "map-unavailable", None);
    let health = all.robots.ask(get("/health")).await.body["parts"]["map"].clone();
    let told = "it answers 503 Service Unavailable; 1 minings are under way";
    assert!(health["detail"].as_str().unwrap().ends_with(told), "{health}");
    assert_eq!(all.mine(miner, 36, 201, &json!({"amount_mined": 2})).await.status, 202);
    // What cannot be read fails the move, and nothing else.
    all.map.say(&format!("/planets/{}", planet_id(1)), 200, &"no JSON");
    assert_eq!(all.robots.ask(batch(&[move_to(miner, planet_id(1), 40)])).await.status, 202);
    assert_eq!(all.message(40), "Unexpected exception occurred: Could not get planet data from MapService");
}

#[tokio::test]
async fn what_was_deleted_unnoticed_is_gone_and_what_ended_stays_readable() {
    let all = Surroundings::new(Dialect::Msd).await;
    let robot = all.robot(planet_id(1)).await;
    let path = format!("/robots/{robot}");
    all.miss_events(&json!({"games": [], "endedGames": [Uuid::nil(), GAME]})).await;
    assert_eq!(all.robots.ask(get(&path)).await.status, 200);
    let sent = batch(&[mine(robot, 20)]).header("starkeep-game", &GAME.to_string());
    all.robots.ask(sent).await.refused(409, "game-ended", None);
    all.miss_events(&json!({"games": [], "endedGames": [Uuid::nil()]})).await;
    all.robots.ask(get(&path)).await.refused(404, "unknown-robot", None);
}

#[tokio::test]
async fn the_game_service_says_whose_token_it_is() {
    let all = Surroundings::new(Dialect::Standard).await;
    let spawned = spawning(player(1), tx(1), &[planet_id(1)]);
    let robot = ids(&all.robots.ask(spawned).await.is(201))[0];
    let show = || get(format!("/robots/{robot}")).bearer("token");
    all.game.say("/players/me", 500, &"");
    all.robots.ask(show()).await.refused(503, "game-unavailable", None);
    all.game.say("/players/me", 401, &"");
    all.robots.ask(show()).await.refused(401, "unknown-token", None);
    all.game.say("/players/me", 200, &json!({"playerId": player(1), "name": "ada"}));
    assert_eq!(all.robots.ask(show()).await.status, 200);
    assert_eq!(all.game.asked("/players/me")[2].headers["authorization"], "Bearer token");
    // The answer is kept for a moment, and no longer.
    all.game.say("/players/me", 401, &"");
    assert_eq!(all.robots.ask(show()).await.status, 200);
    all.robots.clock.advance(Duration::from_millis(200));
    all.robots.ask(show()).await.refused(401, "unknown-token", None);
    assert_eq!(all.game.asked("/rosters")[0].headers["authorization"], "Bearer admin");
}
