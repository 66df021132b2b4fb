//! A world in short, without its planets: what lists of worlds show, also of inactive ones.
//! Its form for clients is made in `wire`.

use jiff::Timestamp;
use starkeep_map_core::{Nonce, Origin, PlanetId, ReplenishmentMode, World, WorldId, WorldStatus};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    pub(crate) id: WorldId,
    pub(crate) status: WorldStatus,
    /// Whether seed and nonce are not shown.
    pub(crate) is_hidden: bool,
    pub(crate) player_amount: u32,
    pub(crate) round_amount: Option<u32>,
    pub(crate) origin: Origin,
    pub(crate) replenishment: ReplenishmentMode,
    pub(crate) seed: u64,
    /// Worlds of earlier versions have none.
    pub(crate) nonce: Option<Nonce>,
    pub(crate) seed_commitment: Option<String>,
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
            is_hidden: world.is_hidden(),
            player_amount: world.player_amount,
            round_amount: world.round_amount,
            origin: world.origin,
            replenishment: world.replenishment,
            seed: world.seed,
            nonce: world.nonce,
            seed_commitment: world.seed_commitment(),
            created_at: world.created_at,
            updated_at: world.updated_at,
            stations: world.terrain.stations().map(|slot| world.terrain.planet(slot).id).collect(),
        }
    }
}
