//! How the players of a game stand: the scoreboard, the rows of every round, and the payload of `scores`.
//! With outer robot or trading services what is not known is null.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::robot_service::ResourceAmounts;
use crate::{GameId, PlayerId};

/// An element of `GET /games/{gameId}/scoreboard`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "rank": 1, "playerId": "5eed0000-0000-4000-8000-000000000004", "name": "ada", "money": 110, "robotsAlive": 1,
    "mined": { "coal": 2, "iron": 0, "gem": 0, "gold": 0, "platin": 0 }, "fightsWon": 0, "out": false, "left": false,
})))]
pub struct ScoreboardRow {
    /// From 1; equal rows share it.
    pub rank: u32,
    /// The player.
    pub player_id: PlayerId,
    /// The player's name.
    pub name: String,
    /// On the player's account; null where nobody has told of it.
    #[schema(required)]
    pub money: Option<u64>,
    /// Robots that are not destroyed; null with an outer robot service whose topics are not read.
    #[schema(required)]
    pub robots_alive: Option<u32>,
    /// What the player's robots took in, of each resource; null with an outer robot service, which does not tell it.
    #[schema(required)]
    pub mined: Option<ResourceAmounts>,
    /// Destroyed robots of others whose last hit was this player's; null with an outer robot service whose topics are not read.
    #[schema(required)]
    pub fights_won: Option<u32>,
    /// No robot left, and less money than one costs.
    #[schema(required)]
    pub out: Option<bool>,
    /// Whether the host has taken the player out of the game after its start. Who left before has no row.
    pub left: bool,
}

/// Answer to `GET /games/{gameId}/scores`: every round's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "rounds": [1, 2],
    "players": [{
        "playerId": "5eed0000-0000-4000-8000-000000000004", "name": "ada", "money": [100, 110], "robotsAlive": [1, 1],
        "mined": [0, 2], "fightsWon": [0, 0],
    }],
})))]
pub struct Scores {
    /// The rounds that are known, in order.
    pub rounds: Vec<u32>,
    /// In the order in which they joined.
    pub players: Vec<PlayerScores>,
}

/// What a player had at the end of each of the rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerScores {
    /// The player.
    pub player_id: PlayerId,
    /// The player's name.
    pub name: String,
    /// Money; null where nobody had told of the account.
    pub money: Vec<Option<u64>>,
    /// Robots that were not destroyed; null where the robot service did not tell.
    pub robots_alive: Vec<Option<u32>>,
    /// What the player's robots had taken in, of all resources together; null where the robot service did not tell.
    pub mined: Vec<Option<u64>>,
    /// Fights won; null where the robot service did not tell.
    pub fights_won: Vec<Option<u32>>,
}

/// The payload of `scores`: how the players stood when a round ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundScores {
    /// The game.
    pub game_id: GameId,
    /// The round that has ended.
    pub round_number: u32,
    /// In the order in which they joined.
    pub players: Vec<PlayerScore>,
}

/// How a player stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerScore {
    /// The player.
    pub player_id: PlayerId,
    /// Money.
    #[schema(required)]
    pub money: Option<u64>,
    /// Robots that are not destroyed.
    #[schema(required)]
    pub robots_alive: Option<u32>,
    /// What the player's robots have taken in, of all resources together.
    #[schema(required)]
    pub mined: Option<u64>,
    /// Fights won.
    #[schema(required)]
    pub fights_won: Option<u32>,
}
