//! The payload of `gameRoster`: who plays in which game, and in which gameworld. The payloads of `playerStatus`, `status` and
//! `spacestation-created` are frozen and do not say it; the robot and trading services need to know.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameId, PlayerId, WorldId};

/// The payload of `gameRoster`. What does not apply is null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameRosterChanged {
    /// The game.
    pub game_id: GameId,
    /// What happened.
    pub change: GameRosterChange,
    /// The player who joined or left.
    #[schema(required)]
    pub player_id: Option<PlayerId>,
    /// The gameworld that is played, when the game starts.
    #[schema(required)]
    pub gameworld_id: Option<WorldId>,
    /// What a player who joined begins with.
    #[schema(required)]
    pub start_money: Option<u64>,
}

/// What happens to the players of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GameRosterChange {
    /// A player joined.
    Joined,
    /// A player left, or was taken out.
    Left,
    /// The game started.
    Started,
    /// The game ended.
    Ended,
    /// The game was deleted.
    Deleted,
}
