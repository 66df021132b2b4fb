//! The map in `/health`: a map that is away or unhealthy is reported before a game needs it, and so is its return.
//! What a map that is away means for games is in `map_faults`.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get as on_get;
use futures::FutureExt;
use http::StatusCode;
use serde_json::{Value, json};
use starkeep_game_service::ports::{MapFault, MapGateway};
use starkeep_game_service::{HttpMap, ServiceUrl};
use starkeep_platform::clock::ManualClock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_test_harness::{START, get};
use starkeep_test_http::LocalServer;
use tokio::sync::Notify;

use crate::fake_map::Behaviour;
use crate::harness::Bench;

const BETWEEN_PROBES: Duration = Duration::from_secs(2);

async fn map_part(bench: &Bench) -> (Value, Value) {
    let mut health = bench.ask(get("/health")).await.is(200);
    (health["status"].take(), health["parts"]["map"]["detail"].take())
}

#[tokio::test]
async fn health_follows_the_map_without_a_game_that_needs_it() {
    let bench = Bench::in_memory().await;
    bench.start_tasks();
    bench.map.probes_answered(1).await;
    assert_eq!(map_part(&bench).await.0, "ok");

    bench.map.set_behaviour(Behaviour::Away);
    bench.clock.advance(BETWEEN_PROBES);
    bench.map.probes_answered(2).await;
    let (status, detail) = map_part(&bench).await;
    assert_eq!(status, "degraded");
    assert!(detail.as_str().unwrap().contains("http://map"), "{detail}");

    bench.map.set_behaviour(Behaviour::Answers);
    bench.clock.advance(BETWEEN_PROBES);
    bench.map.probes_answered(3).await;
    assert_eq!(map_part(&bench).await.0, "ok");
    bench.stop_tasks().await;
    let tasks = bench.leader().states();
    assert!(["clean-up", "map-watch"].iter().all(|task| tasks.contains_key(*task)), "{tasks:?}");
    assert!(bench.map.orders().is_empty(), "a probe makes nothing");
}

/// A map of real sockets, and a gateway to it on a clock that stands still.
pub(crate) async fn map_with(routes: Router) -> (HttpMap, Arc<ManualClock>, LocalServer) {
    let server = LocalServer::start(routes).await;
    let clock = ManualClock::new(START.parse().expect("a time stamp"));
    let url = ServiceUrl::local(server.address());
    let map = HttpMap::new(url, &AdminToken::default(), clock.clone(), Duration::from_mins(1));
    (map, clock, server)
}

#[tokio::test]
async fn a_map_that_answers_is_there_also_if_it_knows_no_such_route() {
    for routes in [Router::new(), Router::new().route("/health", on_get(|| async { "well" }))] {
        let (map, _, _server) = map_with(routes).await;
        assert_eq!((map.probe().await, map.fault()), (Ok(()), None));
    }
}

#[tokio::test]
async fn a_map_that_is_unwell_says_which_part_of_it() {
    let health = json!({
        "status": "failing", "service": "map", "version": "1", "dialect": "standard", "tasks": {},
        "parts": {
            "books": {"status": "ok", "detail": "all books balance"},
            "storage": {"status": "failing", "detail": "cannot be written: the disk is full"},
        },
    });
    let unwell = move || async move { (StatusCode::SERVICE_UNAVAILABLE, axum::Json(health)) };
    let (map, _, _server) = map_with(Router::new().route("/health", on_get(unwell))).await;
    let fault = map.probe().await.unwrap_err();
    assert!(
        matches!(&fault, MapFault::Refused { status: 503, reason, .. }
        if reason == "its storage cannot be written: the disk is full"),
        "{fault}"
    );
    assert_eq!(map.fault(), Some(fault));
}

#[tokio::test]
async fn a_map_that_hangs_is_not_waited_for_as_long_as_an_order_may_take() {
    let asked = Arc::new(Notify::new());
    let arrived = asked.clone();
    let hangs = move || async move {
        arrived.notify_one();
        std::future::pending::<()>().await;
    };
    let (map, clock, _server) = map_with(Router::new().route("/health", on_get(hangs))).await;
    let mut probe = map.probe();
    tokio::select! {
        seen = &mut probe => panic!("{seen:?}"),
        () = asked.notified() => {}
    }
    clock.advance(Duration::from_millis(1_999));
    assert_eq!((&mut probe).now_or_never(), None);
    clock.advance(Duration::from_millis(1));
    assert!(matches!(probe.now_or_never(), Some(Err(MapFault::Away { .. }))));
    assert!(map.fault().is_some());
}

#[tokio::test]
async fn a_map_that_died_is_away() {
    let (map, _, server) = map_with(Router::new()).await;
    server.stop().await;
    assert!(matches!(map.probe().await, Err(MapFault::Away { .. })));
}
