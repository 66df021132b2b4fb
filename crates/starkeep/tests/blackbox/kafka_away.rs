//! A broker that dies, is away or comes late: nothing is held up meanwhile, and everything arrives once and in order later.
//! Also where sending begins in an installation that has done without a broker so far.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join_all;
use serde_json::Value;
use starkeep_client::{EventStream, Item, StartFrom};
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};
use uuid::Uuid;

use crate::journal::whole_log;
use crate::program::Program;
use crate::relayed::{Event, assert_same, assert_topics_are_the_log, health, logged, nothing_waits, sent};
use crate::scale::scale;
use crate::traffic::{
    ENDLESS, ROUND_MILLIS, change_pace, create_and_end, mine, planets_of_a_new_world, played_game,
};
use crate::two_services::{END, path};

/// Minings at once.
const BURST: usize = 16;
/// Two seconds of them.
const ROUNDS_OF_AN_OUTAGE: usize = 2_000 / ROUND_MILLIS;

/// A load in step with the rounds of a running game, which also tell how much time has passed.
struct Play {
    game: Caller,
    map: Caller,
    planets: Arc<[String]>,
    played: Value,
    boundaries: EventStream,
    mined: u128,
}

impl Play {
    async fn begin(program: &Program) -> Self {
        let (game, map) = (program.game(), program.map());
        let planets = planets_of_a_new_world(&map).await;
        let url = format!("http://{}", program.address("game"));
        let mut boundaries = EventStream::open(&url, StartFrom::End, &["roundStatus"]).unwrap();
        within_limit("a stream", boundaries.ready()).await.unwrap();
        let played = played_game(&game, ENDLESS).await;
        Self { game, map, planets, played, boundaries, mined: 0 }
    }

    /// Many minings at once, and with them a game that comes and goes: all of them are answered.
    async fn burst(&mut self) {
        let first = self.mined;
        self.mined += BURST as u128;
        let planets = self.planets.iter().cycle();
        let minings = (first..self.mined)
            .zip(planets)
            .map(|(number, planet)| mine(&self.map, planet, Uuid::from_u128(1 << 127 | number)));
        let (mined, hosted) = tokio::join!(join_all(minings), create_and_end(&self.game));
        assert!(hosted && mined.into_iter().all(|mined| mined), "the program is there");
    }

    /// Lets a round pass, with a burst at each of its boundaries.
    async fn round(&mut self) {
        loop {
            let boundary = match within_limit("a round's boundary", self.boundaries.next()).await.unwrap() {
                Item::Event(event) => event.payload,
                Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
            };
            self.burst().await;
            if boundary["roundStatus"] == "ended" {
                return;
            }
        }
    }

    async fn rounds(&mut self, count: usize) {
        for _ in 0..count {
            self.round().await;
        }
    }
}

/// Does the other thing again and again until the first is done.
async fn during(first: impl Future<Output = ()>, mut other: impl AsyncFnMut()) {
    let done = Cell::new(false);
    let doing = async {
        first.await;
        done.set(true);
    };
    let meanwhile = async {
        while !done.get() {
            other().await;
        }
    };
    tokio::join!(doing, meanwhile);
}

