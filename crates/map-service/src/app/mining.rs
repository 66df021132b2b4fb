//! A mining: takes an amount out of a planet's deposit, in one commit with its event.
//! Who may mine is decided by the routes.

use jiff::Timestamp;
use starkeep_contract::Dialect;
use starkeep_map_core::Rejection as Rule;
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::idempotency::AnswerRecorder;
use uuid::Uuid;

use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Maps, Mining, MiningRequest, Rejection};
use crate::wire;

impl App {
    pub(crate) async fn mine(
        &self,
        request: MiningRequest,
        answer: AnswerRecorder<Mining>,
    ) -> Outcome<Mining> {
        let ids = MiningIds { mining: self.chance.uuid(), event: self.chance.uuid() };
        let (dialect, now) = (self.dialect, self.clock.wall());
        let work = Decision::new(vec![Key::Planet(request.planet)], move |image| {
            decide(image, dialect, request, ids, now)
        });
        let mining = self.apply(work.record_answer(answer)).await?;
        self.tally.mined(mining.mined.kind, mining.mined.amount);
        Ok(mining)
    }
}

/// Drawn before the decision.
#[derive(Clone, Copy)]
struct MiningIds {
    mining: Uuid,
    event: Uuid,
}

fn decide(
    image: &Image,
    dialect: Dialect,
    request: MiningRequest,
    ids: MiningIds,
    now: Timestamp,
) -> Result<Decided<Maps, Mining>, Rejection> {
    let Some((world, slot)) = image.planet(request.planet) else {
        return Err(match image.inactive_world_of(request.planet) {
            Some(world) if !dialect.forgets_inactive_planets() => Rule::WorldInactive { world }.into(),
            _ => Rejection::UnknownPlanet { planet: request.planet },
        });
    };
    let mined = world.mine(slot, request.amount, now)?;
    let before = world.deposits.get(&slot).map_or(0, |deposit| deposit.current_amount);
    let output = Mining { id: ids.mining, request, mined, amount_left: before - mined.amount };
    let events = vec![wire::events::mined(world.id, &output, ids.event)];
    Ok(Decided { change: Change::Mined { world: world.id, mined }, events, output })
}
