//! Worlds, planets, minings and replenishments in the contract's form.
//! Only `Chart` has coordinates: as long as a world is hidden they are the host's.

use serde::{Serialize, Serializer};
use starkeep_contract::{
    DepositId as WireDepositId, MiningId, Nonce, PlanetId as WirePlanetId, RobotId, TransactionId,
    WorldId as WireWorldId, map,
};
use starkeep_map_core::{
    Direction, Origin, PlanetId, PlanetKind, ReplenishmentMode, ResourceKind, Slot, Style, World, WorldStatus,
};

use crate::domain::{Mining, Overview, ReplenishedDeposit, Replenishing};

pub(crate) fn gameworld(world: &Overview) -> map::Gameworld {
    // Whoever knows them while it is played knows the whole map.
    let is_shown = !world.is_hidden;
    map::Gameworld {
        id: WireWorldId(world.id.0),
        status: world_status(world.status),
        spacestation_ids: world.stations.iter().copied().map(planet_id).collect(),
        player_amount: world.player_amount,
        round_amount: world.round_amount,
        style: style(world.origin),
        generator_version: world.origin.generator_version(),
        replenishment: match world.replenishment {
            ReplenishmentMode::Automatic => map::ReplenishmentMode::Automatic,
            ReplenishmentMode::OnRequest => map::ReplenishmentMode::OnRequest,
        },
        seed_commitment: world.seed_commitment.clone(),
        nonce: world.nonce.filter(|_| is_shown).and_then(|nonce| Nonce::parse(nonce.as_str())),
        seed: is_shown.then_some(world.seed),
        created_at: world.created_at,
        updated_at: world.updated_at,
    }
}

pub(crate) fn planet(world: &World, slot: Slot) -> map::Planet {
    let terrain = &world.terrain;
    let planet = terrain.planet(slot);
    let resource = resource(world, slot);
    let neighbours = terrain.neighbours(slot).map(|(towards, other)| {
        let other = terrain.planet(other);
        map::Neighbour {
            planet_id: planet_id(other.id),
            movement_difficulty: other.movement_difficulty,
            direction: direction(towards),
        }
    });
    map::Planet {
        id: planet_id(planet.id),
        movement_difficulty: planet.movement_difficulty,
        recharge_multiplicator: planet.recharge_multiplicator(),
        gameworld_id: WireWorldId(world.id.0),
        planet_type: planet_type(planet.kind),
        neighbours: neighbours.collect(),
        created_at: world.created_at,
        updated_at: resource
            .as_ref()
            .map_or(world.created_at, |resource| resource.updated_at.max(world.created_at)),
        resource,
    }
}

/// All planets of a world with their coordinates. They are made one by one as they are written: all at once they would take
/// more memory than the world.
pub(crate) struct Chart<'a>(pub(crate) &'a World);

impl Serialize for Chart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots = (0..).zip(self.0.terrain.planets()).map(|(slot, _)| slot);
        serializer.collect_seq(slots.map(|slot| placed_planet(self.0, slot)))
    }
}

fn placed_planet(world: &World, slot: Slot) -> map::PlacedPlanet {
    let place = world.terrain.planet(slot);
    map::PlacedPlanet { x: place.x, y: place.y, planet: planet(world, slot) }
}

pub(crate) fn resource(world: &World, slot: Slot) -> Option<map::Resource> {
    let deposit = world.deposits.get(&slot)?;
    Some(map::Resource {
        id: WireDepositId(deposit.id.0),
        planet_id: planet_id(world.terrain.planet(slot).id),
        max_amount: deposit.max_amount,
        current_amount: deposit.current_amount,
        created_at: deposit.created_at,
        updated_at: deposit.updated_at,
        resource_type: resource_type(deposit.kind),
    })
}

pub(crate) fn mining(mining: &Mining) -> map::Mining {
    let Mining { id, request, mined, amount_left } = mining;
    map::Mining {
        id: MiningId(*id),
        planet_id: planet_id(request.planet),
        resource_id: WireDepositId(mined.deposit.0),
        resource_type: resource_type(mined.kind),
        amount_requested: request.amount,
        amount_mined: mined.amount,
        amount_left: *amount_left,
        transaction_id: request.transaction.map(TransactionId),
        robot_id: request.robot.map(RobotId),
        created_at: mining.at(),
    }
}

pub(crate) fn replenishment(done: &Replenishing) -> map::Replenishment {
    let replenished = |ReplenishedDeposit { planet, refill }: &ReplenishedDeposit| map::ReplenishedResource {
        planet_id: planet_id(*planet),
        resource_id: WireDepositId(refill.deposit.0),
        resource_type: resource_type(refill.kind),
        amount: refill.amount,
        replaced_resource_id: refill.replaced.map(|(_, id)| WireDepositId(id.0)),
    };
    map::Replenishment {
        gameworld_id: WireWorldId(done.world.0),
        replenished: done.deposits.iter().map(replenished).collect(),
    }
}

pub(super) fn planet_id(id: PlanetId) -> WirePlanetId {
    WirePlanetId(id.0)
}

pub(super) fn world_status(status: WorldStatus) -> map::WorldStatus {
    match status {
        WorldStatus::Active => map::WorldStatus::Active,
        WorldStatus::Inactive => map::WorldStatus::Inactive,
    }
}

pub(super) fn resource_type(kind: ResourceKind) -> map::ResourceType {
    match kind {
        ResourceKind::Coal => map::ResourceType::Coal,
        ResourceKind::Iron => map::ResourceType::Iron,
        ResourceKind::Gem => map::ResourceType::Gem,
        ResourceKind::Gold => map::ResourceType::Gold,
        ResourceKind::Platin => map::ResourceType::Platin,
    }
}

pub(super) fn style(origin: Origin) -> map::WorldStyle {
    match origin {
        Origin::Generated { style: Style::Balanced, .. } => map::WorldStyle::Balanced,
        Origin::Generated { style: Style::Symmetric, .. } => map::WorldStyle::Symmetric,
        Origin::Generated { style: Style::Wild, .. } => map::WorldStyle::Wild,
        Origin::Custom => map::WorldStyle::Custom,
    }
}

fn planet_type(kind: PlanetKind) -> map::PlanetType {
    match kind {
        PlanetKind::Default => map::PlanetType::Default,
        PlanetKind::SpaceStation => map::PlanetType::Spacestation,
    }
}

fn direction(direction: Direction) -> map::Direction {
    match direction {
        Direction::North => map::Direction::North,
        Direction::East => map::Direction::East,
        Direction::South => map::Direction::South,
        Direction::West => map::Direction::West,
    }
}
