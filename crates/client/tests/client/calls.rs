//! One request and one answer at a time: what is sent, how the answer is read, and every way to fail.
//! The single methods are tested against the real services.

use std::time::Duration;

use starkeep_client::{ClientError, GameClient, MapClient};
use starkeep_contract::game::CreateGame;
use starkeep_contract::health::HealthStatus;
use starkeep_contract::{Bounded, Code, GameId, Problem};
use starkeep_test_http::{ScriptedServer, within_limit};
use uuid::Uuid;

use crate::time::Time;

const ID: &str = "0d9e7c4a-1111-4222-8333-444455556666";

fn new_game() -> CreateGame {
    let (rounds, players) = (Bounded::new(5).unwrap(), Bounded::new(2).unwrap());
    CreateGame {
        name: None,
        max_rounds: rounds,
        max_players: players,
        duration: None,
        seed: None,
        nonce: None,
        style: None,
        gameworld_id: None,
        start_money: None,
    }
}

/// The result of a creation that is answered so.
async fn created(status: &str, headers: &str, body: &str) -> Result<GameId, ClientError> {
    let server = ScriptedServer::start().await;
    let client = GameClient::new(&server.url()).unwrap().with_token("s3cret");
    let game = new_game();
    let (outcome, ()) = tokio::join!(within_limit("the client", client.create_game(&game)), async {
        let mut connection = server.connection().await;
        assert_eq!(connection.request.line(), "POST /games");
        assert_eq!(connection.request.header("authorization"), Some("Bearer s3cret"));
        assert_eq!(connection.request.header("content-type"), Some("application/json"));
        assert_eq!(connection.request.body(), r#"{"maxRounds":5,"maxPlayers":2}"#);
        connection.answer(status, headers, body).await;
    });
    outcome
}

#[tokio::test]
async fn a_success_is_the_contracts_type() {
    let outcome = created("201 Created", "", &format!(r#"{{"gameId":"{ID}","further":1}}"#)).await;
    assert_eq!(outcome, Ok(GameId(Uuid::parse_str(ID).unwrap())));
}

#[tokio::test]
async fn a_refusal_is_the_services_problem() {
    let mut problem = Problem::new(Code::MapUnavailable, "the map is away");
    let body = serde_json::to_string(&problem).unwrap();
    problem.retry_after_seconds = Some(7);
    let outcome = created("503 Service Unavailable", "retry-after: 7\r\n", &body).await;
    assert_eq!(outcome, Err(ClientError::Refused(problem)));
    assert_eq!(outcome.unwrap_err().to_string(), "the map is away");
}

#[tokio::test]
async fn what_is_not_of_the_contract_is_unreadable() {
    for (status, body, word) in [
        ("201 Created", "{}", "gameId"),
        ("200 OK", "<html>", "expected value"),
        ("500 Internal Server Error", "<html>\nsorry", r"500 Internal Server Error `<html>\nsorry`"),
    ] {
        let outcome = created(status, "", body).await;
        let Err(ClientError::Unreadable { reason, .. }) = outcome else { panic!("{outcome:?}") };
        assert!(reason.contains(word), "{reason}");
    }
}

#[tokio::test]
async fn a_proxy_whose_service_is_away_is_no_service() {
    for status in ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"] {
        let outcome = created(status, "", "<html>\nsorry").await;
        let Err(ClientError::Unreachable { reason, .. }) = outcome else { panic!("{outcome:?}") };
        assert_eq!(reason, format!(r"{status} `<html>\nsorry`"));
    }
}

#[tokio::test]
async fn who_does_not_answer_in_time_is_unreachable() {
    let server = ScriptedServer::start().await;
    let (mut time, clock) = Time::new();
    let timeout = Duration::from_secs(3);
    let client = MapClient::new(&server.url()).unwrap().with_clock(clock).with_timeout(timeout);
    let (outcome, ()) =
        tokio::join!(within_limit("the client", client.gameworlds()), time.pass_when_awaited(timeout));
    let reason = "no answer within 3s".to_owned();
    assert_eq!(outcome.unwrap_err(), ClientError::Unreachable { url: server.url(), reason });

    let (url, client) = (server.url(), GameClient::new(&server.url()).unwrap());
    drop(server);
    let error = within_limit("the client", client.games()).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("{url} cannot be reached: ")), "{error}");
}

#[tokio::test]
async fn a_list_is_read_to_its_last_page() {
    let server = ScriptedServer::start().await;
    let client = MapClient::new(&server.url()).unwrap();
    let world = |number: u128| {
        let at = "2026-01-01T00:00:00Z";
        format!(
            r#"[{{"id":"{}","status":"active","spacestation_ids":[],"player_amount":1,"round_amount":null,
                 "style":"wild","generator_version":2,"replenishment":"automatic","seed_commitment":null,
                 "created_at":"{at}","updated_at":"{at}"}}]"#,
            Uuid::from_u128(number)
        )
    };
    let (worlds, ()) = tokio::join!(within_limit("the client", client.gameworlds()), async {
        let mut connection = server.connection().await;
        assert_eq!(connection.request.line(), "GET /gameworlds");
        connection.answer("200 OK", "link: </gameworlds?after=1>; rel=\"next\"\r\n", &world(1)).await;
        connection.read_request().await;
        assert_eq!(connection.request.line(), "GET /gameworlds?after=1");
        connection.answer("200 OK", "", &world(2)).await;
    });
    let ids: Vec<_> = worlds.unwrap().into_iter().map(|world| world.id.0.as_u128()).collect();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn a_service_that_is_unwell_tells_how_it_is() {
    let server = ScriptedServer::start().await;
    let client = MapClient::new(&server.url()).unwrap();
    let body =
        r#"{"status":"failing","service":"map","version":"1","dialect":"standard","parts":{},"tasks":{}}"#;
    let (health, ()) = tokio::join!(within_limit("the client", client.health()), async {
        server.connection().await.answer("503 Service Unavailable", "", body).await;
    });
    assert_eq!(health.unwrap().status, HealthStatus::Failing);
}

#[test]
fn an_address_that_is_none_is_refused_at_once() {
    for url in ["https://127.0.0.1", "127.0.0.1:8080", "", "http://", "http://map?a=b", "a\nb"] {
        let Err(error) = GameClient::new(url) else { panic!("{url}") };
        assert!(error.to_string().contains("must look like http://127.0.0.1:8080"), "{error}");
    }
}
