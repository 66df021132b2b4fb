//! `GET /events` as a client sees it, on a clock that the test moves: both forms, keep-alive, waiting, filters and the end.
//! What a reader may rely on over time is in `event_log`.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use jiff::Timestamp;
use serde_json::{Value, json};
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_platform::clock::ManualClock;
use starkeep_platform::events::{CommittedEvent, Log, Pages};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::events::{EventFeed, events};
use starkeep_platform::tasks::Stop;
use tokio::sync::Semaphore;
use tower::ServiceExt;
use uuid::Uuid;

/// Everything that these tests read is still in memory.
struct Nowhere;

impl Pages for Nowhere {
    fn read(&self, _: u64, _: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        async { Err("nothing is read from here".to_owned()) }.boxed()
    }

    fn read_about(&self, _: Uuid, _: u64, _: u32) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        async { Err("nothing is read from here".to_owned()) }.boxed()
    }
}

struct TestFeed {
    log: Arc<Log>,
    clock: Arc<ManualClock>,
    stop: Stop,
    router: Router,
}

/// What the events are about.
const MOST_STREAMS: usize = 3;
const GAME: Uuid = Uuid::from_u128(1);
const OTHER_GAME: Uuid = Uuid::from_u128(2);
const PLAYER: Uuid = Uuid::from_u128(3);
const ROBOT: Uuid = Uuid::from_u128(4);

impl TestFeed {
    fn new() -> Self {
        Self::with_token(None, &[])
    }

    /// With an admin token, and with games that have ended.
    fn with_token(admin_token: Option<&str>, ended: &'static [Uuid]) -> Self {
        let log = Arc::new(Log::open(7, 1, 0, Vec::new()));
        let (clock, stop) = (ManualClock::new(Timestamp::UNIX_EPOCH), Stop::new());
        let event_feed = EventFeed {
            catch_up: Arc::new(|| ready(Ok(())).boxed()),
            is_shared: false,
            log: log.clone(),
            pages: Arc::new(Nowhere),
            channels: &[Channel::Status, Channel::RoundStatus],
            admin_token: AdminToken::new(admin_token.map(ToOwned::to_owned)),
            has_ended: Arc::new(|game| ended.contains(&game)),
            clock: clock.clone(),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            stop: stop.clone(),
        };
        Self { log, clock, stop, router: Router::new().route("/events", get(events).with_state(event_feed)) }
    }

    fn publish(&self, channel: Channel) {
        let event = NewEvent {
            payload: "{}".to_owned(),
            ..NewEvent::new(
                channel,
                Uuid::nil(),
                About::subject(Uuid::nil()),
                None,
                Timestamp::UNIX_EPOCH,
                &(),
            )
        };
        self.log.append(vec![event]);
    }

    /// An event about a player's robot.
    fn publish_about(&self, game: Uuid) {
        let about = About { subject: game, round: Some(2), player: Some(PLAYER), robot: Some(ROBOT) };
        let at = Timestamp::UNIX_EPOCH;
        self.log.append(vec![NewEvent::new(Channel::Status, Uuid::nil(), about, None, at, &json!({}))]);
    }

    async fn ask(&self, query: &str, accept: &str) -> (StatusCode, Body) {
        let request = Request::get(format!("/events{query}")).header("accept", accept);
        let answer = self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        (answer.status(), answer.into_body())
    }

    async fn page(&self, query: &str) -> Value {
        let (status, body) = self.ask(query, "application/json").await;
        assert_eq!(status, StatusCode::OK);
        serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap()
    }
}

async fn chunk(body: &mut Body) -> Option<String> {
    let frame = body.frame().await?.unwrap();
    Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
}

