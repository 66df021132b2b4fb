//! Journal and kill: a load whose every acknowledgement is written down, a reader that is cut a thousand times, and a service that
//! is killed in between. Afterwards the journal, what was read and the log are compared.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use starkeep_client::{EventStream, From, Item};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::http::Caller;
use crate::patience::patiently;
use crate::program::Program;

const KILLS: usize = 10;
const CLIENTS: u128 = 8;
/// Events that are read between two kills, in sessions of ever other length: a thousand cuts in all.
const READ_IN_AN_ERA: usize = 2_000;
/// Sessions take from 1 to so many events.
const LONGEST_SESSION: usize = 39;

/// Transaction ids of minings that were answered with 201.
type Journal = Arc<Mutex<Vec<Uuid>>>;

/// Mines until the service is gone.
fn load(map: &Caller, planets: &[String], era: usize, journal: &Journal) -> JoinSet<()> {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (map, planets, journal) = (map.clone(), planets.to_vec(), journal.clone());
        clients.spawn(async move {
            for number in 0_u128.. {
                let id = Uuid::from_u128((era as u128) << 96 | client << 64 | number | 1 << 127);
                let planet = &planets[usize::try_from(number).unwrap() % planets.len()];
                let body = json!({ "mining": { "amount_requested": 1, "transaction_id": id } });
                let asked = map.post_meanwhile(&format!("/planets/{planet}/minings"), &body);
                // No answer: it was killed, and whether the mining took effect nobody knows.
                let Ok(Some(answer)) = asked.await else { return };
                answer.expect(201);
                journal.lock().unwrap().push(id);
            }
        });
    }
    clients
}

/// Reads so many events in sessions that are cut after a few, each resumed where the last one was.
async fn read(url: &str, seen: &mut Vec<(String, Value)>, count: usize) {
    let goal = seen.len() + count;
    let mut session = 1;
    while seen.len() < goal {
        // Runs through all lengths before one comes again: 7 and 39 have no common factor.
        session = (session + 7) % LONGEST_SESSION;
        let from = seen.last().map_or(From::Start, |(id, _)| From::After(id.clone()));
        let mut stream = EventStream::open(url, from, &[]).unwrap();
        for _ in 0..(session + 1).min(goal - seen.len()) {
            match patiently("an event", stream.next()).await.unwrap() {
                Item::Event(event) => seen.push((event.id.clone(), event.payload)),
                Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
            }
        }
    }
}

/// The whole log, page by page.
async fn log(map: &Caller) -> Vec<(String, Value)> {
    let mut events = Vec::new();
    let mut after = "start".to_owned();
    loop {
        let page = map.wanting_json().get(&format!("/events?limit=1000&after={after}")).await.expect(200);
        assert_eq!(page["gap"], Value::Null);
        let read = page["events"].as_array().unwrap();
        if read.is_empty() {
            return events;
        }
        events.extend(
            read.iter().map(|event| (event["id"].as_str().unwrap().to_owned(), event["payload"].clone())),
        );
        page["next"].as_str().unwrap().clone_into(&mut after);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_in_the_log_once_and_what_was_read_is_the_log() {
    let home = tempfile::tempdir().unwrap();
    let flags = ["--data-dir", home.path().to_str().unwrap(), "--replenish-every", "0"];
    let (journal, mut seen) = (Journal::default(), Vec::new());
    let mut planets = Vec::new();
    for era in 0..KILLS {
        let program = Program::serve("map", &flags).await;
        let map = program.map();
        if era == 0 {
            let world =
                map.post("/gameworlds", &json!({ "gameworld": { "player_amount": 1 } })).await.expect(201);
            let chart =
                map.get(&format!("/gameworlds/{}/planets", world["id"].as_str().unwrap())).await.expect(200);
            let rich = chart.as_array().unwrap().iter().filter(|planet| !planet["resource"].is_null());
            planets.extend(rich.map(|planet| planet["id"].as_str().unwrap().to_owned()));
        }
        let mut clients = load(&map, &planets, era, &journal);
        read(&format!("http://{}", program.address("map")), &mut seen, READ_IN_AN_ERA).await;
        program.kill().await;
        while let Some(client) = clients.join_next().await {
            client.unwrap();
        }
    }
    let program = Program::serve("map", &flags).await;
    let log = log(&program.map()).await;
    let left = log.len() - seen.len();
    read(&format!("http://{}", program.address("map")), &mut seen, left).await;
    assert!(seen == log, "the concatenation of all sessions is the log");

    let transactions = log.iter().filter_map(|(_, payload)| payload["transaction_id"].as_str());
    let logged: Vec<Uuid> = transactions.map(|id| id.parse().unwrap()).collect();
    let distinct: BTreeSet<_> = logged.iter().collect();
    assert_eq!(distinct.len(), logged.len(), "nothing is in the log twice");
    let journal = journal.lock().unwrap();
    assert!(journal.len() > KILLS * 50, "the load was worth the name: {}", journal.len());
    for acknowledged in journal.iter() {
        assert!(distinct.contains(acknowledged), "{acknowledged} was acknowledged and is not in the log");
    }
}
