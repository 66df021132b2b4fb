//! The game service's event stream over real HTTP: where it begins, and what `/health` says while it is not reached.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::RawQuery;
use axum::routing::get as on_get;
use futures::stream::{self, StreamExt as _};
use serde_json::{Value, json};
use starkeep_http_client::ServiceUrl;
use starkeep_platform::http::serve::{Limits, serve};
use starkeep_platform::tasks::Stop;
use starkeep_robot_service::OtherServices;
use starkeep_test_harness::{Harness, StoreKind, get};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::gateways::OverHttp;
use crate::harness::{GAME, config};

/// A game service whose first stream breaks off after a gap; the next one stays.
async fn game_service(asked: Arc<Mutex<Vec<String>>>, stop: &Stop) -> ServiceUrl {
    let events = async move |RawQuery(query): RawQuery| {
        let mut asked = asked.lock().unwrap();
        asked.push(query.unwrap_or_default());
        let gap = "event: gap\ndata: {\"reason\":\"unreadable\",\"resumesAfter\":\"p\"}\n\n";
        let first = stream::iter([Ok::<_, Infallible>(Bytes::from(gap))]);
        let body = match asked.len() {
            1 => Body::from_stream(first),
            _ => Body::from_stream(
                stream::iter([Ok(Bytes::from(": hello\n\n"))])
                    .chain(stream::pending::<Result<_, Infallible>>()),
            ),
        };
        ([("content-type", "text/event-stream")], body)
    };
    let rosters = json!({"endedGames": [], "games": [{
        "gameId": GAME, "status": "running", "gameworldId": Uuid::nil(), "startMoney": 200, "roundNumber": 1,
        "roundStatus": "command input ended", "players": [],
    }]});
    let router = Router::new()
        .route("/events", on_get(events))
        .route("/rosters", on_get(async move || rosters.to_string()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = ServiceUrl::local(listener.local_addr().unwrap());
    tokio::spawn(serve(listener, router, Limits::default(), stop.clone()));
    url
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
    let (asked, stop) = (Arc::new(Mutex::new(Vec::new())), Stop::new());
    let game = game_service(asked.clone(), &stop).await;
    let others = OtherServices { map: game.clone(), game };
    let robots = Harness::open(OverHttp { config: config(), others }, StoreKind::Memory).await;
    robots.start_tasks();
    let away = "the game service cannot be reached, so nothing is known of new rounds; 1 followed, 1 run";
    games_are(&robots, json!({"status": "degraded", "detail": away})).await;
    assert!(asked.lock().unwrap()[0].starts_with("after=nowhere&"), "{asked:?}");
    robots.clock.advance(Duration::from_secs(10));
    games_are(&robots, json!({"status": "ok", "detail": "1 followed, 1 run"})).await;
    robots.stop_tasks().await;
    stop.cancel();
}
