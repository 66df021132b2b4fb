//! Requests and answers of the game service.
//! Keys are camelCase; clients ignore what they do not know.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ignored_field::IgnoredField;
use crate::optional_id::uuid_or_empty;
use crate::schema::OptionalId;
use crate::{Bounded, GameId, GameName, Nonce, PlayerId, WorldId};

pub type Rounds = Bounded<1, 1_000_000>;
/// A running game also takes 0, which ends it.
pub type RoundsOfAnyGame = Bounded<0, 1_000_000>;
pub type Players = Bounded<1, 10_000>;
/// Milliseconds. The msd dialect allows no less than 2000.
pub type RoundLength = Bounded<100, 86_400_000>;
/// What a player begins with.
pub type StartMoney = Bounded<0, 1_000_000>;
/// Reproduces a gameworld, and the random choices of its game.
pub type Seed = Bounded<0, 9_007_199_254_740_991>;

/// `POST /games`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "name": "Final", "maxRounds": 20, "maxPlayers": 4, "duration": 60000, "seed": 7, "style": "balanced",
})))]
pub struct CreateGame {
    /// For people: a line of text, without white space around it. Games may have the same name. "Game n" if absent, where n
    /// counts every game that was ever created, deleted ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub name: Option<GameName>,
    /// Number of rounds after which the game ends by itself.
    #[schema(inline)]
    pub max_rounds: Rounds,
    /// Number of players that may compete.
    #[schema(inline)]
    pub max_players: Players,
    /// Round length in milliseconds; 60000 if absent. In the msd dialect at least 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub duration: Option<RoundLength>,
    /// Makes the gameworld reproducible, and what happens in it: the same seed, `nonce`, players and commands give the same game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub seed: Option<Seed>,
    /// Hides the seed in the gameworld's `seed_commitment` until the game is over, and decides with it where exhausted deposits
    /// reappear; drawn if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub nonce: Option<Nonce>,
    /// How the gameworld is laid out; `balanced` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// An active gameworld that no other game uses, to be played in instead of a new one, however many join. It cannot
    /// be combined with `seed`, `nonce` or `style`.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = OptionalId)]
    pub gameworld_id: Option<WorldId>,
    /// What every player begins with; 200 if absent. Only a trading service of Starkeep knows of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub start_money: Option<StartMoney>,
}

/// How a gameworld is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Deposits are moved until the starts are worth about the same.
    Balanced,
    /// The world is the same after half a turn, so every space station has an exact twin; balanced, too.
    Symmetric,
    /// As it was drawn: nothing is balanced, but every space station has coal within 6.
    Wild,
}

/// Answer to `POST /games`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "gameId": "5eed0000-0000-4000-8000-000000000001" })))]
pub struct GameCreated {
    /// The game that was created.
    pub game_id: GameId,
    /// Fields of the request that had no effect, the first 20 of them; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(min_items = 1, max_items = 20)]
    pub ignored_fields: Vec<IgnoredField>,
}

/// `PATCH /games/{gameId}/maxRounds`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "maxRounds": 30 })))]
pub struct PatchMaxRounds {
    /// Below the current round number of a running game it ends the game; before the start at least 1. Also taken as `maxrounds`.
    // Some existing bots spell it in lower case.
    #[serde(alias = "maxrounds")]
    #[schema(inline)]
    pub max_rounds: RoundsOfAnyGame,
}

/// `PATCH /games/{gameId}/duration`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "duration": 30000 })))]
pub struct PatchDuration {
    /// Round length in milliseconds, from the next round on. In the msd dialect at least 2000.
    #[schema(inline)]
    pub duration: RoundLength,
}

