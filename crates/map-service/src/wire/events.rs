//! What happened as the events that announce it, in the order in which the log shall have them.
//! When they are appended, and with what, is up to the decision that they belong to.

use jiff::Timestamp;
use serde::Serialize;
use starkeep_contract::events::{
    Channel, GameworldCreated, NewEvent, ResourceMined, ResourceReplenished, SpacestationCreated,
};
use starkeep_contract::{
    DepositId as WireDepositId, Dialect, PlanetId as WirePlanetId, RobotId, TransactionId,
    WorldId as WireWorldId,
};
use starkeep_map_core::{Refill, Replenished, WorldId};
use uuid::Uuid;

use super::view::{planet_id, resource_type, world_status};
use crate::app::Mining;
use crate::domain::Overview;

/// What this service tells.
pub(crate) const CHANNELS: &[Channel] = &[
    Channel::GameworldCreated,
    Channel::SpacestationCreated,
    Channel::ResourceMined,
    Channel::ResourceReplenished,
];

/// The world first, then each of its stations.
pub(crate) fn world_made(
    world: &Overview,
    event_ids: &mut dyn FnMut() -> Uuid,
    now: Timestamp,
) -> Vec<NewEvent> {
    let stations: Vec<WirePlanetId> = world.stations.iter().copied().map(planet_id).collect();
    let mut event = |channel, payload| NewEvent {
        channel,
        event_id: event_ids(),
        key: world.id.0,
        transaction_id: None,
        timestamp: now,
        payload,
        detail: None,
    };
    let created = GameworldCreated {
        id: WireWorldId(world.id.0),
        spacestation_ids: stations.clone(),
        status: world_status(world.status),
    };
    let mut events = vec![event(Channel::GameworldCreated, json(&created))];
    events.extend(
        stations
            .into_iter()
            .map(|planet_id| event(Channel::SpacestationCreated, json(&SpacestationCreated { planet_id }))),
    );
    events
}

pub(crate) fn mined(world: WorldId, mining: &Mining, event_id: Uuid) -> NewEvent {
    let Mining { order, mined, at, .. } = mining;
    let payload = ResourceMined {
        planet_id: planet_id(mined.planet),
        resource_id: WireDepositId(mined.deposit.id.0),
        resource_type: resource_type(mined.deposit.kind),
        amount_mined: mined.amount_mined,
        amount_left: mined.deposit.current_amount,
        transaction_id: order.transaction.map(TransactionId),
        robot_id: order.robot.map(RobotId),
    };
    NewEvent {
        channel: Channel::ResourceMined,
        event_id,
        key: world.0,
        transaction_id: order.transaction,
        timestamp: *at,
        payload: json(&payload),
        detail: None,
    }
}

/// One for each refill, in their order.
pub(crate) fn replenished(
    dialect: Dialect,
    world: WorldId,
    replenished: &Replenished,
    event_ids: &mut dyn FnMut() -> Uuid,
    now: Timestamp,
) -> Vec<NewEvent> {
    let mut event = |refill: &Refill| NewEvent {
        channel: Channel::ResourceReplenished,
        event_id: event_ids(),
        key: world.0,
        transaction_id: None,
        timestamp: now,
        payload: json(&ResourceReplenished::spoken(
            dialect,
            planet_id(refill.planet),
            WireDepositId(refill.deposit.id.0),
            resource_type(refill.deposit.kind),
        )),
        detail: Some(json(&RefillDetail {
            amount: refill.amount,
            vanished: refill.vanished.map(|(_, id)| WireDepositId(id.0)),
        })),
    };
    replenished.refills.iter().map(&mut event).collect()
}

/// What is not published: players are not told how much was generated.
#[derive(Serialize)]
struct RefillDetail {
    amount: i64,
    /// The exhausted deposit that this one succeeds.
    vanished: Option<WireDepositId>,
}

fn json(payload: &impl Serialize) -> String {
    serde_json::to_string(payload).expect("the contract's types are plain data")
}
