//! The events of each change, in the order in which they are appended to the log.
//! They are appended in the same commit as the change.

use jiff::Timestamp;
use starkeep_contract::events::{
    About, Channel, GameworldCreated, NewEvent, ResourceMined, ResourceReplenished, SpacestationCreated,
};
use starkeep_contract::{
    DepositId as WireDepositId, Dialect, RobotId, TransactionId, WorldId as WireWorldId,
};
use starkeep_map_core::{IdGenerator, PlanetId, Refill, Replenished, World, WorldId};
use uuid::Uuid;

use super::view::{planet_id, resource_type, world_status};
use crate::domain::{Mining, Overview};

/// The channels of this service.
pub(crate) const CHANNELS: &[Channel] = &[
    Channel::GameworldCreated,
    Channel::SpacestationCreated,
    Channel::ResourceMined,
    Channel::ResourceReplenished,
];

pub(crate) fn world_made(world: &Overview, ids: &mut IdGenerator, now: Timestamp) -> NewEvent {
    let about = About::subject(world.id.0);
    let created = GameworldCreated {
        id: WireWorldId(world.id.0),
        spacestation_ids: world.stations.iter().copied().map(planet_id).collect(),
        status: world_status(world.status),
    };
    NewEvent::new(Channel::GameworldCreated, ids.next_id(), about, None, now, &created)
}

/// One for each station, in their order; after that of the world.
pub(crate) fn stations_made(
    world: WorldId,
    stations: &[PlanetId],
    ids: &mut IdGenerator,
    now: Timestamp,
) -> Vec<NewEvent> {
    let about = About::subject(world.0);
    let event = |station: &PlanetId| {
        let payload = SpacestationCreated { planet_id: planet_id(*station) };
        NewEvent::new(Channel::SpacestationCreated, ids.next_id(), about, None, now, &payload)
    };
    stations.iter().map(event).collect()
}

pub(crate) fn mined(world: WorldId, mining: &Mining, event_id: Uuid) -> NewEvent {
    let Mining { request, mined, amount_left, .. } = mining;
    let payload = ResourceMined {
        planet_id: planet_id(request.planet),
        resource_id: WireDepositId(mined.deposit.0),
        resource_type: resource_type(mined.kind),
        amount_mined: mined.amount,
        amount_left: *amount_left,
        transaction_id: request.transaction.map(TransactionId),
        robot_id: request.robot.map(RobotId),
    };
    let about = About { round: request.round, ..About::subject(world.0) };
    NewEvent::new(Channel::ResourceMined, event_id, about, request.transaction, mining.at(), &payload)
}

/// One for each refill, in their order; after that round, if it is known.
pub(crate) fn replenished(
    dialect: Dialect,
    world: &World,
    replenished: &Replenished,
    round: Option<u32>,
    ids: &mut IdGenerator,
) -> Vec<NewEvent> {
    let about = About { round, ..About::subject(world.id.0) };
    let mut event = |refill: &Refill| {
        let payload = ResourceReplenished::spoken(
            dialect,
            planet_id(world.terrain.planet(refill.slot).id),
            WireDepositId(refill.deposit.0),
            resource_type(refill.kind),
        );
        NewEvent::new(Channel::ResourceReplenished, ids.next_id(), about, None, replenished.at, &payload)
    };
    replenished.refills.iter().map(&mut event).collect()
}
