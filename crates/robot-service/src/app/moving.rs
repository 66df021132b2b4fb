//! A batch of moves: the map is asked for the targets first, then one decision moves all robots.
//! A target that the map cannot tell of fails the moves there, and no others.

use std::collections::BTreeSet;

use starkeep_platform::decision::{Decided, Decision};
use starkeep_robot_core::{Move, move_robots};

use super::admission::Admitted;
use super::batches::{not_executed, transactions};
use super::{App, Outcome, changed};
use crate::domain::{Image, Rejection, RobotsMoved, Surroundings};
use crate::metrics::Done;
use crate::wire::events::Events;

impl App {
    pub(super) async fn move_robots(&self, batch: &Admitted<'_>, moves: Vec<Move>) -> Outcome<Done> {
        let game = batch.game;
        let image = self.store.fresh().await?;
        let robots = image.robots_of(game);
        let is_asked_for = |order: &&Move| {
            robots.is_some_and(|robots| {
                !robots.executed.contains(order.command) && robots.fleet.get(order.robot).is_some()
            })
        };
        let targets: BTreeSet<_> = moves.iter().filter(is_asked_for).map(|order| order.target).collect();
        let planets = self.planets(targets, batch.until).await;
        let (envelope, station_word) = (self.envelope(game, batch.round), self.settings.station_word.clone());
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let robots = image.taking_orders(game)?;
            let commands = not_executed(&moves, &robots.executed);
            if commands.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let mut fleet = robots.fleet.clone();
            let results = move_robots(&mut fleet, &commands, |planet| planets.get(planet));
            let mut events = Events::new(envelope);
            // What is around the planets that they leave must not be told after what is around those that they reach. Other
            // purchases have to wait: their trades may not have been told yet.
            let moves = |untold: &&Surroundings| {
                untold.call.robots.iter().any(|(id, _)| commands.iter().any(|command| command.robot == *id))
            };
            let untold: Vec<_> = image.untold(game).filter(moves).collect();
            for untold in &untold {
                events.surroundings(&untold.call);
            }
            events.moves(&results, &fleet, |planet| planets.get(planet).ok(), &station_word);
            let change = RobotsMoved {
                robots: changed(&robots.fleet, &fleet, commands.iter().map(|command| command.robot)),
                executed: transactions(&commands),
                told: untold.iter().map(|untold| untold.id).collect(),
                ..RobotsMoved::of(game)
            };
            let output = Done::moves(&results);
            Ok(Decided { change: change.into(), events: events.into_all(), output })
        });
        self.apply(work.expires(self.clock.clone(), batch.until)).await
    }
}
