//! `/games/{gameId}/players`: what a player of a game tells it.

use axum::extract::State;
use starkeep_contract::game::Readiness;
use starkeep_contract::{Code, GameId, Problem};
use starkeep_game_core::{Game, GameId as CoreGameId, PlayerId};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::Refusal;
use starkeep_platform::http::path::IdAnd;
use starkeep_platform::http::refusals::{Away, Conflict, TokenNeeded, Unknown};
use uuid::Uuid;

use super::Shared;

/// Say that a player needs no more of the open round's collection phase.
///
/// In a game at turbo pace the phase ends as soon as every joined player has said so. Valid for the open round;
/// saying it again changes nothing. At clock pace it is counted and has no effect.
#[utoipa::path(put, path = "/games/{gameId}/players/{player}/ready", tag = "players",
    params(("gameId" = Uuid, Path), ("player" = String, Path, description = "The player's token; in the msd dialect also its id")),
    responses(
    (status = 200, body = Readiness, description = "How many are ready, and how many play"),
    TokenNeeded, Unknown, Conflict, Away,
))]
pub(super) async fn ready(
    State(app): State<Shared>,
    IdAnd(game, player): IdAnd<GameId>,
) -> Result<Answer, Refusal> {
    let player = shown(&app, &player)?;
    let ready = app.ready(CoreGameId(game.0), player).await;
    let game = ready.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::ok(&readiness(&game)))
}

fn readiness(game: &Game) -> Readiness {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Readiness { ready: count(game.ready_players()), players: count(game.roster.len()) }
}

/// Who asks, by what the path shows.
fn shown(app: &Shared, segment: &str) -> Result<PlayerId, Refusal> {
    let Ok(id) = Uuid::try_parse(segment) else {
        let text = "the path names neither a player's token nor a player's id";
        return Err(Problem::new(Code::UnknownPlayer, text).into());
    };
    if app.wire.dialect.player_id_is_enough() {
        return Ok(PlayerId(id));
    }
    let text = "a player's id does not show who asks: name the player's token instead";
    Err(Problem::new(Code::PlayerTokenNeeded, text).into())
}
