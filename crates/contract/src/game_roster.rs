//! Who plays in which game, and in which gameworld: the payload of `gameRoster`, and the answer to `GET /rosters`. The payloads of
//! `playerStatus`, `status` and `spacestation-created` are frozen and do not say it; the robot and trading services need to know.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameId, PlayerId, TransactionId, WorldId};

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

/// The answer to `GET /rosters`. A game that is listed nowhere in it does not exist: it was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "games": [{
        "gameId": "5eed0000-0000-4000-8000-000000000001", "status": "created", "gameworldId": null, "startMoney": 200,
        "roundNumber": 0, "roundStatus": "init", "players": [],
    }],
    "endedGames": ["5eed0000-0000-4000-8000-000000000003"],
})))]
pub struct Rosters {
    /// Those that are created or running, the oldest first.
    pub games: Vec<GameRoster>,
    /// The ids of the games that have ended and are kept, in no order.
    pub ended_games: Vec<GameId>,
}

/// A created or running game in the answer to `GET /rosters`: what the events told of it, for who has missed some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameId": "5eed0000-0000-4000-8000-000000000001", "status": "running",
    "gameworldId": "5eed0000-0000-4000-8000-000000000002", "startMoney": 200, "roundNumber": 3, "roundStatus": "started",
    "players": [{
        "playerId": "5eed0000-0000-4000-8000-000000000004", "transactionId": "5eed0000-0000-4000-8000-000000000005",
        "left": false,
    }],
})))]
pub struct GameRoster {
    /// The game.
    pub game_id: GameId,
    /// Whether it has started.
    pub status: RosterStatus,
    /// The gameworld that is played; null before the start.
    #[schema(required)]
    pub gameworld_id: Option<WorldId>,
    /// What every player begins with.
    pub start_money: u64,
    /// 0 before the first round.
    pub round_number: u32,
    /// How far that round has come.
    pub round_status: RosterRoundStatus,
    /// In the order in which they joined.
    pub players: Vec<RosterPlayer>,
}

/// The same words in both dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RosterStatus {
    Created,
    Running,
}

/// How far a round has come. With its end the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum RosterRoundStatus {
    /// There was no round yet.
    #[serde(rename = "init")]
    Init,
    #[serde(rename = "started")]
    Started,
    #[serde(rename = "command input ended")]
    CommandInputEnded,
}

/// Somebody who joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterPlayer {
    /// The player.
    pub player_id: PlayerId,
    /// Of the join; null for one from before this was kept.
    #[schema(required)]
    pub transaction_id: Option<TransactionId>,
    /// Whether the player was taken out of the game after its start. Who left before is not listed.
    pub left: bool,
}
