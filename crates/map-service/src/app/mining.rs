//! A mining: what an order takes from a planet's deposit, and the one commit in which it happens.
//! Who may order it is decided at the door.

use jiff::Timestamp;
use starkeep_map_core::{Mined, PlanetId, Rejection as Rule};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::idempotency::AnswerRecorder;
use uuid::Uuid;

use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Maps, Rejection};
use crate::wire;

/// What somebody wants to mine, and whom to tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) planet: PlanetId,
    pub(crate) amount: i64,
    pub(crate) transaction: Option<Uuid>,
    pub(crate) robot: Option<Uuid>,
}

/// What came of an order.
#[derive(Clone, Debug)]
pub(crate) struct Mining {
    pub(crate) id: Uuid,
    pub(crate) order: Order,
    pub(crate) mined: Mined,
    pub(crate) at: Timestamp,
}

impl App {
    pub(crate) async fn mine(&self, order: Order, answer: AnswerRecorder<Mining>) -> Outcome<Mining> {
        let (id, event_id, at) = (self.chance.uuid(), self.chance.uuid(), self.clock.wall());
        let work = Decision::new(vec![Key::Planet(order.planet)], move |image| {
            decide(image, Wanted { id, event_id, order, at })
        });
        let mining = self.apply(work.record_answer(answer)).await?;
        self.tally.mined(mining.mined.deposit.kind, mining.mined.amount_mined);
        Ok(mining)
    }
}

#[derive(Clone, Copy)]
struct Wanted {
    id: Uuid,
    event_id: Uuid,
    order: Order,
    at: Timestamp,
}

fn decide(image: &Image, wanted: Wanted) -> Result<Decided<Maps, Mining>, Rejection> {
    let Wanted { id, event_id, order, at } = wanted;
    let Some((world, slot)) = image.planet(order.planet) else {
        return Err(match image.inactive_world_of(order.planet) {
            Some(world) => Rule::WorldInactive { world }.into(),
            None => Rejection::UnknownPlanet { planet: order.planet },
        });
    };
    let mined = world.mine(slot, order.amount, at)?;
    let output = Mining { id, order, mined: mined.clone(), at };
    let events = vec![wire::events::mined(world.id, &output, event_id)];
    Ok(Decided { change: Change::Mined { world: world.id, mined }, events, output })
}
