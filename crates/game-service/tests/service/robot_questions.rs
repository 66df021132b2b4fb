//! Robots that nobody has told of: before a command is refused for one, the robot service is asked.
//! What it says is kept; a service that is not there, or does not answer, leaves the command waiting for the report.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::join_all;
use jiff::Timestamp;
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_fault_harness::KeptPort;
use starkeep_game_core::{GameId, PlayerId, RobotId, RobotReport};
use starkeep_game_service::ports::{ExecutorHealth, FoundRobot, RobotDirectory as _};
use starkeep_game_service::{HttpRobotDirectory, ServiceToken, ServiceUrl};
use starkeep_platform::clock::{Clock, ManualClock};
use starkeep_platform::http::auth::AdminToken;
use starkeep_test_harness::{Reply, TestRequest, delete, post};
use starkeep_test_http::{OneRequestServer, RawAnswer, ScriptedServer};
use uuid::Uuid;

use crate::fake_directory::Says;
use crate::harness::{Bench, Setup};
use crate::playing::Match;

fn robot(number: u128) -> Uuid {
    Uuid::from_u128(0xb0_0000 + number)
}

fn body_for(it: &Match, robot: Uuid) -> Value {
    let mut body = it.of_ada("mining", &json!({}));
    body["robotId"] = json!(robot);
    body
}

fn command_for(it: &Match, robot: Uuid) -> TestRequest {
    post("/commands").json(&body_for(it, robot))
}

/// Asks, and is answered at once, whatever the clock does.
async fn at_once(bench: &Bench, ask: TestRequest) -> Reply {
    match futures::poll!(Box::pin(bench.ask(ask))) {
        Poll::Ready(reply) => reply,
        Poll::Pending => panic!("it waits"),
    }
}

#[tokio::test]
async fn a_robot_of_which_nobody_told_can_be_commanded_and_is_asked_for_once() {
    for dialect in [Dialect::Standard, Dialect::Msd] {
        let mut it = Match::with(Setup { dialect, ..Setup::default() }).await;
        it.bench.directory.says(robot(1), Says::Of { owner: it.ada.0, alive: true });
        for _ in 0..2 {
            // Nobody moves the clock, so that whatever waited would do so for ever.
            it.bench.ask(command_for(&it, robot(1))).await.is(201);
            it.bench.compare_replica().await;
            it.bench.restart().await;
        }
        assert_eq!(it.bench.directory.asked(), [robot(1)]);
    }
}

#[tokio::test]
async fn in_msd_a_robot_that_was_asked_for_belongs_to_the_running_game() {
    let mut it = Match::with(Setup { dialect: Dialect::Msd, ..Setup::in_memory() }).await;
    it.bench.directory.says(robot(1), Says::Of { owner: it.ada.0, alive: true });
    it.bench.ask(command_for(&it, robot(1))).await.is(201);
    it.bench.end(it.game).await.is(201);
    it.game = it.bench.create(9, 2).await;
    it.bench.put_in(it.game, it.ada.1).await.is(200);
    it.bench.start(it.game).await.is(201);
    at_once(&it.bench, command_for(&it, robot(1))).await.refused(403, "robot-of-earlier-game", None);
}

#[tokio::test]
async fn what_the_robot_service_says_refuses_a_command_at_once() {
    let it = Match::in_memory().await;
    let stranger = Uuid::from_u128(0xdead);
    for (number, says, status, code) in [
        (1, Says::Nowhere, 404, "unknown-robot"),
        (2, Says::Of { owner: it.bob.0, alive: true }, 409, "foreign-robot"),
        (3, Says::Of { owner: it.bob.0, alive: false }, 409, "foreign-robot"),
        (4, Says::Of { owner: it.ada.0, alive: false }, 409, "robot-destroyed"),
        (5, Says::Of { owner: stranger, alive: true }, 404, "unknown-robot"),
    ] {
        it.bench.directory.says(robot(number), says);
        at_once(&it.bench, command_for(&it, robot(number))).await.refused(status, code, None);
    }
    // Whoever is not told of is asked for again, and all of a request at once.
    it.bench.directory.says(robot(6), Says::Of { owner: it.ada.0, alive: true });
    let all = [1, 2, 4, 5, 6].map(|number| body_for(&it, robot(number)));
    let answers = at_once(&it.bench, post("/commands/batch").json(&json!(all))).await.is(200);
    let statuses: Vec<_> = answers.as_array().expect("a list").iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [404, 409, 409, 404, 201]);
    assert_eq!(it.bench.directory.asked(), [1, 2, 3, 4, 5, 1, 5, 6].map(robot));
    assert_eq!(it.bench.directory.at_once().0, 0);
}

