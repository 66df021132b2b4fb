//! What the map is asked for, as an intent: the world of a game that is to be created or started, or its replenishment.
//! The intent's id is the idempotency key of the call, and the id of the world that is to be made.

use starkeep_game_core::{GameId, WorldId};
use starkeep_platform::intent::IntentId;

/// A call with an effect on a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldCall {
    /// The game exists only once its world does.
    Create(GameId),
    /// The game exists, and waits for the world it is played in.
    Start(GameId),
    /// The world that the game is played in is to be replenished after this round. This is never withdrawn: whoever leads sends
    /// it until the map has answered, also when the game is over.
    Replenish { game: GameId, world: WorldId, round: u32 },
}

/// The intent that asks for this world.
pub(crate) fn intent_for(world: WorldId) -> IntentId {
    IntentId(world.0)
}

/// The world that the intent asks for.
pub(crate) fn world_of(intent: IntentId) -> WorldId {
    WorldId(intent.0)
}