fn ids(page: &Value) -> Vec<&str> {
    page["events"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_silent_stream_says_every_15_seconds_that_it_lives_whatever_other_channels_say() {
    let feed = TestFeed::new();
    let (_, mut body) = feed.ask("?channels=status", "text/event-stream").await;
    assert_eq!(chunk(&mut body).await.unwrap(), "retry: 1000\n\n");
    assert!(chunk(&mut body).now_or_never().is_none());
    feed.clock.advance(Duration::from_secs(14));
    feed.publish(Channel::RoundStatus);
    assert!(
        chunk(&mut body).now_or_never().is_none(),
        "what it did not ask for is neither sent nor resets the wait"
    );
    feed.clock.advance(Duration::from_secs(1));
    assert_eq!(chunk(&mut body).await.unwrap(), ": keep-alive\n\n");
    feed.publish(Channel::Status);
    assert!(
        chunk(&mut body)
            .await
            .unwrap()
            .starts_with("event: status\nid: 0000000000000007-2-00000000\ndata: {")
    );
}

#[tokio::test]
async fn a_stop_ends_the_stream_at_once() {
    let feed = TestFeed::new();
    let (_, mut body) = feed.ask("", "*/*").await;
    assert!(chunk(&mut body).await.is_some());
    feed.stop.cancel();
    assert_eq!(chunk(&mut body).await, None);
}

#[tokio::test]
async fn a_stream_too_many_is_refused_until_another_ends_and_pages_are_read_meanwhile() {
    let feed = TestFeed::new();
    let mut open = Vec::new();
    for _ in 0..MOST_STREAMS {
        let (status, body) = feed.ask("", "text/event-stream").await;
        assert_eq!(status, StatusCode::OK);
        open.push(body);
    }
    let (status, mut problem) = feed.ask("", "text/event-stream").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    let problem = chunk(&mut problem).await.unwrap();
    assert!(problem.contains("too-many-readers"), "{problem}");
    feed.page("").await;
    open.pop();
    assert_eq!(feed.ask("", "text/event-stream").await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_gap_comes_first_and_then_all_that_is_kept() {
    let feed = TestFeed::new();
    feed.publish(Channel::Status);
    let (_, mut body) = feed.ask("?after=nonsense", "text/event-stream").await;
    assert!(chunk(&mut body).await.is_some());
    let said = chunk(&mut body).await.unwrap();
    let gap = r#"{"reason":"unreadable","resumesAfter":"0000000000000007-0-00000000"}"#;
    assert!(said.starts_with(&format!("event: gap\ndata: {gap}\n\nevent: status\n")), "{said}");
}

#[tokio::test]
async fn a_page_ends_at_its_limit_and_the_next_begins_there() {
    let feed = TestFeed::new();
    (0..5).for_each(|_| feed.publish(Channel::Status));
    let first = feed.page("?limit=2").await;
    assert_eq!(ids(&first), ["0000000000000007-1-00000000", "0000000000000007-2-00000000"]);
    let next = first["next"].as_str().unwrap();
    let second = feed.page(&format!("?limit=1000&after={next}")).await;
    assert_eq!((ids(&second).len(), &second["gap"]), (3, &Value::Null));
    let last = feed.page(&format!("?after={}", second["next"].as_str().unwrap())).await;
    assert_eq!((ids(&last).len(), &last["next"]), (0, &second["next"]));
}

#[tokio::test]
async fn a_page_waits_for_a_first_wanted_event_and_no_longer_than_it_was_told() {
    let feed = TestFeed::new();
    let mut waiting = Box::pin(feed.page("?wait=5&channels=status"));
    assert!(futures::poll!(&mut waiting).is_pending());
    feed.publish(Channel::RoundStatus);
    assert!(futures::poll!(&mut waiting).is_pending(), "an event of another channel is no answer");
    feed.publish(Channel::Status);
    assert_eq!(ids(&waiting.await), ["0000000000000007-2-00000000"]);
    let mut waiting = Box::pin(feed.page("?wait=5&after=end"));
    assert!(futures::poll!(&mut waiting).is_pending());
    feed.clock.advance(Duration::from_secs(5));
    assert_eq!(ids(&waiting.await), [] as [&str; 0]);
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_with_its_name() {
    let feed = TestFeed::new();
    for (query, field) in [
        ("?channels=status,weather", "channels"),
        ("?limit=0", "limit"),
        ("?limit=1001", "limit"),
        ("?wait=31", "wait"),
        ("?wait=-1", "wait"),
    ] {
        let (status, body) = feed.ask(query, "application/json").await;
        let problem: Value = serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap();
        assert_eq!(
            (status, &problem["field"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &field.into()),
            "{query}: {problem}"
        );
    }
}

#[tokio::test]
async fn a_reader_may_ask_for_one_game() {
    let feed = TestFeed::new();
    for game in [GAME, OTHER_GAME, GAME] {
        feed.publish_about(game);
    }
    let page = feed.page(&format!("?gameId={GAME}&after=start")).await;
    assert_eq!(ids(&page), ["0000000000000007-1-00000000", "0000000000000007-3-00000000"]);
    let (_, mut body) = feed.ask(&format!("?gameId={OTHER_GAME}&after=start"), "text/event-stream").await;
    assert!(chunk(&mut body).await.is_some());
    assert!(chunk(&mut body).await.unwrap().contains("id: 0000000000000007-2-"));
    assert!(chunk(&mut body).now_or_never().is_none());
    for wrong in [format!("?gameworld_id={GAME}"), "?gameId=none".to_owned()] {
        let (status, _) = feed.ask(&wrong, "application/json").await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
}

#[tokio::test]
async fn whose_robot_it_was_is_shown_to_the_host_and_after_the_end_to_everybody() {
    let hidden = json!({ "gameId": GAME, "roundNumber": 2 });
    let shown = |game| json!({ "gameId": game, "roundNumber": 2, "playerId": PLAYER, "robotId": ROBOT });
    let feed = TestFeed::with_token(Some("s3cret"), &[OTHER_GAME]);
    feed.publish_about(GAME);
    feed.publish_about(OTHER_GAME);
    let about = |page: &Value| {
        page["events"].as_array().unwrap().iter().map(|e| e["about"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(about(&feed.page("?after=start").await), [hidden.clone(), shown(OTHER_GAME)]);
    for (token, first) in [("s3cret", shown(GAME)), ("wrong", hidden)] {
        let request = Request::get("/events?after=start").header("accept", "application/json");
        let request = request.header("authorization", format!("Bearer {token}")).body(Body::empty()).unwrap();
        let body = feed.router.clone().oneshot(request).await.unwrap().into_body();
        let page: Value = serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap();
        assert_eq!(about(&page), [first, shown(OTHER_GAME)], "{token}");
        let request = Request::get("/events?after=start").header("authorization", format!("Bearer {token}"));
        let answer = feed.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let mut body = answer.into_body();
        assert!(chunk(&mut body).await.is_some());
        assert_eq!(
            chunk(&mut body).await.unwrap().matches("robotId").count(),
            if token == "wrong" { 1 } else { 2 }
        );
    }
    let open = TestFeed::new();
    open.publish_about(GAME);
    assert_eq!(about(&open.page("?after=start").await), [shown(GAME)], "without a token everybody is a host");
}