#[tokio::test]
async fn a_robot_of_our_own_service_waits_for_its_stream_which_names_the_game() {
    let it = Match::with(Setup { streams: true, ..Setup::in_memory() }).await;
    it.bench.robots.set_health(Ok(ExecutorHealth { executes_once: true, fault: None }));
    it.ada_sends("mining", json!({})).await;
    it.bench.advance(3_000).await;
    it.bench.advance(1_000).await;
    assert_eq!(it.bench.robots.probes(), 1, "it has said what it is");
    it.bench.directory.says(robot(1), Says::Nowhere);
    at_once(&it.bench, command_for(&it, robot(1))).await.refused(404, "unknown-robot", None);
    it.bench.directory.says(robot(2), Says::Of { owner: it.ada.0, alive: true });
    let mut waiting = Box::pin(it.bench.ask(command_for(&it, robot(2))));
    assert!(futures::poll!(&mut waiting).is_pending());
    it.ping().await;
    assert!(futures::poll!(&mut waiting).is_pending(), "nothing was recorded");
    let game = GameId(Uuid::from_u128(0x6a));
    let report = RobotReport::SpawnedIn { robot: RobotId(robot(2)), owner: PlayerId(it.ada.0), game };
    it.bench.service().app().record_robot_report(report).await.expect("it is recorded");
    waiting.await.refused(409, "robot-of-earlier-game", None);
}

#[tokio::test]
async fn nobody_is_asked_about_a_robot_that_is_known_or_a_command_that_is_refused_anyway() {
    let it = Match::in_memory().await;
    it.ada_sends("mining", json!({})).await;
    let eve = it.bench.register("eve").await;
    let mut outside = body_for(&it, robot(1));
    outside["playerToken"] = json!(eve.1);
    at_once(&it.bench, post("/commands").json(&outside)).await.refused(409, "not-participating", None);
    it.bench.advance(3_000).await;
    at_once(&it.bench, command_for(&it, robot(1))).await.refused(409, "input-ended", None);
    assert_eq!(it.bench.directory.asked(), Vec::<Uuid>::new());
}

#[tokio::test]
async fn where_there_is_no_answer_the_report_is_waited_for() {
    for executors in [true, false] {
        let it = Match::with(Setup { executors, ..Setup::in_memory() }).await;
        for held in [false, true] {
            it.bench.directory.hold(held);
            let unknown = robot(if held { 2 } else { 1 });
            let mut waiting = Box::pin(it.bench.ask(command_for(&it, unknown)));
            assert!(futures::poll!(&mut waiting).is_pending());
            it.bench.advance(499).await;
            assert!(futures::poll!(&mut waiting).is_pending());
            it.bench.advance(1).await;
            waiting.await.refused(404, "unknown-robot", None);
            let asked = [robot(1), robot(2)].into_iter().take(if held { 2 } else { 1 });
            let asked: Vec<_> = if executors { asked.collect() } else { Vec::new() };
            assert_eq!(it.bench.directory.asked(), asked);
            assert_eq!(it.bench.directory.at_once().0, 0, "it is broken off");
            it.bench.advance(3_000).await;
            it.bench.advance(500).await;
        }
    }
}

#[tokio::test]
async fn a_report_that_comes_first_ends_the_wait_also_of_a_robot_that_is_dead() {
    let it = Match::in_memory().await;
    it.bench.directory.hold(true);
    for alive in [true, false] {
        let young = robot(u128::from(alive));
        let mut waiting = Box::pin(it.bench.ask(command_for(&it, young)));
        assert!(futures::poll!(&mut waiting).is_pending());
        if alive {
            it.bench.spawn(young, it.ada.0).await;
            waiting.await.is(201);
        } else {
            // Its end is the first that is heard of it, and it is not kept in memory.
            assert_eq!(it.bench.ask(delete(format!("/robots/{young}"))).await.status, 204);
            waiting.await.refused(409, "robot-destroyed", None);
        }
    }
}

