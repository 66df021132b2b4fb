//! `/balances`, `/players`, `/stations` and `/games`: who has how much money, and what the service knows of games.
//! Nothing here can be written.

use std::sync::Arc;

use axum::extract::State;
use starkeep_contract::Code;
use starkeep_contract::trading_service::{Balance, RoundBalance, Station, TradingGame, TradingPlayer};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{BadParameter, StorageUnreadable};
use starkeep_platform::http::{ErrorResponse, Params};

use super::named_game::{NamedGame, shown};
use super::path_text::PathText;
use super::refusals::{BadRound, UnknownGame};
use crate::app::App;
use crate::wire;

/// Lists the players' money.
#[utoipa::path(
    get, path = "/balances", operation_id = "listBalances", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<Balance>, description = "The money of every player."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn balances(app: State<Arc<App>>, game: Params<NamedGame>) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::balances).await
}

/// Lists the players' money at the end of a round.
#[utoipa::path(
    get, path = "/balances/{round}", operation_id = "listBalancesOfRound", tag = "open",
    params(("round" = u32, Path, description = "The round; 0 is before the first"), NamedGame),
    responses(
        (status = 200, body = Vec<RoundBalance>, description = "The money of every player when the round ended."),
        BadRound, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn balances_of_round(
    State(app): State<Arc<App>>,
    PathText(round): PathText,
    Params(game): Params<NamedGame>,
) -> Result<Answer, ErrorResponse> {
    let digits = round.strip_prefix('-').unwrap_or(&round);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ErrorResponse::new(Code::NotARound, "a round is a whole number"));
    }
    let market = game.market(&app).await?;
    // A number that is no round's has no balances either.
    let balances = round.parse().ok().and_then(|round| wire::round_balances(&market, round));
    Ok(Answer::ok(&balances.ok_or_else(|| wire::no_balances(app.dialect, &round))?))
}

/// Lists the players with their money, now and at the end of each round.
#[utoipa::path(
    get, path = "/players", operation_id = "listPlayers", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<TradingPlayer>, description = "Everybody who has an account."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn players(app: State<Arc<App>>, game: Params<NamedGame>) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::players).await
}

/// Lists the space stations.
#[utoipa::path(
    get, path = "/stations", operation_id = "listStations", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<Station>, description = "The stations of the game's world."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn stations(app: State<Arc<App>>, game: Params<NamedGame>) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::stations).await
}

/// Lists the games that the service follows.
#[utoipa::path(
    get, path = "/games", operation_id = "listGames", tag = "open",
    responses((status = 200, body = Vec<TradingGame>, description = "The games, as they were created."), StorageUnreadable)
)]
pub(super) async fn games(State(app): State<Arc<App>>) -> Result<Answer, ErrorResponse> {
    let games = app.games().await.map_err(|failure| wire::refuse(app.dialect, failure))?;
    let games: Vec<TradingGame> =
        games.iter().map(|shown| wire::game(shown.id, &shown.game, shown.is_current)).collect();
    Ok(Answer::ok(&games))
}
