//! One replenishment of one world, in one commit with its announcements.
//! How often it happens is the replenisher's business.

use starkeep_map_core::WorldId;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;

use super::drawn::Drawn;
use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Rejection, WorldState};
use crate::wire;

impl App {
    pub(crate) fn active_worlds(&self) -> Vec<WorldId> {
        self.store.image().active().map(|world| world.id).collect()
    }

    /// How many deposits were refilled. Where there was nothing to do nothing is written.
    pub(crate) async fn replenish(&self, epoch: Epoch, id: WorldId) -> Outcome<usize> {
        let (now, dialect) = (self.clock.wall(), self.dialect);
        let drawn = Drawn::from(self.chance.clone());
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| {
            let WorldState::Active(world) = image.state_of(id) else { return Err(Rejection::NothingToDo) };
            let mut ids = drawn.again();
            let replenished = world.replenish(&mut ids, now);
            if replenished.refills.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let events = wire::events::replenished(dialect, id, &replenished, &mut ids, now);
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
