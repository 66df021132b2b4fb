//! `/games/{gameId}/gameCommands`: what a host orders a game to do.

use axum::extract::State;
use starkeep_contract::GameId;
use starkeep_contract::game::Game as GameView;
use starkeep_game_core::{Game, GameId as CoreGameId};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{Away, Conflict, HostOnly};
use starkeep_platform::http::{ErrorResponse, Id};
use starkeep_platform::idempotency::IdempotencyContext;

use super::Shared;
use super::refusals::UnknownGame;
use crate::app::Outcome;
use crate::wire::Wire;

/// Start a game: round 1 begins at once, or after the host's `--start-delay`.
///
/// The gameworld is sized for the players who joined. Any number of players may start, none included. In the `msd` dialect, where
/// events are sent to Kafka, the start waits until all earlier ones are there; 503 `kafka-unavailable` if they do not get there.
#[utoipa::path(post, path = "/games/{gameId}/gameCommands/start", operation_id = "startGame", tag = "commands", security(("admin" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 201, body = GameView, description = "The running game"),
    HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn start(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    let answer = answer_in(app.wire);
    let started = app.start(CoreGameId(id.0), once.with(answer)).await;
    let game = started.map_err(|failure| app.wire.refuse_intent(failure))?;
    Ok(answer(&game))
}

/// End a game. The open round is closed first; a created game is cancelled.
#[utoipa::path(post, path = "/games/{gameId}/gameCommands/end", operation_id = "endGame", tag = "commands", security(("admin" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 201, body = GameView, description = "The ended game"),
    HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn end(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    answered(app.wire, app.end(CoreGameId(id.0), once.with(answer_in(app.wire))).await)
}

/// Pause a running game: its time stands, and all later deadlines with it, over restarts too.
///
/// A paused collection phase still takes commands.
#[utoipa::path(post, path = "/games/{gameId}/gameCommands/pause", operation_id = "pauseGame", tag = "commands", security(("admin" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 201, body = GameView, description = "The paused game"),
    HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn pause(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    answered(app.wire, app.pause(CoreGameId(id.0), once.with(answer_in(app.wire))).await)
}

/// Resume a paused game: the phase goes on with the time it had left.
#[utoipa::path(post, path = "/games/{gameId}/gameCommands/resume", operation_id = "resumeGame", tag = "commands", security(("admin" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 201, body = GameView, description = "The game, whose time runs again"),
    HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn resume(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    answered(app.wire, app.resume(CoreGameId(id.0), once.with(answer_in(app.wire))).await)
}

/// Play the rest of a paused game's round at once.
///
/// The answer comes when the next round has begun and is paused again; in the last round the game is over then.
#[utoipa::path(post, path = "/games/{gameId}/gameCommands/step", operation_id = "stepGame", tag = "commands", security(("admin" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 201, body = GameView, description = "The game, paused in its next round, or ended"),
    HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn step(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    answered(app.wire, app.step(CoreGameId(id.0), once.with(answer_in(app.wire))).await)
}

fn answered(wire: Wire, outcome: Outcome<Game>) -> Result<Answer, ErrorResponse> {
    Ok(answer_in(wire)(&outcome.map_err(|failure| wire.refuse(failure))?))
}

fn answer_in(wire: Wire) -> impl Fn(&Game) -> Answer + Copy + Send + Sync + 'static {
    move |game| Answer::created(&wire.game(game))
}
