//! A batch of attacks: one decision, with what it leaves behind.
//! Who gets what cannot be shared evenly follows from the batch's seed.

use starkeep_platform::decision::{Decided, Decision};
use starkeep_robot_core::{Attack, Books, fight};

use super::admission::Admitted;
use super::batches::{not_executed, transactions};
use super::{App, Outcome, changed};
use crate::domain::{Image, Rejection, RobotsMoved};
use crate::metrics::Done;
use crate::wire::events::Events;

impl App {
    pub(super) async fn fight(&self, batch: &Admitted<'_>, attacks: Vec<Attack>) -> Outcome<Done> {
        let (game, envelope, rng) = (batch.game, self.envelope(batch.game, batch.round), batch.rng());
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let robots = image.taking_orders(game)?;
            let commands = not_executed(&attacks, &robots.executed);
            if commands.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let mut fleet = robots.fleet.clone();
            let battle = fight(&mut fleet, &commands, &mut rng.clone());
            let mut events = Events::new(envelope);
            events.battle(&battle);
            let fighting = commands.iter().flat_map(|command| [command.attacker, command.target]);
            let given = battle.distributed.iter().map(|robot| robot.id);
            let change = RobotsMoved {
                robots: changed(&robots.fleet, &fleet, fighting.chain(given)),
                destroyed: battle.destroyed.iter().map(|destroyed| destroyed.robot.id).collect(),
                books: Books { lost: battle.lost, ..Books::default() },
                executed: transactions(&commands),
                ..RobotsMoved::of(game)
            };
            let output = Done::attacks(&battle);
            Ok(Decided { change: change.into(), events: events.into_all(), output })
        });
        self.apply(work.expires(self.clock.clone(), batch.until)).await
    }
}
