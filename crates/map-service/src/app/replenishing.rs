//! One replenishment of one world, in one commit with its events.
//! How often it happens is decided by the replenisher task.

use starkeep_map_core::{IdGenerator, WorldId};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Rejection, WorldState};
use crate::wire;

impl App {
    /// By id.
    pub(crate) fn active_worlds(&self) -> Vec<WorldId> {
        self.store.image().active().map(|world| world.id).collect()
    }

    /// How many deposits were refilled. If there is nothing to refill, nothing is written.
    pub(crate) async fn replenish(&self, epoch: Epoch, id: WorldId) -> Outcome<usize> {
        let (now, dialect) = (self.clock.wall(), self.dialect);
        // How many ids are needed is known only inside the decision; all of them follow from this seed.
        let seed = self.chance.bits();
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| {
            let WorldState::Active(world) = image.state_of(id) else { return Err(Rejection::NothingToDo) };
            let mut ids = IdGenerator::from_seed(seed);
            let replenished = world.replenish(&mut ids, now);
            if replenished.refills.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let events = wire::events::replenished(dialect, world, &replenished, &mut ids);
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
}
