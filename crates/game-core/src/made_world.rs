//! A world as the map has told of it: which one it is, and who decides when it is replenished.
//! When a game asks for that is decided in `replenishment`.

use starkeep_core_types::WorldId;

/// Who decides when a world is replenished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplenishmentMode {
    /// The map, by its own clock.
    #[default]
    Automatic,
    /// The game that is played in it.
    OnRequest,
}

/// A world that the map has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeWorld {
    pub id: WorldId,
    pub replenishment: ReplenishmentMode,
}
