//! A bare axum server with SQLite behind it: one writer thread that commits all that is waiting at once.
//! Each request costs one changed row and one inserted event, made durable before the answer, and nothing of
//! the domain.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;

use axum::extract::{Path as PathSegment, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::routing::post;
use axum::{Json, Router};
use rusqlite::{Connection, params};
use serde::Deserialize;
use tokio::sync::{mpsc, oneshot};

use crate::failure::{During, Failure};

/// How many rows there are to change, numbered from 1.
pub(crate) const ROWS: u32 = 1_000;

/// The most requests that share a commit.
const BATCH: usize = 1_024;

const DATABASE: &str = "bare.sqlite";

const SCHEMA: &str = "
    CREATE TABLE counter (id INTEGER PRIMARY KEY, mined INTEGER NOT NULL) STRICT;
    CREATE TABLE event (position INTEGER PRIMARY KEY, payload TEXT NOT NULL) STRICT;
";

#[derive(Deserialize)]
struct Request {
    mining: Mining,
}

#[derive(Deserialize)]
struct Mining {
    amount_requested: u32,
}

struct Job {
    row: u32,
    amount: u32,
    /// Gets the event's position once it is on the disk.
    committed: oneshot::Sender<i64>,
}

pub(crate) fn router(directory: &Path) -> Result<Router, Failure> {
    let connection = create(directory).during("creating the bare database")?;
    let (queue, jobs) = mpsc::channel(BATCH);
    thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || {
            // Requests find the queue closed from then on, and the load shows their 500.
            if let Err(error) = write(&connection, jobs) {
                eprintln!("the writer stopped: {error}");
            }
        })
        .during("starting the writer")?;
    Ok(Router::new().route("/planets/{row}/minings", post(mine)).with_state(queue))
}

async fn mine(
    State(queue): State<mpsc::Sender<Job>>,
    PathSegment(row): PathSegment<u32>,
    Json(Request { mining }): Json<Request>,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1], String), StatusCode> {
    let amount = mining.amount_requested;
    let (committed, position) = oneshot::channel();
    queue.send(Job { row, amount, committed }).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let position = position.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok((StatusCode::CREATED, [(CONTENT_TYPE, "application/json")], answer(row, amount, position)))
}

fn create(directory: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(directory.join(DATABASE))?;
    connection.execute_batch(super::DURABLE)?;
    connection.execute_batch(SCHEMA)?;
    let transaction = connection.transaction()?;
    for row in 1..=ROWS {
        transaction.prepare_cached("INSERT INTO counter (id, mined) VALUES (?1, 0)")?.execute([row])?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// What arrives while a commit is under way shares the next one.
fn write(connection: &Connection, mut jobs: mpsc::Receiver<Job>) -> rusqlite::Result<()> {
    let mut begin = connection.prepare("BEGIN IMMEDIATE")?;
    let mut update = connection.prepare("UPDATE counter SET mined = mined + ?2 WHERE id = ?1")?;
    let mut insert = connection.prepare("INSERT INTO event (payload) VALUES (?1)")?;
    let mut commit = connection.prepare("COMMIT")?;
    let mut batch = Vec::with_capacity(BATCH);
    let mut answers = Vec::with_capacity(BATCH);
    let mut text = String::with_capacity(512);
    while jobs.blocking_recv_many(&mut batch, BATCH) > 0 {
        begin.execute([])?;
        for Job { row, amount, committed } in batch.drain(..) {
            update.execute(params![row, amount])?;
            payload(&mut text, row, amount);
            insert.execute([&text])?;
            answers.push((committed, connection.last_insert_rowid()));
        }
        commit.execute([])?;
        for (committed, position) in answers.drain(..) {
            // A client that has disconnected needs no answer.
            let _ = committed.send(position);
        }
    }
    Ok(())
}

fn payload(text: &mut String, row: u32, amount: u32) {
    text.clear();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        r#"{{"planet_id":"6f2a1c04-58be-4d7e-9a31-{row:012}","resource_id":"b81e9d53-07c2-4f6a-8e45-{row:012}","resource_type":"coal","amount_mined":{amount},"amount_left":9999,"transaction_id":"","robot_id":"1d4c7f90-e3a6-4b28-8c5d-{row:012}"}}"#
    );
}

fn answer(row: u32, amount: u32, position: i64) -> String {
    let mut text = String::with_capacity(384);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        r#"{{"id":"93b05e7a-2c41-4d8f-a6e9-{position:012}","planet_id":"6f2a1c04-58be-4d7e-9a31-{row:012}","resource_id":"b81e9d53-07c2-4f6a-8e45-{row:012}","resource_type":"coal","amount_requested":{amount},"amount_mined":{amount},"amount_left":9999,"transaction_id":null,"robot_id":null,"created_at":"2026-01-01T00:00:00.000000Z"}}"#
    );
    text
}

/// What the row has come to and how many events there are, read by a connection of its own.
#[cfg(test)]
pub(crate) fn stored(directory: &Path, row: u32) -> (u32, u32) {
    let connection = Connection::open(directory.join(DATABASE)).unwrap();
    let query = "SELECT mined, (SELECT count(*) FROM event) FROM counter WHERE id = ?1";
    connection.query_row(query, [row], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_as_large_as_a_real_one() {
        let mut text = String::new();
        payload(&mut text, 7, 1);
        assert!((230..=270).contains(&text.len()), "{} bytes", text.len());
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    }
}
