//! One replenishment of one world, in one commit with its events: by the replenisher task, or because its host asks for it.
//! Which of both it is belongs to the world; how often the task runs is decided by the task.

use std::time::Duration;

use jiff::Timestamp;
use starkeep_contract::Dialect;
use starkeep_contract::events::NewEvent;
use starkeep_map_core::{IdGenerator, Rejection as Rule, Replenished, ReplenishmentMode, World, WorldId};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Maps, Rejection, ReplenishedDeposit, Replenishing, WorldState};
use crate::wire;

impl App {
    /// Those that the task replenishes, by id.
    pub(crate) fn automatic_worlds(&self) -> Vec<WorldId> {
        let image = self.store.image();
        let automatic = image.active().filter(|world| world.replenishment == ReplenishmentMode::Automatic);
        automatic.map(|world| world.id).collect()
    }

    /// Until the task replenishes for the first time. Where replicas lead one after the other it does so at multiples of the
    /// interval, so that a change of the leader does not begin it anew.
    pub(crate) fn time_to_replenishment(&self, every: Duration) -> Duration {
        if !self.store.clone().common().is_shared() {
            return every;
        }
        let now = u128::try_from(self.clock.wall().as_millisecond()).unwrap_or_default();
        let passed = now.checked_rem(every.as_millis()).unwrap_or_default();
        every.saturating_sub(Duration::from_millis(u64::try_from(passed).unwrap_or_default()))
    }

    /// How many deposits were refilled. If there is nothing to refill, nothing is written.
    pub(crate) async fn replenish(&self, epoch: Epoch, id: WorldId) -> Outcome<usize> {
        let draw = self.draw(None);
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| {
            let WorldState::Active(world) = image.state_of(id) else { return Err(Rejection::NothingToDo) };
            let (replenished, events) = draw.replenish(world);
            if replenished.refills.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let output = replenished.refills.len();
            Ok(Decided { change: Change::Replenished { world: id, replenished }, events, output })
        });
        match self.apply(work.fenced_by(epoch)).await {
            Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(0),
            outcome => {
                self.tally.replenished(*outcome.as_ref().unwrap_or(&0));
                outcome
            }
        }
    }

    pub(crate) async fn replenish_on_request(
        &self,
        id: WorldId,
        after_round: Option<u32>,
        answer: AnswerRecorder<Replenishing>,
    ) -> Outcome<Replenishing> {
        let draw = self.draw(after_round);
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| on_request(image, id, &draw));
        let done = self.apply(work.record_answer(answer)).await?;
        self.tally.replenished(done.deposits.len());
        Ok(done)
    }

    fn draw(&self, round: Option<u32>) -> Draw {
        Draw { now: self.clock.wall(), dialect: self.dialect, round, seed: self.chance.bits() }
    }
}

/// Drawn before the decision.
struct Draw {
    now: Timestamp,
    dialect: Dialect,
    /// It happens after this one, where that is known.
    round: Option<u32>,
    /// How many ids are needed is known only inside the decision; all of them follow from this seed.
    seed: u64,
}

impl Draw {
    fn replenish(&self, world: &World) -> (Replenished, Vec<NewEvent>) {
        let mut ids = IdGenerator::from_seed(self.seed);
        let replenished = world.replenish(&mut ids, self.now);
        let events = wire::events::replenished(self.dialect, world, &replenished, self.round, &mut ids);
        (replenished, events)
    }
}

/// Also where there is nothing to do: the change then changes nothing, but a repeat with the same key gets the same answer.
fn on_request(image: &Image, id: WorldId, draw: &Draw) -> Result<Decided<Maps, Replenishing>, Rejection> {
    let world = match image.state_of(id) {
        WorldState::Active(world) => world,
        WorldState::Inactive => return Err(Rule::WorldInactive { world: id }.into()),
        WorldState::Withdrawn | WorldState::Unknown => return Err(Rejection::UnknownWorld { world: id }),
    };
    if world.replenishment == ReplenishmentMode::Automatic {
        return Err(Rejection::ReplenishedAutomatically { world: id });
    }
    let (replenished, events) = draw.replenish(world);
    let deposits = replenished.refills.iter().map(|&refill| {
        let planet = world.terrain.planet(refill.slot).id;
        ReplenishedDeposit { planet, refill }
    });
    let output = Replenishing { world: id, deposits: deposits.collect() };
    Ok(Decided { change: Change::Replenished { world: id, replenished }, events, output })
}
