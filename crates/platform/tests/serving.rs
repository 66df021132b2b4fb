//! The accept loop against clients that are slow, large, or still busy when the stop comes.
//! Time is paused: it leaps to the next time-out as soon as nothing else can happen.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use starkeep_contract::game::PatchDuration;
use starkeep_platform::answer::Answer;
use starkeep_platform::http::Json;
use starkeep_platform::http::connection::BodyLimits;
use starkeep_platform::http::serve::{Limits, serve};
use starkeep_platform::tasks::Stop;
use starkeep_test_http::send_raw;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

struct Served {
    address: std::net::SocketAddr,
    stop: Stop,
    ended: tokio::task::JoinHandle<()>,
}

async fn start(router: Router, limits: Limits) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = Stop::new();
    Served { address, stop: stop.clone(), ended: tokio::spawn(serve(listener, router, limits, stop)) }
}

fn taking_durations() -> Router {
    Router::new().route("/", post(|Json(patch): Json<PatchDuration>| async move { Answer::ok(&patch) }))
}

/// A handler that says when it was entered, and answers when it may.
fn held() -> (Router, Arc<Notify>, Arc<Notify>) {
    let (entered, leave) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (entered, leave) = (entered.clone(), leave.clone());
        move || async move {
            entered.notify_one();
            leave.notified().await;
            "done"
        }
    };
    (Router::new().route("/", get(handler)), entered, leave)
}

fn post_of(length: usize, body: &str) -> Vec<u8> {
    let head = "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n";
    format!("{head}content-length: {length}\r\n\r\n{body}").into_bytes()
}

#[tokio::test]
async fn a_whole_request_is_answered() {
    let served = start(taking_durations(), Limits::default()).await;
    let answer = send_raw(served.address, &post_of(16, r#"{"duration":500}"#)).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("content-length: 17\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n{\"duration\":500}\n"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_never_ends_is_cut_off() {
    let served = start(taking_durations(), Limits::default()).await;
    let answer = send_raw(served.address, b"POST / HTTP/1.1\r\nhost: x\r\n").await;
    assert!(!answer.contains("200"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_cut_off() {
    let served = start(taking_durations(), Limits::default()).await;
    assert_eq!(send_raw(served.address, b"").await, "");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_arrives_is_a_408() {
    let served = start(taking_durations(), Limits::default()).await;
    let answer = send_raw(served.address, &post_of(16, r#"{"dura"#)).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("request-timeout"), "{answer}");
}

#[tokio::test]
async fn a_body_above_the_limit_is_a_413() {
    let served = start(taking_durations(), Limits::default()).await;
    // Announced is enough: nobody waits for a megabyte that is refused anyway.
    let answer = send_raw(served.address, &post_of(1024 * 1024 + 1, "")).await;
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("body-too-large"), "{answer}");
}

#[tokio::test]
async fn a_flood_of_headers_is_a_431() {
    let served = start(taking_durations(), Limits::default()).await;
    let flood = "x: y\r\n".repeat(150);
    let answer =
        send_raw(served.address, format!("GET / HTTP/1.1\r\nhost: x\r\n{flood}\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test]
async fn a_stop_finishes_what_is_in_flight_and_takes_nothing_new() {
    let (router, entered, leave) = held();
    let served = start(router, Limits::default()).await;
    let request =
        tokio::spawn(async move { send_raw(served.address, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await });
    entered.notified().await;
    served.stop.cancel();
    leave.notify_one();
    let answer = request.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("done"), "{answer}");
    served.ended.await.unwrap();
    assert!(TcpStream::connect(served.address).await.is_err());
}

/// Reads until this is there.
async fn told(stream: &mut TcpStream, expected: &str) {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(expected) {
        assert!(stream.read_buf(&mut read).await.unwrap() > 0, "closed before it told {expected}");
    }
}

#[tokio::test]
async fn a_connection_beyond_the_limit_waits_while_all_others_are_busy() {
    let (router, entered, leave) = held();
    let limits = Limits { connections: 1, ..Limits::default() };
    let served = start(router, limits).await;
    let mut first = TcpStream::connect(served.address).await.unwrap();
    first.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    entered.notified().await;
    let mut second = TcpStream::connect(served.address).await.unwrap();
    second.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    // Nothing but the end of the first request makes room for the second.
    leave.notify_one();
    told(&mut first, "done").await;
    entered.notified().await;
    leave.notify_one();
    told(&mut second, "done").await;
}

#[tokio::test]
async fn who_connects_and_says_nothing_keeps_nobody_out() {
    let limits = Limits { connections: 10, ..Limits::default() };
    let served = start(taking_durations(), limits).await;
    let mut silent = Vec::new();
    for number in 0..40 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        // Some have begun to say something.
        stream.write_all(&b"POST / HTT"[..number % 10]).await.unwrap();
        silent.push(stream);
    }
    for _ in 0..20 {
        let answer = send_raw(served.address, &post_of(16, r#"{"duration":500}"#)).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    }
    // Those who came first had to go.
    assert!(matches!(silent[0].read(&mut [0]).await, Ok(0) | Err(_)));
}

#[tokio::test]
async fn what_a_host_allows_less_of_is_refused_earlier() {
    let body = BodyLimits { largest: 20, ..BodyLimits::default() };
    let served = start(taking_durations(), Limits { body, largest_head: 8192, ..Limits::default() }).await;
    let allowed = send_raw(served.address, &post_of(16, r#"{"duration":500}"#)).await;
    assert!(allowed.starts_with("HTTP/1.1 200 OK"), "{allowed}");
    let large = send_raw(served.address, &post_of(24, r#"{"duration":         500}"#)).await;
    assert!(large.starts_with("HTTP/1.1 413") && large.contains("at most 20 bytes"), "{large}");
    let head = format!("GET / HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "y".repeat(9000));
    assert!(send_raw(served.address, head.as_bytes()).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test(start_paused = true)]
async fn a_host_says_how_long_a_body_may_take() {
    let body = BodyLimits { arrival: Duration::from_millis(1500), ..BodyLimits::default() };
    let served = start(taking_durations(), Limits { body, ..Limits::default() }).await;
    let slow = send_raw(served.address, &post_of(17, r#"{"duration":500}"#)).await;
    assert!(slow.starts_with("HTTP/1.1 408") && slow.contains("within 1.5 s"), "{slow}");
}
