//! `POST /commands`: a batch of commands, answered when it is executed.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use starkeep_contract::dispatch::RobotCommands;
use starkeep_contract::{Code, GameId, batch_headers};
use starkeep_executor::BatchHeaders;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::documented_problems::{Away, HostOnly};

use super::Api;
use super::body::Body;
use super::refusals::{BatchRefused, NotAccepted};
use crate::app::Commands;
use crate::wire;
use crate::wire::commands::Command;

/// Executes a batch of commands, all with the same verb, in its order.
///
/// Each is a text: `move <robot> <planet> <transaction>`, `fight <robot> <robot> <transaction>`, `mine <robot> <transaction>` or
/// `regenerate <robot> <transaction>`. What comes of each is told on `movement`, `fighting`, `mining` or `regeneration`. A
/// transaction is executed once: a batch may be sent again. Needs the admin token where one is set.
#[utoipa::path(
    post, path = "/commands", operation_id = "executeCommands", tag = "services", security(("admin" = [])), request_body = RobotCommands,
    params(
        ("Starkeep-Game" = Option<GameId>, Header, description = "The game; otherwise the only one that runs."),
        ("Starkeep-Round" = inline(Option<batch_headers::Round>), Header, description = "The round, whose end of input is waited for."),
        ("Starkeep-Seed" = inline(Option<batch_headers::Unsigned>), Header, description = "What random choices are drawn from."),
        ("Starkeep-Timeout-Millis" = inline(Option<batch_headers::Unsigned>), Header, description = "How long the batch may wait; 5000 if absent, 60000 at most."),
    ),
    responses(
        (status = 202, body = String, content_type = "text/plain", description = "All commands are executed.",
            headers(("Starkeep-Position" = String, description = "Position of this service's events after the batch")),
            example = json!("Command batch accepted")),
        NotAccepted, HostOnly, BatchRefused, Away,
    )
)]
pub(super) async fn execute(
    State(Api { app, .. }): State<Api>,
    headers: HeaderMap,
    Body(RobotCommands { commands }): Body<RobotCommands>,
) -> Result<Response, ErrorResponse> {
    let commands = grouped(wire::commands::read(&commands)?);
    let batch = BatchHeaders::read(&headers)?;
    app.execute(batch, commands).await.map_err(wire::refuse)?;
    // The commands are executed: whoever cannot be told how far to read waits for the next batch's position.
    let position =
        app.position().await.map_err(|fault| ErrorResponse::new(Code::StorageUnavailable, fault))?;
    let named = [
        (header::CONTENT_TYPE.as_str(), "text/plain;charset=utf-8"),
        (batch_headers::POSITION, position.as_str()),
    ];
    Ok((StatusCode::ACCEPTED, named, "Command batch accepted").into_response())
}

/// They have the same verb.
fn grouped(commands: Vec<Command>) -> Commands {
    let (mut moves, mut attacks, mut minings, mut regenerations) = (vec![], vec![], vec![], vec![]);
    for command in commands {
        match command {
            Command::Move(order) => moves.push(order),
            Command::Fight(attack) => attacks.push(attack),
            Command::Mine(order) => minings.push(order),
            Command::Regenerate(order) => regenerations.push(order),
        }
    }
    match (moves.is_empty(), attacks.is_empty(), minings.is_empty(), regenerations.is_empty()) {
        (false, ..) => Commands::Move(moves),
        (_, false, ..) => Commands::Fight(attacks),
        (_, _, false, _) => Commands::Mine(minings),
        (.., false) => Commands::Regenerate(regenerations),
        (true, true, true, true) => Commands::None,
    }
}