/// Returns when `/health` shows that the broker is unreachable and how many events wait for it.
async fn waits(service: &Caller, events: &str) {
    let waiting = format!("{events} events wait in the log, since ");
    let shows_outage = |health: &Value| {
        let kafka = &health["parts"]["kafka"];
        let words = kafka["detail"].as_str().unwrap();
        health["status"] == "degraded" && kafka["status"] == "degraded" && words.contains(&waiting)
    };
    health(service, "the outage to be shown", shows_outage).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_again_and_again_gets_every_event_once_and_in_order() {
    let Some(mut broker) = Broker::start().await else { return };
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    let flags = ["--data-dir", data, "--kafka", broker.address(), "--replenish-every", "0"];
    let program = Program::serve("all", &flags).await;
    broker_killed_again_and_again(&mut broker, &program, scale().div_ceil(2)).await;
}

/// All topics have been compared with the log when it returns.
pub(crate) async fn broker_killed_again_and_again(broker: &mut Broker, program: &Program, outages: usize) {
    let mut play = Play::begin(program).await;
    for outage in 0..outages {
        nothing_waits(program).await;
        change_pace(&play.game, &play.played, ["clock", "turbo"][outage % 2]).await;
        // Without a break, so that something is under way when it dies: there, and not acknowledged.
        during(broker.kill(), async || play.burst().await).await;
        play.rounds(ROUNDS_OF_AN_OUTAGE * scale()).await;
        waits(&play.game, "").await;
        waits(&play.map, "").await;
        during(broker.restart(), async || play.round().await).await;
        play.round().await;
    }
    nothing_waits(program).await;
    program.game().post(&path(&play.played, END), &Value::Null).await.expect(201);
    assert_topics_are_the_log(broker, program).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_comes_late_gets_what_was_played_without_it() {
    let Some(mut broker) = Broker::start().await else { return };
    broker.stop().await;
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    let flags = ["--data-dir", data, "--kafka", broker.address(), "--replenish-every", "0"];
    let program = Program::serve("all", &flags).await;
    play_a_whole_game(&program).await;
    for service in [program.game(), program.map()] {
        waits(&service, &format!("; {}", whole_log(&service).await.len())).await;
    }
    broker.restart().await;
    for service in [program.game(), program.map()] {
        health(&service, "everything to be well", |health| health["status"] == "ok").await;
    }
    let counts = assert_topics_are_the_log(&broker, &program).await;
    assert_eq!((counts["status"], counts["roundStatus"], counts["resource-mined"]), (3, 6, 1));
}

/// A game of two rounds is created, started and played to its end, and something is mined meanwhile.
async fn play_a_whole_game(program: &Program) {
    let url = format!("http://{}", program.address("game"));
    let mut events = EventStream::open(&url, StartFrom::End, &["status"]).unwrap();
    within_limit("a stream", events.ready()).await.unwrap();
    played_game(&program.game(), 2).await;
    let planets = planets_of_a_new_world(&program.map()).await;
    assert!(mine(&program.map(), &planets[0], Uuid::from_u128(1)).await);
    loop {
        match within_limit("the game's end", events.next()).await.unwrap() {
            Item::Event(event) if event.payload["status"] == "ended" => return,
            Item::Event(_) => {}
            Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
        }
    }
}

/// An installation whose log has events before it has a broker; others may send to the same topics.
struct Newcomer {
    home: tempfile::TempDir,
    before: usize,
}

impl Newcomer {
    async fn new() -> Self {
        let newcomer = Self { home: tempfile::tempdir().unwrap(), before: 0 };
        let program = newcomer.serve(&[]).await;
        assert!(create_and_end(&program.game()).await);
        let before = logged(&whole_log(&program.game()).await, "status").len();
        program.kill().await;
        Self { before, ..newcomer }
    }

    async fn serve(&self, flags: &[&str]) -> Program {
        let flags = [&["--data-dir", self.home.path().to_str().unwrap()], flags].concat();
        Program::serve("all", &flags).await
    }

    /// Publishes more events and returns what of its log is in the topic, and the whole log.
    async fn publish_and_compare(&self, broker: &Broker, flags: &[&str]) -> (Vec<Event>, Vec<Event>) {
        let program = self.serve(&[&["--kafka", broker.address()], flags].concat()).await;
        assert!(create_and_end(&program.game()).await);
        nothing_waits(&program).await;
        let log = logged(&whole_log(&program.game()).await, "status");
        program.kill().await;
        let ids: BTreeSet<_> = log.iter().map(|event| event.header("eventId")).collect();
        let mut arrived = sent(broker, "status").await;
        arrived.retain(|event| ids.contains(event.header("eventId")));
        (arrived, log)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_told_before_there_was_a_broker_is_sent_only_where_it_is_asked_for_the_first_time() {
    let Some(broker) = Broker::start().await else { return };
    let newcomer = Newcomer::new().await;
    let (arrived, log) = newcomer.publish_and_compare(&broker, &["--kafka-from", "start"]).await;
    assert_eq!(log.len(), newcomer.before + 2);
    assert_same("status", &arrived, &log);

    let newcomer = Newcomer::new().await;
    let (arrived, log) = newcomer.publish_and_compare(&broker, &[]).await;
    assert_same("status", &arrived, &log[newcomer.before..]);
    let (arrived, log) = newcomer.publish_and_compare(&broker, &["--kafka-from", "start"]).await;
    assert_eq!(log.len(), newcomer.before + 4);
    assert_same("status", &arrived, &log[newcomer.before..]);
}
