//! What a player sees of a game at one glance: its money, its robots, the prices, and the planets on which its robots stand.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::GameId;
use crate::game::Phase;
use crate::map::Planet;
use crate::robot_service::Robot;

/// Answer to `GET /games/{gameId}/view`. What a service that is not there would tell is null.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameId": "5eed0000-0000-4000-8000-000000000001", "roundNumber": 3, "phase": "collection",
    "phaseEndsInMillis": 39_750, "money": 100,
    "prices": { "coal": 5, "iron": 15, "gem": 30, "gold": 50, "platin": 60 }, "robots": [], "planets": [],
})))]
pub struct GameView {
    /// The game.
    pub game_id: GameId,
    /// 0 before the first.
    pub round_number: u32,
    /// Null while no round is open.
    #[schema(required)]
    pub phase: Option<Phase>,
    /// Null where there is no phase.
    #[schema(required)]
    pub phase_ends_in_millis: Option<u64>,
    /// On the player's account.
    #[schema(required)]
    pub money: Option<u64>,
    /// What resources are sold for in this round.
    #[schema(required)]
    pub prices: Option<ResourcePrices>,
    /// The player's robots.
    #[schema(required)]
    pub robots: Option<Vec<Robot>>,
    /// Those on which the player's robots stand, each once; in the words of the map service, which are written as `planet_type`.
    #[schema(required)]
    pub planets: Option<Vec<Planet>>,
}

/// What one unit of each resource is sold for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "coal": 5, "iron": 15, "gem": 30, "gold": 50, "platin": 60 })))]
pub struct ResourcePrices {
    /// Coal.
    pub coal: u64,
    /// Iron.
    pub iron: u64,
    /// Gems.
    pub gem: u64,
    /// Gold.
    pub gold: u64,
    /// Platin.
    pub platin: u64,
}
