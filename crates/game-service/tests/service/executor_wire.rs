//! Batches as the executors receive them: the recorded requests to the trading and the robot service, made again from the
//! same commands. And how their answers are understood, down to those that never come.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use starkeep_contract::{Code, Problem};
use starkeep_fault_harness::KeptPort;
use starkeep_game_core::{Command, CommandId, GameId, Kind, Order, PlayerId, RobotId};
use starkeep_game_service::ports::{Batch, BatchFault, Executor, Taken};
use starkeep_game_service::{HttpExecutor, ServiceToken, ServiceUrl};
use starkeep_platform::clock::ManualClock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_test_http::{OneRequestServer, RawAnswer};
use uuid::Uuid;

/// Long enough for any connection to this machine.
const CONNECT: Duration = Duration::from_secs(2);

const RECORDED: &str = include_str!("../fixtures/dispatch.http.jsonl");

#[derive(Deserialize)]
struct Exchange {
    to: String,
    method: String,
    path: String,
    request: Value,
    status: u16,
    response_type: Option<String>,
    response: String,
}

#[tokio::test]
async fn batches_are_sent_as_they_were_recorded_and_the_recorded_answers_are_understood() {
    let mut sent = BTreeMap::new();
    for line in RECORDED.lines() {
        let Exchange { to, method, path, request, status, response_type, response } =
            serde_json::from_str(line).expect("an exchange");
        let content = response_type.map(|kind| format!("content-type: {kind}\r\n")).unwrap_or_default();
        let answer =
            format!("HTTP/1.1 {status} X\r\n{content}content-length: {}\r\n\r\n{response}", response.len());
        let server = OneRequestServer::start(RawAnswer::Text(answer)).await;
        let batch = batch_of(&request);
        let taken = executor(&server.url).take(batch.as_ref().unwrap_or(&one_command()), CONNECT).await;
        if status == 400 {
            let Err(BatchFault::TurnedDown(reason)) = taken else { panic!("{taken:?}: {line}") };
            assert!(reason.contains(&response.escape_debug().to_string()), "{reason}");
        } else {
            assert_eq!(taken, Ok(Taken::default()), "{line}");
        }
        let received = server.received().await;
        assert_eq!((received.method(), received.path_and_query()), (&*method, &*path));
        assert_eq!(received.header("content-type"), Some("application/json"));
        assert_eq!(received.header("accept"), Some("application/json"));
        // Both services can do without chunks.
        assert_eq!(received.header("content-length"), Some(&*received.body().len().to_string()));
        if batch.is_some() {
            assert_eq!(received.json(), request);
            *sent.entry(to).or_insert(0) += 1;
        }
    }
    let expected = BTreeMap::from([("trading".to_owned(), 14), ("robot".to_owned(), 15)]);
    assert_eq!(sent, expected, "what was recorded is made again, but for a verb and an id that are none");
}

