//! The tasks that listen to the game and map services over HTTP: what they show, and what health says of them.

use starkeep_platform::store::Store as _;
use starkeep_trading_service::store::Trading;
use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use futures::{StreamExt as _, stream};
use http::StatusCode;
use serde_json::{Value, json};
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::SystemClock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::Front;
use starkeep_platform::http::read_up_to;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed};
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{EPOCH, store_in};
use starkeep_test_http::{FakeServer, ReceivedRequest, within_limit};
use starkeep_trading_service::{Config, OtherServices, ServiceUrl, TradingService};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::harness::{A, GAME, WORLD, event, place};

/// A map that knows nothing.
async fn empty_map() -> FakeServer {
    FakeServer::start(|_| StatusCode::NOT_FOUND.into_response()).await
}

fn url(server: &FakeServer) -> ServiceUrl {
    ServiceUrl::local(server.address())
}

/// A service with a secret of its process.
struct Listening {
    service: Arc<TradingService>,
    framed: Framed,
    leader: Leader,
    router: Front,
    _folder: tempfile::TempDir,
}

impl Listening {
    async fn to(game: ServiceUrl, map: ServiceUrl, admin_token: AdminToken) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = store_in::<Trading>(&folder.path().join("trading.db"), ReplicaId(Uuid::from_u128(1)));
        let config = Config {
            frame: FrameConfig { admin_token, ..FrameConfig::default() },
            service_token: AdminToken::new(Some("s3cret".to_owned())),
            robot_timeout: Duration::from_secs(5),
        };
        let others = OtherServices { game, map, robot: None };
        let (clock, common) = (SystemClock::start(), store.clone().common());
        let service = TradingService::new(store, config.clone(), clock.clone(), SequentialIds::new(), others);
        let leader = Leader::always(clock.clone(), Stop::new());
        let framed = Framed::open(service.clone(), common, clock, config.frame, None).await.unwrap();
        let router = framed.router(&leader);
        Self { service, framed, leader, router, _folder: folder }
    }

    async fn ask(&self, path: &str) -> Value {
        let request = http::Request::get(path).header("accept", "application/json");
        let request = request.body(axum::body::Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        serde_json::from_slice(&read_up_to(response.into_body(), 1 << 20).await.unwrap()).unwrap()
    }

    /// The part `games` of health.
    async fn games(&self) -> (String, String) {
        let part = &self.ask("/health").await["parts"]["games"];
        let text = |field: &str| part[field].as_str().unwrap().to_owned();
        (text("status"), text("detail"))
    }

    async fn stop(&self) {
        self.leader.stop().cancel();
        self.leader.finished().await;
    }
}

fn roster(game: Uuid, change: &str, player: Option<Uuid>, world: Option<Uuid>) -> Value {
    json!({"gameId": game, "change": change, "playerId": player, "gameworldId": world, "startMoney": 200})
}

#[tokio::test]
async fn a_game_service_that_is_away_is_said_and_the_map_never_sees_the_secret_of_the_process() {
    for admin_token in [Some("adm1n"), None] {
        let map = empty_map().await;
        let nobody = ServiceUrl::parse("http://127.0.0.1:9").unwrap();
        let it = Listening::to(nobody, url(&map), AdminToken::new(admin_token.map(str::to_owned))).await;
        assert_eq!(it.games().await.0, "ok", "nobody listens yet");
        let started = event("gameRoster", &place(1), None, roster(GAME, "started", None, Some(WORLD)));
        it.service.record_game_items(EPOCH, &[started], place(1)).await.unwrap();
        it.service.missing_worlds().step(EPOCH).await.unwrap();

        it.framed.start_tasks(&it.leader);
        let is_seen = |path: &str| !map.requests_at(path).is_empty();
        let said = async {
            while !is_seen("/events") || it.games().await.0 == "ok" {
                tokio::task::yield_now().await;
            }
        };
        within_limit("what is said of the game service", said).await;
        let (status, detail) = it.games().await;
        assert!(status == "degraded" && detail.contains("events do not arrive"), "{status}: {detail}");
        it.stop().await;
        assert_eq!(it.games().await.0, "ok", "nobody listens any longer");
        assert!(is_seen(&format!("/gameworlds/{WORLD}")));
        let shown = admin_token.map(|token| format!("Bearer {token}"));
        let seen = map.requests();
        assert!(seen.iter().all(|asked| asked.header("authorization") == shown.as_deref()), "{seen:?}");
    }
}

const NEW: Uuid = Uuid::from_u128(0x9c);

/// A game service whose log ended at 100 when it was asked: a game is over by then, another one begins later.
fn game_service(asked: &ReceivedRequest) -> Response {
    if asked.path == "/rosters" {
        return axum::Json(json!({"games": [], "endedGames": []})).into_response();
    }
    if asked.header("accept") == Some("application/json") {
        return axum::Json(json!({"events": [], "next": place(100), "gap": null})).into_response();
    }
    let gap = format!("event: gap\ndata: {}\n\n", json!({"reason": "expired", "resumesAfter": place(1)}));
    let sent = [
        (2, roster(GAME, "joined", Some(A), None)),
        (100, roster(GAME, "started", None, Some(WORLD))),
        (101, roster(NEW, "joined", Some(A), None)),
    ];
    let sent = sent.map(|(number, payload)| {
        let headers = json!({
            "eventId": Uuid::nil(), "transactionId": "", "version": "1", "timestamp": "", "type": "gameRoster",
        });
        let data = json!({"headers": headers, "payload": payload});
        format!("event: gameRoster\nid: {}\ndata: {data}\n\n", place(number))
    });
    let sent = stream::once(ready(Ok::<_, Infallible>(gap + &sent.concat()))).chain(stream::pending());
    ([("content-type", "text/event-stream")], axum::body::Body::from_stream(sent)).into_response()
}

#[tokio::test]
async fn what_the_game_service_repeats_is_not_taken_for_new() {
    let (game, map) = (FakeServer::start(game_service).await, empty_map().await);
    let it = Listening::to(url(&game), url(&map), AdminToken::default()).await;
    it.framed.start_tasks(&it.leader);
    let banks = loop {
        let page = it.ask("/events?channels=bank-created&after=start&wait=1").await;
        let banks = page["events"].as_array().unwrap().clone();
        if !banks.is_empty() {
            break banks;
        }
    };
    it.stop().await;
    assert_eq!(banks.len(), 1);
    assert_eq!(banks[0]["about"], json!({"gameId": NEW, "playerId": A}));
    assert_eq!(it.games().await.1, "1 games are followed");
}
