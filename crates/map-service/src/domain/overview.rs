//! A world in short, without its planets: what lists of worlds show, also of inactive ones.
//! Its form for clients is made in `wire`.

use jiff::Timestamp;
use starkeep_map_core::{PlanetId, World, WorldId, WorldStatus};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    pub(crate) id: WorldId,
    pub(crate) status: WorldStatus,
    pub(crate) player_amount: u32,
    pub(crate) round_amount: Option<u32>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// In slot order.
    pub(crate) stations: Vec<PlanetId>,
}

impl From<&World> for Overview {
    fn from(world: &World) -> Self {
        Self {
            id: world.id,
            status: world.status,
            player_amount: world.player_amount,
            round_amount: world.round_amount,
            created_at: world.created_at,
            updated_at: world.updated_at,
            stations: world.terrain.stations().map(|slot| world.terrain.planet(slot).id).collect(),
        }
    }
}