#[tokio::test]
async fn who_refuses_has_done_nothing_and_who_breaks_down_may_have() {
    for (status, certain) in [
        ("400 Bad Request", true),
        ("404 Not Found", true),
        ("415 Unsupported Media Type", true),
        ("500 Internal Server Error", false),
        ("502 Bad Gateway", false),
        ("302 Found\r\nlocation: /elsewhere", false),
        ("307 Temporary Redirect\r\nlocation: /elsewhere", false),
    ] {
        let answer = RawAnswer::Text(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n"));
        let server = OneRequestServer::start(answer).await;
        let taken = executor(&server.url).take(&one_command(), CONNECT).await;
        assert_eq!(matches!(taken, Err(BatchFault::TurnedDown(_))), certain, "{status}: {taken:?}");
        assert_eq!(matches!(taken, Err(BatchFault::Unclear(_))), !certain, "{status}: {taken:?}");
        server.received().await;
    }
}

#[tokio::test]
async fn a_batch_names_its_game_round_and_seed_and_how_long_its_executor_may_wait_for_news() {
    for (left, timeout) in [(2_000, "1900"), (200, "100"), (150, "75")] {
        let position = "0000000000000005-9-aaaabbbb";
        let head = format!("HTTP/1.1 200 OK\r\nStarkeep-Position: {position}\r\ncontent-length: 0\r\n\r\n");
        let server = OneRequestServer::start(RawAnswer::Text(head)).await;
        let executor = shown(&server, "s3cret");
        let batch = one_command();
        let taken = executor.take(&batch, Duration::from_millis(left)).await;
        assert_eq!(taken, Ok(Taken { position: Some(position.to_owned()) }));
        let received = server.received().await;
        for (name, value) in [
            ("starkeep-game", "00000000-0000-0000-0000-00000000006a"),
            ("starkeep-round", "12"),
            ("starkeep-seed", "18446744073709551615"),
            ("starkeep-timeout-millis", timeout),
            ("authorization", "Bearer s3cret"),
        ] {
            assert_eq!(received.header(name), Some(value), "{name}");
        }
    }
}

#[tokio::test]
async fn only_a_round_that_is_not_reached_says_that_nothing_was_carried_out_yet() {
    let problem = |code| Problem::new(code, "it is behind");
    let text = |problem: &Problem| serde_json::to_string(problem).expect("a problem is plain data");
    for (body, not_now) in [
        (text(&problem(Code::RoundNotReached)), true),
        (text(&problem(Code::MapUnavailable)), false),
        (text(&problem(Code::RobotUnavailable)), false),
        (text(&problem(Code::StorageUnavailable)), false),
        ("upstream connect error".to_owned(), false),
        (String::new(), false),
    ] {
        let answer = format!("HTTP/1.1 503 X\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let server = OneRequestServer::start(RawAnswer::Text(answer)).await;
        let taken = executor(&server.url).take(&one_command(), CONNECT).await;
        assert_eq!(matches!(taken, Err(BatchFault::NotNow(_))), not_now, "{body}: {taken:?}");
        assert_eq!(matches!(taken, Err(BatchFault::Unclear(_))), !not_now, "{body}: {taken:?}");
        server.received().await;
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_or_does_not_end_leaves_it_unclear() {
    for answer in [
        RawAnswer::Text(String::new()),
        RawAnswer::Text("HTTP/1.1 200".to_owned()),
        RawAnswer::Text("HTTP/1.1 202 Accepted\r\ncontent-type: ".to_owned()),
        RawAnswer::Text("+OK\r\n\r\n".to_owned()),
        RawAnswer::Endless("HTTP/1.1 200 OK\r\n".to_owned(), "x-more: and more\r\n"),
    ] {
        let named = format!("{answer:?}");
        let server = OneRequestServer::start(answer).await;
        let taken = executor(&server.url).take(&one_command(), CONNECT).await;
        assert!(matches!(taken, Err(BatchFault::Unclear(_))), "{named}: {taken:?}");
        server.received().await;
    }
}

#[tokio::test]
async fn an_answers_code_counts_also_if_its_body_never_ends() {
    for (status, certain) in [("202 Accepted", Ok(())), ("400 Bad Request", Err(())), ("500 Oh", Err(()))] {
        let head = format!("HTTP/1.1 {status}\r\ntransfer-encoding: chunked\r\n\r\n");
        let server = OneRequestServer::start(RawAnswer::Endless(head, "5\r\nwords\r\n")).await;
        let taken = executor(&server.url).take(&one_command(), CONNECT).await;
        assert_eq!(taken.clone().map(drop).map_err(drop), certain, "{status}");
        if let Err(fault) = taken {
            assert_eq!(matches!(fault, BatchFault::TurnedDown(_)), status.starts_with('4'), "{fault}");
        }
        server.received().await;
    }
}

#[tokio::test]
async fn a_closed_port_was_certainly_not_reached() {
    let closed = KeptPort::new().expect("a port");
    let executor = executor(&format!("http://{}", closed.address()));
    let taken = executor.take(&one_command(), CONNECT).await;
    assert!(matches!(taken, Err(BatchFault::NotReached(_))), "{taken:?}");
    assert!(executor.probe().await.is_err());
}

#[tokio::test]
async fn whether_a_service_executes_once_is_what_it_says_of_itself() {
    for (status, body, executes_once) in [
        (200, json!({"status": "ok", "executesOnce": true}).to_string(), true),
        (503, json!({"status": "failing", "executesOnce": true}).to_string(), true),
        (200, json!({"executesOnce": false}).to_string(), false),
        (200, json!({"executesOnce": "true"}).to_string(), false),
        (200, json!({"executesOnce": null}).to_string(), false),
        (200, json!({"status": "UP"}).to_string(), false),
        (200, json!([true]).to_string(), false),
        (200, "executesOnce".to_owned(), false),
        (404, String::new(), false),
    ] {
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let server = OneRequestServer::start(RawAnswer::Text(answer)).await;
        let health = executor(&server.url).probe().await.expect("it answers");
        assert_eq!(health.executes_once, executes_once, "{status} {body}");
        assert_eq!(health.fault.is_some(), status == 503, "{health:?}");
        let received = server.received().await;
        assert_eq!(received.line(), "GET /health");
    }
}

fn executor(url: &str) -> HttpExecutor {
    with_token(url, &AdminToken::default())
}

/// An executor that is shown this token.
fn shown(server: &OneRequestServer, token: &str) -> HttpExecutor {
    with_token(&server.url, &AdminToken::new(Some(token.to_owned())))
}

fn with_token(url: &str, token: &AdminToken) -> HttpExecutor {
    let url = ServiceUrl::parse(url).expect("the address of a service");
    // Its time stands still: a busy machine may take as long for an answer as it needs.
    HttpExecutor::new(url, ServiceToken::of_ours(token), ManualClock::new(Timestamp::UNIX_EPOCH))
}

fn batch(kind: Kind, commands: Vec<Arc<Command>>) -> Batch {
    Batch { game: GameId(Uuid::from_u128(0x6a)), round: 12, seed: u64::MAX, kind, commands }
}

fn one_command() -> Batch {
    let order = Order::Mine { robot: RobotId(Uuid::from_u128(1)) };
    batch(Kind::Mining, vec![command(Uuid::from_u128(2), Uuid::nil(), order)])
}

fn command(id: Uuid, player: Uuid, order: Order) -> Arc<Command> {
    let (id, player, game) = (CommandId(id), PlayerId(player), GameId(Uuid::nil()));
    Arc::new(Command { id, game, round: 1, player, order, place: 0 })
}

/// The commands that a recorded body is made of, if they are any.
fn batch_of(body: &Value) -> Option<Batch> {
    if let Some(trades) = body.as_array() {
        let commands: Vec<_> = trades.iter().map(trading_command).collect();
        let kind = commands.first().map_or(Kind::Selling, |command| command.order.kind());
        return Some(batch(kind, commands));
    }
    let texts = body["commands"].as_array().expect("texts").iter();
    let commands: Option<Vec<_>> = texts.map(|text| robot_command(text.as_str().expect("a text"))).collect();
    let commands = commands?;
    let kind = commands.first().map_or(Kind::Mining, |command| command.order.kind());
    Some(batch(kind, commands))
}

fn trading_command(trade: &Value) -> Arc<Command> {
    let text = |name: &str| trade["payload"][name].as_str().map(ToOwned::to_owned);
    let (planet, item) = (text("planetId"), text("itemName"));
    let robot = text("robotId").map(|robot| RobotId(robot.parse().expect("a robot's id")));
    let order = match (trade["payload"]["commandType"].as_str(), robot, item) {
        (Some("sell"), Some(robot), item) => Order::Sell { robot, item, planet },
        (Some("buy"), Some(robot), Some(item)) => Order::Buy { robot, item, planet },
        (Some("buy"), None, Some(item)) if item == "ROBOT" => Order::BuyRobots { quantity: 1, planet },
        _ => panic!("a trade of its own kind: {trade}"),
    };
    let id = |name: &str| trade[name].as_str().and_then(|id| id.parse().ok()).expect("an id");
    command(id("transactionId"), id("playerId"), order)
}

/// A verb and its ids, the last of which is the command's.
fn robot_command(text: &str) -> Option<Arc<Command>> {
    let (verb, ids) = text.split_once(' ')?;
    let ids: Vec<Uuid> = ids.split(' ').map(|id| id.parse().ok()).collect::<Option<_>>()?;
    let (order, id) = match (verb, &ids[..]) {
        ("move", &[robot, planet, id]) => (Order::Move { robot: RobotId(robot), planet }, id),
        ("fight", &[robot, target, id]) => {
            (Order::Fight { robot: RobotId(robot), target: RobotId(target) }, id)
        }
        ("mine", &[robot, id]) => (Order::Mine { robot: RobotId(robot) }, id),
        ("regenerate", &[robot, id]) => (Order::Regenerate { robot: RobotId(robot) }, id),
        _ => return None,
    };
    Some(command(id, Uuid::nil(), order))
}
