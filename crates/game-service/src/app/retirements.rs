//! Worlds that nobody plays in any longer: the list is kept until the map has been told of each.

use starkeep_game_core::Retirement;
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image};

impl App {
    /// The map has been told of this one.
    pub(crate) async fn record_retired(&self, epoch: Epoch, retirement: Retirement) -> Outcome<()> {
        let work = Decision::new(vec![], move |_: &Image| {
            Ok(Decided { change: Change::WorldRetired(retirement), events: vec![], output: () })
        });
        self.decide(work.fenced_by(epoch)).await
    }
}
