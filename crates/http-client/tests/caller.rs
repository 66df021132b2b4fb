//! The caller against real sockets: what it sends, and how each way to fail is classified.
//! Time-outs are on a clock that stands still until the test moves it.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::Duration;

use http::{Method, StatusCode};
use starkeep_clock::ManualClock;
use starkeep_contract::{Code, Problem};
use starkeep_http_client::{Call, Caller, Connections, Failure, ServiceUrl, Timeout, Token};
use starkeep_test_http::{ScriptedServer, within_limit};

const OWN_CONNECTION: Connections = Connections::OnePerCall { connect_timeout: Duration::from_secs(5) };

fn url(server: &ScriptedServer) -> ServiceUrl {
    ServiceUrl::parse(&server.url()).unwrap()
}

/// The result of the call if the service answers with this text and then closes the connection.
async fn outcome(call: &Call, answer: &str) -> Result<String, Failure> {
    let server = ScriptedServer::start().await;
    let caller = Caller::new(url(&server), Connections::Pooled);
    let (outcome, ()) = tokio::join!(within_limit("the call", caller.send(call)), async {
        server.connection().await.send(answer).await;
    });
    outcome.map(|answer| String::from_utf8(answer.body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_call_carries_token_key_and_body() {
    let server = ScriptedServer::start().await;
    let caller = Caller::new(url(&server), Connections::Pooled).with_token(Some(Token::new("s3cret")));
    let call = Call::keyed(Method::POST, "/gameworlds", "key-1").json(&[1]);
    let (answer, request) = tokio::join!(within_limit("the call", caller.send(&call)), async {
        let mut connection = server.connection().await;
        connection.answer("201 Created", "", "7").await;
        connection.request
    });
    assert_eq!((request.line(), request.body()), ("POST /gameworlds", "[1]"));
    for (name, value) in [
        ("authorization", "Bearer s3cret"),
        ("idempotency-key", "key-1"),
        ("content-type", "application/json"),
    ] {
        assert_eq!(request.header(name), Some(value), "{name}");
    }
    let answer = answer.unwrap();
    assert_eq!((answer.status, answer.json::<u8>()), (StatusCode::CREATED, Ok(7)));
    assert!(matches!(answer.json::<String>(), Err(Failure::Unreadable(_))));
}

#[tokio::test]
async fn a_closed_port_and_a_token_that_is_none_are_not_sent() {
    let server = ScriptedServer::start().await;
    let url = url(&server);
    let bad = Caller::new(url.clone(), Connections::Pooled).with_token(Some(Token::new("a\nb")));
    let failure = within_limit("the call", bad.send(&Call::get("/"))).await.unwrap_err();
    assert_eq!(failure, Failure::NotSent("the request cannot be built: failed to parse header value".into()));
    drop(server);
    for connections in [Connections::Pooled, OWN_CONNECTION] {
        let caller = Caller::new(url.clone(), connections);
        let outcome = within_limit("the call", caller.send(&Call::once(Method::POST, "/"))).await;
        assert!(matches!(outcome, Err(Failure::NotSent(_))), "{connections:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn whoever_takes_the_request_and_gives_no_whole_answer_gave_none() {
    let call = Call::get("/games").largest_answer(4);
    for answer in [
        "",
        "HTTP/1.1 20",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\ncut",
        "HTTP/1.1 400 Bad Request\r\ncontent-length: 5\r\n\r\ncut",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nlarge",
    ] {
        let outcome = outcome(&call, answer).await;
        assert!(matches!(outcome, Err(Failure::NoAnswer(_))), "{answer}: {outcome:?}");
    }
    let fits = outcome(&call, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfits").await;
    assert_eq!(fits, Ok("fits".to_owned()));
}

#[tokio::test]
async fn a_refusal_has_the_problem_or_the_foreign_text() {
    let mut problem = Problem::new(Code::MapUnavailable, "the map is away");
    let body = serde_json::to_string(&problem).unwrap();
    problem.retry_after_seconds = Some(7);
    let length = body.len();
    let answer = format!("HTTP/1.1 503 X\r\nretry-after: 7\r\ncontent-length: {length}\r\n\r\n{body}");
    let Err(Failure::Refused(refusal)) = outcome(&Call::get("/games"), &answer).await else { panic!() };
    assert_eq!((refusal.status.as_u16(), &refusal.problem), (503, &Some(problem)));
    assert_eq!(refusal.to_string(), "the map is away");

    let answer = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 8\r\n\r\n<html>\n!";
    let Err(Failure::Refused(refusal)) = outcome(&Call::get("/games"), answer).await else { panic!() };
    assert_eq!((&refusal.problem, &*refusal.text()), (&None, "<html>\n!"));
    assert_eq!(refusal.to_string(), r"502 Bad Gateway `<html>\n!`");
}

#[tokio::test]
async fn a_time_out_leaves_open_whether_the_request_arrived() {
    let server = ScriptedServer::start().await;
    let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
    let timeout = Timeout { clock: clock.clone(), after: Duration::from_secs(3) };
    let caller = Caller::new(url(&server), Connections::Pooled).with_timeout(timeout);
    let call = Call::get("/games");
    let (outcome, _connection) = tokio::join!(within_limit("the call", caller.send(&call)), async {
        let connection = server.connection().await;
        clock.advance(Duration::from_secs(3));
        connection
    });
    assert_eq!(outcome.unwrap_err(), Failure::NoAnswer("no answer within 3s".to_owned()));
}

#[tokio::test]
async fn an_opened_refusal_counts_by_its_status_whatever_its_body() {
    let server = ScriptedServer::start().await;
    let caller = Caller::new(url(&server), OWN_CONNECTION);
    let call = Call::once(Method::POST, "/commands").largest_answer(4);
    let (outcome, ()) = tokio::join!(within_limit("the call", caller.open(&call)), async {
        server.connection().await.answer("400 X", "", "too large").await;
    });
    let Err(Failure::Refused(refusal)) = outcome else { panic!("{outcome:?}") };
    assert_eq!((refusal.status.as_u16(), &*refusal.text()), (400, ""));
}

#[tokio::test]
async fn calls_share_a_connection_or_have_one_each() {
    for (connections, shared) in [(Connections::Pooled, true), (OWN_CONNECTION, false)] {
        let server = ScriptedServer::start().await;
        let caller = Caller::new(url(&server), connections);
        let call = Call::get("/games");
        let (outcome, mut connection) = tokio::join!(within_limit("the call", caller.send(&call)), async {
            let mut connection = server.connection().await;
            connection.answer("200 OK", "", "").await;
            connection
        });
        outcome.unwrap();
        let (again, ()) = tokio::join!(within_limit("the call", caller.send(&call)), async {
            if shared {
                connection.read_request().await;
            } else {
                connection = server.connection().await;
            }
            connection.answer("200 OK", "", "").await;
        });
        assert!(again.is_ok(), "{connections:?}: {again:?}");
    }
}
