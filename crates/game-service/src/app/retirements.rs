//! Worlds that nobody plays in any longer: the list is kept until the map has been told of each.

use starkeep_game_core::Retirement;
use starkeep_platform::decision::{Decided, Decision, apply_all};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image};

impl App {
    /// The map has been told of these.
    pub(crate) async fn record_retired(
        &self,
        epoch: Epoch,
        retirements: impl Iterator<Item = Retirement>,
    ) -> Vec<Outcome<()>> {
        let works = retirements.map(|retirement| {
            let work = Decision::new(vec![], move |_: &Image| {
                Ok(Decided { change: Change::WorldRetired(retirement), events: vec![], output: () })
            });
            work.fenced_by(epoch)
        });
        apply_all(&*self.store, works).await
    }
}
