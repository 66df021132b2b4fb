//! A bare axum server with SQLite behind it: each request is answered once its commit is on the disk.
//! There is nothing of the domain in it; who reads its events gets them after their commit.

use std::convert::Infallible;
use std::fmt::Write as _;

use axum::extract::{Path as PathSegment, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::response::Sse;
use axum::response::sse::Event;
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::stream::{self, Stream};
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;

use super::writer::Writer;

#[derive(Deserialize)]
struct Request {
    mining: Mining,
}

#[derive(Deserialize)]
struct Mining {
    amount_requested: u32,
}

#[derive(Deserialize)]
struct Chain {
    commits: u32,
}

pub(crate) fn router(writer: Writer) -> Router {
    Router::new()
        .route("/planets/{row}/minings", post(mine))
        .route("/chains/{row}", post(chain))
        .route("/events", get(events))
        .with_state(writer)
}

async fn mine(
    State(writer): State<Writer>,
    PathSegment(row): PathSegment<u32>,
    Json(Request { mining }): Json<Request>,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1], String), StatusCode> {
    let amount = mining.amount_requested;
    let position = writer.commit(row, amount).await.ok_or(StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok((StatusCode::CREATED, [(CONTENT_TYPE, "application/json")], answer(row, amount, position)))
}

/// Commits that each wait for the one before.
async fn chain(
    State(writer): State<Writer>,
    PathSegment(row): PathSegment<u32>,
    Json(Chain { commits }): Json<Chain>,
) -> Result<StatusCode, StatusCode> {
    for _ in 0..commits {
        writer.commit(row, 1).await.ok_or(StatusCode::INTERNAL_SERVER_ERROR)?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What is committed from now on.
async fn events(State(writer): State<Writer>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let live = writer.live();
    let committed = stream::unfold(live, |mut live| async move {
        loop {
            match live.recv().await {
                Ok((position, data)) => {
                    let id = format!("0123456789abcdef-{position}-01234567");
                    return Some((Ok(Event::default().event("resource-mined").id(id).data(&*data)), live));
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    // The head is sent with the first bytes: a reader knows from them that it misses nothing any more.
    let begin = stream::iter([Ok(Event::default().comment("live"))]);
    Sse::new(futures::StreamExt::chain(begin, committed))
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
