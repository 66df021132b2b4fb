//! A bare clock: one thread that sleeps until the next deadline, commits a row for each that is due and notes how late that was.
//! There are no games behind it and no events; its deadlines are those of the real one, spread evenly over a round.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use rusqlite::Connection;

use crate::clock;
use crate::failure::{During, Failure};
use crate::lateness::{Deadlines, Health, LOOKED_BACK, Lateness};
use crate::stats::percentile;

const SCHEMA: &str = "CREATE TABLE tick (number INTEGER PRIMARY KEY, timer INTEGER NOT NULL) STRICT;";

/// The kinds as the real one names them.
const INPUT_ENDED: &str = "inputEnded";
const ROUND_ENDED: &str = "roundEnded";

type Deadline = (Instant, u32, &'static str);
type Noted = Arc<Mutex<BTreeMap<&'static str, VecDeque<u32>>>>;

pub(crate) fn router(directory: &Path, deadlines: Deadlines) -> Result<Router, Failure> {
    let connection = create(directory).during("creating the bare database")?;
    let noted = Noted::default();
    let kept = noted.clone();
    thread::Builder::new()
        .name("clock".to_owned())
        .spawn(move || {
            // Nothing is noted from then on, and who reads it sees too little.
            if let Err(error) = keep(&connection, deadlines, &kept) {
                eprintln!("the clock stopped: {error}");
            }
        })
        .during("starting the clock")?;
    Ok(Router::new().route("/health", get(health)).with_state(noted))
}

fn create(directory: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(directory.join("bare.sqlite"))?;
    connection.execute_batch(super::DURABLE)?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

/// A deadline follows from the one before, never from when that was noticed.
fn keep(connection: &Connection, deadlines: Deadlines, noted: &Noted) -> rusqlite::Result<()> {
    let mut begin = connection.prepare("BEGIN IMMEDIATE")?;
    let mut insert = connection.prepare("INSERT INTO tick (timer) VALUES (?1)")?;
    let mut commit = connection.prepare("COMMIT")?;
    let quarter = Duration::from_millis(deadlines.round_millis.into()) / 4;
    let from = clock::now();
    let mut waiting: BinaryHeap<Reverse<Deadline>> = (0..deadlines.games)
        .map(|timer| {
            Reverse((from + 4 * quarter * timer / deadlines.games + 3 * quarter, timer, INPUT_ENDED))
        })
        .collect();
    let mut taken: Vec<Deadline> = Vec::new();
    while let Some(Reverse((next, ..))) = waiting.peek() {
        clock::wait_until(*next);
        let now = clock::now();
        begin.execute([])?;
        while waiting.peek().is_some_and(|Reverse((at, ..))| *at <= now)
            && let Some(Reverse((at, timer, kind))) = waiting.pop()
        {
            insert.execute([timer])?;
            taken.push((at, timer, kind));
            waiting.push(Reverse(match kind {
                INPUT_ENDED => (at + quarter, timer, ROUND_ENDED),
                _ => (at + 3 * quarter, timer, INPUT_ENDED),
            }));
        }
        commit.execute([])?;
        let committed = clock::now();
        let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, _, kind) in taken.drain(..) {
            let noted = noted.entry(kind).or_default();
            if noted.len() == LOOKED_BACK as usize {
                noted.pop_front();
            }
            noted.push_back(u32::try_from((committed - at).as_nanos()).unwrap_or(u32::MAX));
        }
    }
    Ok(())
}

async fn health(State(noted): State<Noted>) -> Json<Health> {
    let noted = noted.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let summary = |late: VecDeque<u32>| {
        let mut nanos = Vec::from(late);
        nanos.sort_unstable();
        let millis = |percent| f64::from(percentile(&nanos, percent)) / 1_000_000.0;
        Lateness { p50_millis: millis(50), p99_millis: millis(99) }
    };
    Json(Health {
        lateness: noted.into_iter().map(|(kind, late)| (kind.to_owned(), summary(late))).collect(),
    })
}
