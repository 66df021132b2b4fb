//! Requests and answers of the game service.
//! Keys are camelCase; clients ignore what they do not know.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Bounded, GameId, PlayerId, WorldId};

pub type Rounds = Bounded<1, 1_000_000>;
/// A running game also takes 0, which ends it.
pub type RoundsOfAnyGame = Bounded<0, 1_000_000>;
pub type Players = Bounded<1, 10_000>;
/// Milliseconds. The msd dialect allows no less than 2000.
pub type RoundLength = Bounded<100, 86_400_000>;
/// Reproduces a gameworld.
pub type Seed = Bounded<0, 9_007_199_254_740_991>;

/// `POST /games`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateGame {
    /// Number of rounds after which the game ends by itself.
    #[schema(inline, example = 20)]
    pub max_rounds: Rounds,
    /// Number of players that may compete.
    #[schema(inline, example = 4)]
    pub max_players: Players,
    /// Round length in milliseconds; 60000 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline, example = 60000)]
    pub duration: Option<RoundLength>,
    /// Makes the gameworld reproducible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub seed: Option<Seed>,
    /// How the gameworld is laid out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
}

/// How a gameworld is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    Balanced,
}

/// Answer to `POST /games`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameCreated {
    pub game_id: GameId,
}

/// `PATCH /games/{gameId}/maxRounds`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchMaxRounds {
    /// Below the current round number of a running game it ends the game; before the start at least 1.
    // Some existing bots spell it in lower case.
    #[serde(alias = "maxrounds")]
    #[schema(inline, example = 30)]
    pub max_rounds: RoundsOfAnyGame,
}

/// `PATCH /games/{gameId}/duration`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PatchDuration {
    /// Round length in milliseconds, from the next round on.
    #[schema(inline, example = 30000)]
    pub duration: RoundLength,
}

/// `PATCH /games/{gameId}/pace`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PatchPace {
    pub pace: Pace,
}

/// What ends the phases of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// The clock alone.
    Clock,
    /// Collection ends as soon as every joined player is ready, execution as soon as everything is carried out;
    /// never later than the clock would. A game without players keeps to the clock.
    Turbo,
}

/// Answer to `PUT /games/{gameId}/players/{player}/ready`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// How many players have said in this round that they are ready.
    pub ready: u32,
    /// How many have joined.
    pub players: u32,
}

/// A game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Game {
    pub game_id: GameId,
    /// `created`, `running` (msd: `started`) or `ended`.
    pub game_status: String,
    pub max_players: u32,
    pub max_rounds: u32,
    /// 0 before the first round (msd: null); keeps the last round's number after the end.
    pub current_round_number: Option<u32>,
    /// Length of the rounds to come; a round keeps the length it began with.
    pub round_length_in_millis: u32,
    pub participating_players: Vec<PlayerId>,
    /// Whether a running game's time stands.
    pub paused: bool,
    pub pace: Pace,
    /// The gameworld that is played; null while there is none.
    pub gameworld_id: Option<WorldId>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
}

/// `GET /games/{gameId}/time`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameTime {
    /// Whole seconds since the start; time while the service is down does not count.
    pub game_time: Option<u64>,
    /// Number of the current round; after the end of the last one.
    pub round_count: Option<u32>,
    /// Whole seconds since the round began.
    pub round_time: Option<u64>,
    pub game_time_in_millis: Option<u64>,
    pub round_time_in_millis: Option<u64>,
    /// Null before the start and after the end.
    pub phase: Option<Phase>,
    /// Milliseconds until the phase ends.
    pub phase_ends_in_millis: Option<u64>,
    pub paused: bool,
}

/// The two phases of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Commands are taken: the first 3/4 of a round.
    Collection,
    /// Commands are executed: the last 1/4.
    Execution,
}
