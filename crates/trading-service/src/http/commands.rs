//! `POST /commands`: a batch of purchases or sales from the game service. A command that fails is no failure of the batch:
//! it gets its event, and the others are executed.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, HeaderValue, header};
use serde_json::Value;
use starkeep_contract::found::found;
use starkeep_contract::{Code, Problem, batch_headers};
use starkeep_executor::BatchHeaders;
use starkeep_platform::http::documented_problems::{Conflict, HostOnly};
use starkeep_platform::http::json::{self, Fault};
use starkeep_platform::http::{ErrorResponse, read_up_to};

use super::refusals::BadBatch;
use crate::app::{App, BatchFailure};
use crate::wire;

/// About 200,000 commands.
pub(super) const LARGEST_BATCH: usize = 64 * 1024 * 1024;

/// Executes a batch of commands in list order.
///
/// The answer comes when everything is executed; what came of each command is published on `trades`. A command is executed once:
/// a batch that is sent again gets the same answer. With `Starkeep-Round` the batch waits until the round is known here.
#[utoipa::path(
    post, path = "/commands", operation_id = "executeCommands", tag = "services", security((), ("admin" = [])),
    params(
        ("Starkeep-Game" = Option<uuid::Uuid>, Header, description = "The game; without it the only one that runs."),
        ("Starkeep-Round" = inline(Option<batch_headers::Round>), Header, description = "The round; without it the batch waits for nothing."),
        ("Starkeep-Seed" = inline(Option<batch_headers::Unsigned>), Header, description = "What the game's random choices are drawn from."),
        ("Starkeep-Timeout-Millis" = inline(Option<batch_headers::Unsigned>), Header, description = "How long the batch may take; 5000 if absent, 60000 at most."),
    ),
    request_body(content = Vec<Value>, description = "The commands, as the game service sends them.", example = json!([{
        "transactionId": "5eed0000-0000-4000-8000-000000000007", "playerId": "5eed0000-0000-4000-8000-000000000004",
        "payload": { "commandType": "buy", "robotId": null, "amount": 1, "planetId": null, "itemName": "ROBOT" },
    }])),
    responses(
        (status = 200, body = String, content_type = "text/plain", description = "Everything is executed. The body is empty.",
            headers(("Starkeep-Position" = String, description = "The position of this service's events after the batch"))),
        BadBatch, HostOnly, Conflict,
    )
)]
pub(super) async fn execute(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, ErrorResponse> {
    let (parts, body) = request.into_parts();
    let headers = BatchHeaders::read(&parts.headers)?;
    let body = read_up_to(body, LARGEST_BATCH).await?;
    let commands = match serde_json::from_slice(&body).or_else(|_| json::read(&body)) {
        Ok(Value::Array(elements)) => elements.iter().map(wire::command).collect(),
        Ok(other) => {
            let text = format!("expected a list of commands, found {}; nothing was executed", found(&other));
            return Err(ErrorResponse::new(Code::NotABatch, text));
        }
        Err(Fault::Unreadable(text) | Fault::Field { text, .. }) => {
            return Err(ErrorResponse::new(Code::UnreadableJson, text));
        }
    };
    app.execute(commands, headers).await.map_err(|failure| refused(&app, failure))?;
    let position = app.log_position().await.map_err(|fault| ErrorResponse::unreadable(&fault))?;
    Ok(executed(&position))
}

fn executed(position: &str) -> Response {
    let mut response = ().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    if let Ok(position) = HeaderValue::from_str(position) {
        headers.insert(HeaderName::from_static(batch_headers::POSITION), position);
    }
    response
}

fn refused(app: &App, failure: BatchFailure) -> ErrorResponse {
    match failure {
        BatchFailure::Refused(refusal) => wire::refuse_batch(app.dialect, refusal),
        BatchFailure::OutOfTime => ErrorResponse::new(
            Code::RobotUnavailable,
            "not everything was executed in time, since the robot service does not answer or an earlier batch takes long; what was \
             begun is finished later, so send the batch again",
        ),
        BatchFailure::Ended { game } => Problem::spoken(
            app.dialect,
            Code::GameEnded,
            format!("game {game} ended before everything was executed; the rest of the batch is not"),
        )
        .into(),
        BatchFailure::Failed(failure) => wire::refuse(app.dialect, failure),
    }
}