#[tokio::test]
async fn many_commands_for_a_robot_share_a_question_and_few_questions_are_asked_at_once() {
    let it = Match::in_memory().await;
    it.bench.directory.hold(true);
    let same = join_all((0..50).map(|_| it.bench.ask(command_for(&it, robot(1)))));
    let mut same = Box::pin(same);
    assert!(futures::poll!(&mut same).is_pending());
    assert_eq!(it.bench.directory.asked(), [robot(1)]);

    let many = (1..=100).map(robot);
    for robot in many.clone() {
        it.bench.directory.says(robot, Says::Of { owner: it.ada.0, alive: true });
    }
    let bodies: Vec<_> = many.map(|robot| body_for(&it, robot)).collect();
    let mut batch = Box::pin(it.bench.ask(post("/commands/batch").json(&json!(bodies))));
    assert!(futures::poll!(&mut batch).is_pending());
    assert_eq!(it.bench.directory.asked().len(), 16);
    it.bench.directory.hold(false);
    for reply in same.await {
        reply.is(201);
    }
    let answers = batch.await.is(200);
    assert!(answers.as_array().expect("a list").iter().all(|answer| answer["status"] == 201));
    assert_eq!((it.bench.directory.asked().len(), it.bench.directory.at_once()), (100, (0, 16)));
}

fn directory(url: &str, clock: Arc<dyn Clock>) -> HttpRobotDirectory {
    let token = AdminToken::new(Some("s3cret".to_owned()));
    let token = ServiceToken::of_ours(&token);
    HttpRobotDirectory::new(ServiceUrl::parse(url).expect("the address of a service"), token, clock)
}

#[tokio::test]
async fn the_existing_robot_service_is_understood() {
    let (id, owner) = (robot(1), Uuid::from_u128(0xa1));
    let text = |status: &str, body: &str| {
        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    };
    let of = |id: Uuid, alive: bool| {
        json!({"id": id, "player": owner, "planet": Uuid::nil(), "alive": alive, "maxHealth": 10, "energy": 20,
               "inventory": {"maxStorage": 20, "usedStorage": 0, "storedCoal": 0}})
        .to_string()
    };
    // A busy machine may take as long for an answer as it needs.
    let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
    let found = |alive| Ok(Some(FoundRobot { owner: PlayerId(owner), alive, game: None }));
    for (answer, understood) in [
        (text("200", &of(id, true)), found(true)),
        (text("200", &of(id, false)), found(false)),
        (text("404", &format!("Robot with ID {id} not found")), Ok(None)),
        (text("200", &of(owner, true)), Err(())),
        (text("200", r#"{"id":"x"}"#), Err(())),
        (text("200", "[]"), Err(())),
        (text("400", ""), Err(())),
        (text("500", &of(id, true)), Err(())),
        (text("200", &" ".repeat(100_000)), Err(())),
        ("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{".to_owned(), Err(())),
        (String::new(), Err(())),
    ] {
        let server = OneRequestServer::start(RawAnswer::Text(answer.clone())).await;
        let directory = directory(&server.url, clock.clone());
        assert_eq!(directory.find(RobotId(id)).await.map_err(drop), understood, "{answer:.60}");
        let asked = server.received().await;
        assert_eq!(asked.header("authorization"), Some("Bearer s3cret"));
        assert_eq!(asked.line(), format!("GET /robots/{id}"));
    }
    let closed = KeptPort::new().expect("a port");
    let directory = directory(&format!("http://{}", closed.address()), clock);
    assert!(directory.find(RobotId(id)).await.is_err());
}

#[tokio::test]
async fn a_robot_service_that_is_silent_is_not_waited_for_longer_than_a_report() {
    let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
    // Connections come about, and nobody serves them.
    let silent = ScriptedServer::start().await;
    let directory = directory(&silent.url(), clock.clone());
    let mut finding = Box::pin(directory.find(RobotId(robot(1))));
    assert!(futures::poll!(&mut finding).is_pending());
    clock.advance(Duration::from_millis(499));
    assert!(futures::poll!(&mut finding).is_pending());
    clock.advance(Duration::from_millis(1));
    assert!(finding.await.is_err());
}
