//! Reports on robots over a real broker: from the oldest record on, each once, over kills and outages.
//! What a report changes is tested with the game service.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::json;
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::bot::{join, registered, start};
use crate::journal::{KillLoop, ProcessRun};
use crate::program::Program;
use crate::scale::scale;
use crate::two_services::path;

const SPAWNED: &str = "spawn-notification";
const DESTROYED: &str = "robot-destroyed";
const BEFORE_THE_FIRST_START: usize = 3;
/// The robots with the lowest numbers.
const DEAD: usize = 2;
const UNREADABLE: [&str; 4] = ["no json", "{}", "[1]", r#"{"robotId":"x","playerId":"y"}"#];

fn robot(number: usize) -> Uuid {
    Uuid::from_u128(0xb0_0000 + number as u128)
}

fn owner(number: usize) -> Uuid {
    Uuid::from_u128(0xa0_0000 + number as u128 % 3)
}

/// As the robot service does it.
async fn put(broker: &Broker, topic: &str, value: &str) {
    put_at(broker, topic, value, "2026-11-15T03:14:45Z").await;
}

async fn put_at(broker: &Broker, topic: &str, value: &str, time: &str) {
    let event = Uuid::nil().to_string();
    let headers = [
        ("eventId", event.as_str()),
        ("transactionId", &event),
        ("version", "1"),
        ("timestamp", time),
        ("type", topic),
    ];
    broker.put(topic, Some(&event), &headers, value).await;
}

async fn spawn(broker: &Broker, number: usize) {
    let report = json!({ "robotId": robot(number), "playerId": owner(number), "otherSeeableRobots": [] });
    put(broker, SPAWNED, &report.to_string()).await;
}

async fn destroy(broker: &Broker, number: usize) {
    let report = json!({ "robotId": robot(number), "playerId": owner(number) });
    put(broker, DESTROYED, &report.to_string()).await;
}

/// Asks for the service's figures until there is such a line.
async fn figure(game: &Caller, line: &str) {
    let asking = async {
        loop {
            let figures = game.get("/metrics").await.expect_text(200);
            if figures.lines().any(|figure| figure == line) {
                return;
            }
        }
    };
    within_limit(line, asking).await;
}

pub(crate) async fn alive(game: &Caller, count: usize) {
    figure(game, &format!("starkeep_robots_alive {count}")).await;
}

async fn bad_records(game: &Caller, topic: &str, count: usize) {
    figure(game, &format!("starkeep_robot_news_bad_records_total{{topic=\"{topic}\"}} {count}")).await;
}

/// Announces one robot after the other until the program is gone. What was put is there: nothing is broken off.
async fn keep_spawning(broker: Arc<Broker>, next: Arc<AtomicUsize>, mut run: ProcessRun<()>) {
    while run.ended().now_or_never().is_none() {
        spawn(&broker, next.load(Ordering::Relaxed)).await;
        next.fetch_add(1, Ordering::Relaxed);
        run.journal.note(());
    }
}

/// Owner, and whether it is alive, of every robot in the file.
fn robots(database: &Connection) -> BTreeMap<Uuid, (Uuid, bool)> {
    let mut select = database.prepare("SELECT id, owner_id, alive FROM robot").unwrap();
    let id = |row: &Row<'_>, column| row.get(column).map(Uuid::from_bytes);
    let rows = select.query_map([], |row| Ok((id(row, 0)?, (id(row, 1)?, row.get(2)?)))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// How many records of each topic have been read.
fn consumed(database: &Connection) -> BTreeMap<String, usize> {
    let mut select = database.prepare("SELECT source, position FROM stream_position").unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?))).unwrap();
    let read = |(source, position): (_, String)| (source, position.parse::<usize>().unwrap() + 1);
    rows.map(Result::unwrap).map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_robot_is_learned_once_whenever_its_news_come_and_whoever_dies_meanwhile() {
    let Some(broker) = Broker::start().await else { return };
    let broker = Arc::new(broker);
    broker.create_topic(SPAWNED).await;
    let next = Arc::new(AtomicUsize::new(BEFORE_THE_FIRST_START));
    for number in 0..BEFORE_THE_FIRST_START {
        spawn(&broker, number).await;
    }
    let home = tempfile::tempdir().unwrap();
    let kill_loop = KillLoop {
        service: "all",
        flags: &["--data-dir", home.path().to_str().unwrap(), "--kafka", broker.address()],
        kills: 4 * scale(),
        acknowledged: 2..=15,
        seed: 12,
    };
    let drive = async |program: &Program, run: ProcessRun<()>| {
        if run.number.is_multiple_of(2) {
            // Half of the kills come while records are consumed as they are sent, the others while consuming begins.
            alive(&program.game(), next.load(Ordering::Relaxed)).await;
        }
        let mut load = JoinSet::new();
        load.spawn(keep_spawning(broker.clone(), next.clone(), run));
        load
    };
    let (program, _) = kill_loop.run(drive).await;
    let game = program.game();
    let spawned = next.load(Ordering::Relaxed);
    alive(&game, spawned).await;

    // The program has created this topic itself.
    for number in 0..DEAD {
        destroy(&broker, number).await;
    }
    alive(&game, spawned - DEAD).await;

    for value in UNREADABLE {
        put(&broker, SPAWNED, value).await;
    }
    put(&broker, DESTROYED, UNREADABLE[0]).await;
    bad_records(&game, SPAWNED, UNREADABLE.len()).await;
    bad_records(&game, DESTROYED, 1).await;

    let mut broker = Arc::into_inner(broker).unwrap();
    broker.kill().await;
    broker.restart().await;
    spawn(&broker, spawned).await;
    alive(&game, spawned + 1 - DEAD).await;

    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    let database = home.path().join("game.db");
    let database = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let learned = (0..=spawned).map(|number| (robot(number), (owner(number), number >= DEAD)));
    assert_eq!(robots(&database), learned.collect());
    let sent = [(SPAWNED, spawned + UNREADABLE.len() + 1), (DESTROYED, DEAD + 1)];
    assert_eq!(consumed(&database), sent.map(|(topic, records)| (topic.to_owned(), records)).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn in_msd_a_robot_acts_in_the_game_that_ran_at_the_time_in_its_header() {
    let Some(broker) = Broker::start().await else { return };
    broker.create_topic(SPAWNED).await;
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    let flags = ["--data-dir", data, "--kafka", broker.address(), "--dialect", "msd", "--start-delay", "0"];
    let program = Program::serve("all", &flags).await;
    let service = program.game();
    let (player, token) = registered(&service, 1).await;
    let new = json!({ "maxRounds": 2, "maxPlayers": 1, "duration": 86_400_000 });
    let game = service.post("/games", &new).await.expect(201)["gameId"].take();
    join(&service, &game, &token).await;
    start(&service, &game).await;

    let shown = service.get(&path(&game, "")).await.expect(200);
    let started: Timestamp = shown["startedAt"].as_str().unwrap().parse().unwrap();
    for (number, second) in [(0, started.as_second() - 1), (1, started.as_second())] {
        // As the robot service writes it.
        let time = Timestamp::from_second(second).unwrap().strftime("%Y-%m-%dT%H:%M:%S+0000").to_string();
        let report = json!({ "robotId": robot(number), "playerId": player, "otherSeeableRobots": [] });
        put_at(&broker, SPAWNED, &report.to_string(), &time).await;
    }
    alive(&service, 2).await;
    for (number, status) in [(0, 403), (1, 201)] {
        let command = json!({ "gameId": game, "playerToken": token, "robotId": robot(number),
                              "commandType": "mining", "commandObject": {} });
        service.post("/commands", &command).await.expect(status);
    }
}