/// `PATCH /games/{gameId}/pace`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "pace": "turbo" })))]
pub struct PatchPace {
    /// From now on.
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
#[schema(examples(json!({ "ready": 1, "players": 2 })))]
pub struct Readiness {
    /// How many players have said in this round that they are ready.
    pub ready: u32,
    /// How many have joined.
    pub players: u32,
}

/// A game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameId": "5eed0000-0000-4000-8000-000000000001", "name": "Final", "gameStatus": "running", "maxPlayers": 4, "maxRounds": 20,
    "currentRoundNumber": 3, "roundLengthInMillis": 60000,
    "participatingPlayers": ["5eed0000-0000-4000-8000-000000000004"], "paused": false, "pace": "clock",
    "gameworldId": "5eed0000-0000-4000-8000-000000000006", "createdAt": "2026-01-01T12:00:00Z",
    "startedAt": "2026-01-01T12:05:00Z", "endedAt": null,
})))]
pub struct Game {
    /// The game's id.
    pub game_id: GameId,
    /// Chosen by the host, or "Game n".
    #[schema(min_length = 1, max_length = 80)]
    pub name: String,
    /// A game that runs is `running`; in the msd dialect it is `started`.
    #[schema(value_type = GameStatus)]
    pub game_status: String,
    /// Number of players that may compete.
    #[schema(minimum = 1, maximum = 10_000)]
    pub max_players: u32,
    /// Number of rounds after which the game ends by itself; 0 where a running game was ended by it.
    #[schema(maximum = 1_000_000)]
    pub max_rounds: u32,
    /// 0 before the first round (msd: null); keeps the last round's number after the end.
    #[schema(required)]
    pub current_round_number: Option<u32>,
    /// Length of the rounds to come; a round keeps the length it began with.
    #[schema(minimum = 100, maximum = 86_400_000)]
    pub round_length_in_millis: u32,
    /// Those who joined, in the order in which they did.
    #[schema(max_items = 10_000)]
    pub participating_players: Vec<PlayerId>,
    /// Whether a running game's time stands.
    pub paused: bool,
    /// What ends the phases of its rounds.
    pub pace: Pace,
    /// The gameworld that is played; null while there is none.
    #[schema(required)]
    pub gameworld_id: Option<WorldId>,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was started; null before.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub started_at: Option<Timestamp>,
    /// When it ended; null before.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub ended_at: Option<Timestamp>,
}

/// Answer to the requests that change a game.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameId": "5eed0000-0000-4000-8000-000000000001", "name": "Final", "gameStatus": "running", "maxPlayers": 4,
    "maxRounds": 30,
    "currentRoundNumber": 3, "roundLengthInMillis": 30000,
    "participatingPlayers": ["5eed0000-0000-4000-8000-000000000004"], "paused": false, "pace": "clock",
    "gameworldId": "5eed0000-0000-4000-8000-000000000006", "createdAt": "2026-01-01T12:00:00Z",
    "startedAt": "2026-01-01T12:05:00Z", "endedAt": null,
})))]
pub struct GameChanged {
    #[serde(flatten)]
    pub game: Game,
    /// Fields of the request that had no effect, the first 20 of them; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(min_items = 1, max_items = 20)]
    pub ignored_fields: Vec<IgnoredField>,
}

/// The states of a game, in the words of both dialects: `running` is what the standard dialect says, `started` the msd dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GameStatus {
    Created,
    Running,
    Started,
    Ended,
}

/// `GET /games/{gameId}/time`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameTime": 125, "roundCount": 3, "roundTime": 5, "gameTimeInMillis": 125_250, "roundTimeInMillis": 5250,
    "phase": "collection", "phaseEndsInMillis": 39_750, "paused": false,
})))]
pub struct GameTime {
    /// Whole seconds since the start; time while the service is down does not count. 0 before the start (msd: null).
    #[schema(required)]
    pub game_time: Option<u64>,
    /// Number of the current round; after the end of the last one. 0 before the start (msd: null).
    #[schema(required)]
    pub round_count: Option<u32>,
    /// Whole seconds since the round began. 0 before the start (msd: null).
    #[schema(required)]
    pub round_time: Option<u64>,
    /// The same as `gameTime`, in milliseconds.
    #[schema(required)]
    pub game_time_in_millis: Option<u64>,
    /// The same as `roundTime`, in milliseconds.
    #[schema(required)]
    pub round_time_in_millis: Option<u64>,
    /// Null before the start and after the end.
    #[schema(required)]
    pub phase: Option<Phase>,
    /// Milliseconds until the phase ends; null where there is no phase.
    #[schema(required)]
    pub phase_ends_in_millis: Option<u64>,
    /// Whether a running game's time stands.
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
