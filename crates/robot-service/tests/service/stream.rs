//! The game service's event stream over real HTTP: where it begins, and what `/health` says while it is not reached.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::IntoResponse as _;
use futures::stream::{self, StreamExt as _};
use http::StatusCode;
use serde_json::{Value, json};
use starkeep_http_client::ServiceUrl;
use starkeep_robot_service::OtherServices;
use starkeep_test_harness::{Harness, StoreKind, get};
use starkeep_test_http::{FakeServer, ReceivedRequest};
use uuid::Uuid;

use crate::gateways::OverHttp;
use crate::harness::{GAME, config};

/// A game service whose first stream breaks off after a gap; the next one stays.
async fn game_service() -> FakeServer {
    let streams = AtomicUsize::new(0);
    let rosters = json!({"endedGames": [], "games": [{
        "gameId": GAME, "status": "running", "gameworldId": Uuid::nil(), "startMoney": 200, "roundNumber": 1,
        "roundStatus": "command input ended", "players": [],
    }]});
    let answer = move |asked: &ReceivedRequest| match &*asked.line() {
        "GET /events" => {
            let text = |text: &'static str| stream::iter([Ok::<_, Infallible>(Bytes::from(text))]);
            let body = if streams.fetch_add(1, Ordering::Relaxed) == 0 {
                Body::from_stream(text(
                    "event: gap\ndata: {\"reason\":\"unreadable\",\"resumesAfter\":\"p\"}\n\n",
                ))
            } else {
                Body::from_stream(text(": hello\n\n").chain(stream::pending()))
            };
            ([("content-type", "text/event-stream")], body).into_response()
        }
        "GET /rosters" => rosters.to_string().into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    };
    FakeServer::start(answer).await
}

async fn games_are(robots: &Harness<OverHttp>, expected: Value) {
    let mut shown = Value::Null;
    for _ in 0..100_000 {
        shown = robots.ask(get("/health")).await.body["parts"]["games"].clone();
        if shown == expected {
            return;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn it_begins_with_the_games_that_there_are_and_health_says_where_it_is_not_reached() {
    let service = game_service().await;
    let game = ServiceUrl::local(service.address());
    let others = OtherServices { map: game.clone(), game };
    let robots = Harness::open(OverHttp { config: config(), others }, StoreKind::Memory).await;
    robots.start_tasks();
    let away = "the game service cannot be reached, so nothing is known of new rounds; 1 followed, 1 run";
    games_are(&robots, json!({"status": "degraded", "detail": away})).await;
    let asked = service.requests_at("/events").swap_remove(0);
    assert!(asked.query.starts_with("after=nowhere&"), "{asked:?}");
    robots.clock.advance(Duration::from_secs(10));
    games_are(&robots, json!({"status": "ok", "detail": "1 followed, 1 run"})).await;
    robots.stop_tasks().await;
}
