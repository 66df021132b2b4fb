//! The game that is read: named by a parameter, or the one that is meant where none is.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::{ErrorResponse, Params};
use starkeep_trading_core::{GameId, Market};
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::App;
use crate::wire;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct NamedGame {
    /// The game; without it the running game that started last, otherwise the newest.
    #[serde(rename = "gameId")]
    game_id: Option<Uuid>,
}

impl NamedGame {
    /// The market of the game. Where there is no game, it is as empty as that of a new one.
    pub(super) async fn market(&self, app: &App) -> Result<Market, ErrorResponse> {
        let market = app.market(self.game_id.map(GameId)).await;
        market.map(Option::unwrap_or_default).map_err(|failure| wire::refuse(app.dialect, failure))
    }
}

/// What is shown of the game's market.
pub(super) async fn shown<T: Serialize>(
    State(app): State<Arc<App>>,
    Params(game): Params<NamedGame>,
    view: impl FnOnce(&Market) -> T,
) -> Result<Answer, ErrorResponse> {
    Ok(Answer::ok(&view(&game.market(&app).await?)))
}
