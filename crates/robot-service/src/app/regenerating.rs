//! A batch of regenerations: one decision.

use starkeep_platform::decision::{Decided, Decision};
use starkeep_robot_core::{Regeneration, regenerate};

use super::admission::Admitted;
use super::batches::{not_executed, transactions};
use super::{App, Outcome, changed};
use crate::domain::{Image, Rejection, RobotsMoved};
use crate::metrics::Done;
use crate::wire::events::Events;

impl App {
    pub(super) async fn regenerate(
        &self,
        batch: &Admitted<'_>,
        regenerations: Vec<Regeneration>,
    ) -> Outcome<Done> {
        let (game, envelope) = (batch.game, self.envelope(batch.game, batch.round));
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let robots = image.taking_orders(game)?;
            let commands = not_executed(&regenerations, &robots.executed);
            if commands.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let mut fleet = robots.fleet.clone();
            let results = regenerate(&mut fleet, &commands);
            let mut events = Events::new(envelope);
            events.regenerations(&results);
            let change = RobotsMoved {
                robots: changed(&robots.fleet, &fleet, commands.iter().map(|command| command.robot)),
                executed: transactions(&commands),
                ..RobotsMoved::of(game)
            };
            let output = Done::regenerations(&results);
            Ok(Decided { change: change.into(), events: events.into_all(), output })
        });
        self.apply(work.expires(self.clock.clone(), batch.until)).await
    }
}
