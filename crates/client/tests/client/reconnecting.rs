//! A stream whose connection is lost in every possible way: it reconnects and resumes where it was.
//! Waits are exact, on a clock that only the test moves.

use std::sync::Arc;
use std::time::Duration;

use starkeep_client::{EventStream, Item, StartFrom};
use starkeep_fault_harness::KeptPort;
use starkeep_test_http::{Connection, ScriptedServer, within_limit};

use crate::streaming::{assert_next, frame};
use crate::time::{Longest, Time};

const SECOND: Duration = Duration::from_secs(1);
/// Where the service has sent no `retry`.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const SILENCE: Duration = Duration::from_secs(45);
const ALMOST_SILENCE: Duration = Duration::from_millis(44_999);

/// A stream from the start of the log whose first connection has given out event 1.
async fn under_way() -> (ScriptedServer, Time, EventStream, Connection) {
    under_way_with(ScriptedServer::start().await).await
}

async fn under_way_with(server: ScriptedServer) -> (ScriptedServer, Time, EventStream, Connection) {
    let (mut time, clock) = Time::new();
    let stream = EventStream::open(&server.url(), StartFrom::Start, &[]).unwrap();
    let mut stream = stream.with_clock(clock).with_chance(Arc::new(Longest));
    let ((), connection) = tokio::join!(assert_next(&mut stream, "1"), async {
        let mut connection = server.connection().await;
        connection.begin_stream().await;
        connection.send(&frame("1")).await;
        connection
    });
    time.forget();
    (server, time, stream, connection)
}

/// The stream reconnects after the wait with the position, and gets event 2.
async fn assert_goes_on(
    server: &ScriptedServer,
    time: &mut Time,
    stream: &mut EventStream,
    wait: Duration,
    id: &str,
) {
    tokio::join!(assert_next(stream, "2"), async {
        time.pass_when_awaited(wait).await;
        let mut connection = server.connection().await;
        assert_eq!(connection.request.header("last-event-id"), Some(id));
        connection.begin_stream().await;
        connection.send(&frame("2")).await;
    });
}

#[tokio::test]
async fn a_connection_that_is_cut_within_an_event_is_made_again_after_the_event_before() {
    let (server, mut time, mut stream, mut connection) = under_way().await;
    connection.send(&frame("2")[..60]).await;
    drop(connection);
    assert_goes_on(&server, &mut time, &mut stream, FIRST_WAIT, "1").await;
}

#[tokio::test]
async fn a_connection_that_breaks_within_a_chunk_is_made_again() {
    let server = ScriptedServer::start().await;
    let (mut time, clock) = Time::new();
    let stream = EventStream::open(&server.url(), StartFrom::Start, &[]).unwrap();
    let mut stream = stream.with_clock(clock).with_chance(Arc::new(Longest));
    tokio::join!(assert_next(&mut stream, "1"), async {
        let mut connection = server.connection().await;
        let text = frame("1");
        connection
            .send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            .await;
        connection.send(&format!("{:x}\r\n{text}\r\nffff\r\nevent: round", text.len())).await;
    });
    assert_goes_on(&server, &mut time, &mut stream, FIRST_WAIT, "1").await;
}

#[tokio::test]
async fn the_wait_is_as_long_as_the_service_says() {
    let (server, mut time, mut stream, mut connection) = under_way().await;
    connection.send("retry: 300\n\n").await;
    drop(connection);
    assert_goes_on(&server, &mut time, &mut stream, Duration::from_millis(300), "1").await;
}

#[tokio::test]
async fn a_service_that_stays_away_is_tried_once_a_second_however_long_it_does() {
    // Nobody else gets its port while it is away.
    let port = KeptPort::new().unwrap();
    let (server, mut time, mut stream, connection) =
        under_way_with(ScriptedServer::at(port.address()).await).await;
    drop((server, connection));
    tokio::join!(assert_next(&mut stream, "2"), async {
        for doubled in [1, 2, 4, 8] {
            time.pass_when_awaited(doubled * FIRST_WAIT).await;
        }
        for _ in 0..20 {
            time.pass_when_awaited(SECOND).await;
        }
        let server = ScriptedServer::at(port.address()).await;
        // The attempt after the last wait may have come before or after that.
        let mut connection = tokio::select! {
            connection = server.connection() => connection,
            () = async { time.pass_when_awaited(SECOND).await } => server.connection().await,
        };
        assert_eq!(connection.request.header("last-event-id"), Some("1"));
        connection.begin_stream().await;
        connection.send(&frame("2")).await;
    });
}

#[tokio::test]
async fn a_service_that_is_unwell_is_tried_again() {
    let (server, mut time, mut stream, connection) = under_way().await;
    drop(connection);
    tokio::join!(assert_next(&mut stream, "2"), async {
        time.pass_when_awaited(FIRST_WAIT).await;
        let mut connection = server.connection().await;
        connection.answer("503 Service Unavailable", "connection: close\r\n", "not now").await;
        time.pass_when_awaited(2 * FIRST_WAIT).await;
        let mut connection = server.connection().await;
        connection.begin_stream().await;
        connection.send(&frame("2")).await;
    });
}

#[tokio::test]
async fn a_gap_before_a_break_is_the_position_to_go_on_after() {
    let (server, mut time, mut stream, mut connection) = under_way().await;
    connection.send("event: gap\ndata: {\"reason\":\"epoch\",\"resumesAfter\":\"x-0\"}\n\n").await;
    assert!(matches!(within_limit("the client", stream.next()).await, Ok(Item::Gap(_))));
    drop(connection);
    assert_goes_on(&server, &mut time, &mut stream, FIRST_WAIT, "x-0").await;
}

#[tokio::test]
async fn a_connection_that_falls_silent_is_given_up() {
    let (server, mut time, mut stream, connection) = under_way().await;
    tokio::join!(assert_next(&mut stream, "2"), async {
        time.pass_when_awaited(SILENCE).await;
        time.pass_when_awaited(FIRST_WAIT).await;
        let mut again = server.connection().await;
        assert_eq!(again.request.header("last-event-id"), Some("1"));
        again.begin_stream().await;
        again.send(&frame("2")).await;
    });
    drop(connection);
}

#[tokio::test]
async fn a_comment_is_no_silence() {
    let (_server, mut time, mut stream, mut connection) = under_way().await;
    tokio::join!(assert_next(&mut stream, "2"), async {
        time.awaited(SILENCE).await;
        for _ in 0..3 {
            time.pass(ALMOST_SILENCE);
            connection.send(": keep-alive\n\n").await;
            // Received: from here on the whole time-out applies again.
            time.awaited(SILENCE).await;
        }
        connection.send(&frame("2")).await;
    });
}

#[tokio::test]
async fn an_attempt_without_an_answer_is_given_up() {
    let (server, mut time, mut stream, connection) = under_way().await;
    drop(connection);
    tokio::join!(assert_next(&mut stream, "2"), async {
        time.pass_when_awaited(FIRST_WAIT).await;
        let silent = server.connection().await;
        time.pass_when_awaited(10 * SECOND).await;
        time.pass_when_awaited(2 * FIRST_WAIT).await;
        let mut connection = server.connection().await;
        connection.begin_stream().await;
        connection.send(&frame("2")).await;
        drop(silent);
    });
}
