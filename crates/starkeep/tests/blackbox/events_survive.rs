//! Minings under kills: what was acknowledged is in the log once and has left its planet, and a reader that is cut a thousand
//! times has read the log, no more and no less.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use starkeep_client::{EventStream, Item, StartFrom};
use starkeep_test_http::{Caller, within_limit};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::journal::{KillLoop, ProcessRun, assert_kept, whole_log};
use crate::program::Program;
use crate::traffic::planets_of_a_new_world;

const KILLS: usize = 10;
const CLIENTS: usize = 8;
const EVENTS: usize = 20_000;
const CUTS: usize = 1_000;
/// Sessions take from 1 to so many events.
const LONGEST_SESSION: usize = 39;
/// What a planet holds before it is mined.
const DEPOSIT: i64 = 10_000;

/// A mining, as it is in the answer and in the log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mined {
    transaction: String,
    planet: String,
    amount: i64,
}

impl Mined {
    fn from(mining: &Value) -> Self {
        let text = |key: &str| mining[key].as_str().unwrap().to_owned();
        let amount = mining["amount_mined"].as_i64().unwrap();
        Self { transaction: text("transaction_id"), planet: text("planet_id"), amount }
    }
}

/// Mines one planet after the other until the service is gone.
async fn mine(map: Caller, planets: Arc<[String]>, client: usize, run: ProcessRun<Mined>) {
    for (number, planet) in planets.iter().cycle().enumerate() {
        let id = 1 << 127 | (run.number as u128) << 96 | (client as u128) << 64 | number as u128;
        let order = json!({ "mining": { "amount_requested": 1, "transaction_id": Uuid::from_u128(id) } });
        // No answer: it was killed, and whether the mining took effect nobody knows.
        let Ok(Some(answer)) = map.post_meanwhile(&format!("/planets/{planet}/minings"), &order).await else {
            return;
        };
        run.journal.note(Mined::from(&answer.expect(201)));
    }
}

/// What was read, in sessions that end after a few events, each resumed where the last one was.
#[derive(Default)]
struct Reading {
    events: Vec<(String, Value)>,
    cuts: usize,
}

impl Reading {
    async fn go_on(&mut self, url: &str, at_most: usize) {
        // 7 and 39 have no common factor: all lengths come before one comes again.
        let length = self.cuts * 7 % LONGEST_SESSION + 1;
        self.cuts += 1;
        let from = self.events.last().map_or(StartFrom::Start, |(id, _)| StartFrom::After(id.clone()));
        let mut stream = EventStream::open(url, from, &[]).unwrap();
        for _ in 0..length.min(at_most) {
            match stream.next().await.unwrap() {
                Item::Event(event) => self.events.push((event.id.clone(), event.payload)),
                Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
            }
        }
    }

    async fn until_the_kill(reading: Arc<Mutex<Self>>, url: String, mut run: ProcessRun<Mined>) {
        let mut reading = reading.lock().await;
        let read_on = async {
            loop {
                reading.go_on(&url, usize::MAX).await;
            }
        };
        tokio::select! {
            () = run.ended() => {}
            () = read_on => {}
        }
    }
}

fn url(program: &Program) -> String {
    format!("http://{}", program.address("map"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_in_the_log_once_and_what_was_read_is_the_log() {
    let home = tempfile::tempdir().unwrap();
    let kill_loop = KillLoop {
        service: "map",
        flags: &["--data-dir", home.path().to_str().unwrap(), "--replenish-every", "0"],
        kills: KILLS,
        acknowledged: 2_000..=2_400,
        seed: 1,
    };
    let reading = Arc::new(Mutex::new(Reading::default()));
    let mut planets = Arc::default();
    let drive = async |program: &Program, run: ProcessRun<Mined>| {
        let map = program.map();
        if run.number == 0 {
            planets = planets_of_a_new_world(&map).await;
        }
        let mut load = JoinSet::new();
        for client in 0..CLIENTS {
            load.spawn(mine(map.clone(), planets.clone(), client, run.clone()));
        }
        load.spawn(Reading::until_the_kill(reading.clone(), url(program), run));
        load
    };
    let (program, journal) = kill_loop.run(drive).await;

    let log = whole_log(&program.map()).await;
    let minings = log.iter().filter(|event| event["channel"] == "resource-mined");
    let logged: Vec<Mined> = minings.map(|event| Mined::from(&event["payload"])).collect();
    assert_kept(&journal, &logged, KILLS * CLIENTS);
    assert!(journal.len() >= EVENTS, "the load was worth the name: {}", journal.len());

    let mut left: BTreeMap<_, _> = planets.iter().map(|planet| (planet.clone(), DEPOSIT)).collect();
    for mining in &logged {
        *left.get_mut(&mining.planet).unwrap() -= mining.amount;
    }
    for (planet, left) in left {
        let shown = program.map().get(&format!("/planets/{planet}")).await.expect(200);
        assert_eq!(shown["resource"]["current_amount"], left, "what left {planet} is what the log says");
    }

    let mut reading = reading.lock().await;
    let logged = log.iter().map(|event| (event["id"].as_str().unwrap().to_owned(), event["payload"].clone()));
    while reading.events.len() < log.len() {
        let left = log.len() - reading.events.len();
        within_limit("the rest of the log", reading.go_on(&url(&program), left)).await;
    }
    assert!(reading.events.iter().cloned().eq(logged), "the concatenation of all sessions is the log");
    assert!(reading.cuts >= CUTS, "{} sessions", reading.cuts);
}
