//! What the map is asked for, as an intent: the world of a game that is to be created, or to be started.
//! The intent's id is the world's, and the idempotency key of the call.

use starkeep_game_core::{GameId, WorldId};
use starkeep_platform::intent::IntentId;

/// A call that makes a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldCall {
    /// The game exists only once its world does.
    Create(GameId),
    /// The game exists, and waits for the world it is played in.
    Start(GameId),
}

/// The intent that asks for this world.
pub(crate) fn intent_for(world: WorldId) -> IntentId {
    IntentId(world.0)
}

/// The world that the intent asks for.
pub(crate) fn world_of(intent: IntentId) -> WorldId {
    WorldId(intent.0)
}
