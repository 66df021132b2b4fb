//! A stream that is not interrupted: where it begins, what it gives out, and what ends it.
//! What happens when the connection is lost is in `reconnecting`.

use starkeep_client::{ClientError, EventStream, Item, StartFrom};
use starkeep_contract::events::{Channel, GapReason};
use starkeep_contract::{Code, Problem};
use starkeep_test_http::{Connection, ScriptedServer, within_limit};

/// The frame of a `roundStatus` event with this id.
pub(crate) fn frame(id: &str) -> String {
    frame_of("roundStatus", id)
}

fn frame_of(channel: &str, id: &str) -> String {
    let headers = concat!(
        r#"{"eventId":"aaaabbbb-0000-0000-0000-000000000000","transactionId":"","version":"1","#,
        r#""timestamp":"1970-01-01T00:00:01Z","type":"round-status"}"#
    );
    format!("event: {channel}\nid: {id}\ndata: {{\"headers\":{headers},\"payload\":{{\"of\":\"{id}\"}}}}\n\n")
}

/// The next item is the event with this id.
pub(crate) async fn assert_next(stream: &mut EventStream, id: &str) {
    let Item::Event(event) = within_limit("the client", stream.next()).await.unwrap() else {
        panic!("a gap before {id}")
    };
    assert_eq!((event.id.as_str(), event.channel), (id, Channel::RoundStatus));
    assert_eq!(event.payload["of"], id);
    assert_eq!(event.headers.r#type, "round-status");
    assert_eq!(stream.position(), Some(id));
}

/// A stream that begins so, and its first request.
async fn begun(server: &ScriptedServer, from: StartFrom, channels: &[&str]) -> (EventStream, Connection) {
    let mut stream = EventStream::open(&server.url(), from, channels).unwrap();
    let (ready, connection) = tokio::join!(within_limit("the client", stream.ready()), async {
        let mut connection = server.connection().await;
        connection.begin_stream().await;
        connection
    });
    ready.unwrap();
    (stream, connection)
}

#[tokio::test]
async fn events_come_in_order_however_the_bytes_are_cut() {
    let server = ScriptedServer::start().await;
    let (mut stream, mut connection) = begun(&server, StartFrom::Start, &[]).await;
    assert_eq!(connection.request.line(), "GET /events?after=start");
    assert_eq!(
        (connection.request.header("accept"), connection.request.header("last-event-id")),
        (Some("text/event-stream"), None)
    );
    assert_eq!(stream.position(), None);

    let text = format!("retry: 1000\n\n: keep-alive\n\n{}{}", frame("1"), frame("2"));
    connection.send(&text[..40]).await;
    connection.send(&text[40..]).await;
    assert_next(&mut stream, "1").await;
    assert_next(&mut stream, "2").await;
    connection.send(&frame("3")).await;
    assert_next(&mut stream, "3").await;
}

#[tokio::test]
async fn it_begins_where_it_is_told_with_the_channels_that_are_wanted() {
    let server = ScriptedServer::start().await;
    let from = StartFrom::After("a-1&b".to_owned());
    let (stream, connection) = begun(&server, from, &["status", "roundStatus"]).await;
    assert_eq!(connection.request.line(), "GET /events?after=a-1%26b&channels=status%2CroundStatus");
    assert_eq!(stream.position(), Some("a-1&b"));
}

#[tokio::test]
async fn the_end_is_asked_for_first_so_that_it_does_not_move() {
    let server = ScriptedServer::start().await;
    let mut stream = EventStream::open(&server.url(), StartFrom::End, &["status"]).unwrap();
    let (ready, connection) = tokio::join!(within_limit("the client", stream.ready()), async {
        let mut connection = server.connection().await;
        assert_eq!(connection.request.line(), "GET /events?after=end&channels=status&limit=1");
        assert_eq!(connection.request.header("accept"), Some("application/json"));
        connection.answer("200 OK", "", r#"{"events":[],"next":"e-9-f","gap":null}"#).await;
        connection.read_request().await;
        connection.begin_stream().await;
        connection
    });
    ready.unwrap();
    assert_eq!(
        (connection.request.header("last-event-id"), stream.position()),
        (Some("e-9-f"), Some("e-9-f"))
    );
}

#[tokio::test]
async fn a_gap_is_told_as_a_value() {
    let server = ScriptedServer::start().await;
    let (mut stream, mut connection) = begun(&server, StartFrom::After("1".to_owned()), &[]).await;
    connection.send("event: gap\ndata: {\"reason\":\"expired\",\"resumesAfter\":\"7\"}\n\n").await;
    connection.send(&frame("8")).await;
    let Item::Gap(gap) = within_limit("the client", stream.next()).await.unwrap() else { panic!("no gap") };
    assert_eq!((gap.reason, gap.resumes_after.as_str()), (GapReason::Expired, "7"));
    assert_eq!(stream.position(), Some("7"));
    assert_next(&mut stream, "8").await;
}

#[tokio::test]
async fn channels_that_are_not_known_here_are_passed_over() {
    let server = ScriptedServer::start().await;
    let (mut stream, mut connection) = begun(&server, StartFrom::Start, &[]).await;
    connection.send(&format!("{}data: whatever\n\n{}", frame_of("of-tomorrow", "1"), frame("2"))).await;
    assert_next(&mut stream, "2").await;
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_an_error_and_the_next_one_is_not() {
    let server = ScriptedServer::start().await;
    let (mut stream, mut connection) = begun(&server, StartFrom::Start, &[]).await;
    connection.send(&format!("event: status\nid: 1\ndata: {{}}\n\n{}", frame("2"))).await;
    let error = within_limit("the client", stream.next()).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::Unreadable { reason, .. } if reason.contains("headers")),
        "{error}"
    );
    assert_eq!(stream.position(), Some("1"));
    assert_next(&mut stream, "2").await;
}

#[tokio::test]
async fn a_refusal_is_an_error_with_the_services_own_words() {
    let server = ScriptedServer::start().await;
    let mut stream = EventStream::open(&server.url(), StartFrom::Start, &["nonsense"]).unwrap();
    let problem =
        Problem::new(Code::InvalidParameter, "there is no channel `nonsense` here").at_field("channels");
    let body = serde_json::to_string(&problem).unwrap();
    let (outcome, ()) = tokio::join!(within_limit("the client", stream.next()), async {
        let mut connection = server.connection().await;
        connection.answer("422 Unprocessable Content", "", &body).await;
    });
    assert_eq!(outcome, Err(ClientError::Refused(problem)));
}

#[tokio::test]
async fn what_is_no_event_stream_is_an_error() {
    let server = ScriptedServer::start().await;
    let mut stream = EventStream::open(&server.url(), StartFrom::Start, &[]).unwrap();
    let (outcome, ()) = tokio::join!(within_limit("the client", stream.next()), async {
        let mut connection = server.connection().await;
        connection.answer("200 OK", "content-type: text/html\r\n", "<html>").await;
    });
    assert!(matches!(&outcome, Err(ClientError::Unreadable { reason, .. }) if reason.contains("text/html")));
}

#[tokio::test]
async fn who_stops_waiting_loses_nothing() {
    let server = ScriptedServer::start().await;
    let (mut stream, mut connection) = begun(&server, StartFrom::Start, &[]).await;
    let text = frame("1");
    for piece in [&text[..20], &text[20..]] {
        assert!(futures::poll!(Box::pin(stream.next())).is_pending());
        connection.send(piece).await;
    }
    assert_next(&mut stream, "1").await;
}
