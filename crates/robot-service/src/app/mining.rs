//! A batch of minings. It crosses services, so it is written down first: one commit refuses what cannot be and notes one
//! call to the map for each planet; the map is asked; one commit books the answers (see `settling`).

use std::collections::{BTreeMap, BTreeSet};

use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_robot_core::{CommandId, GameId, MiningOrder, MiningSite, plan_mining};

use super::admission::Admitted;
use super::batches::{not_executed, transactions};
use super::{App, Outcome, rejected};
use crate::domain::{Image, Mining, MiningCall, Rejection, RobotsMoved};
use crate::metrics::Done;
use crate::wire::events::Events;

impl App {
    pub(super) async fn mine(&self, batch: &Admitted<'_>, orders: Vec<MiningOrder>) -> Outcome<()> {
        let begun = match self.plan_minings(batch, orders).await {
            Ok((refused, begun)) => {
                self.metrics.executed(refused);
                begun
            }
            // All of them were executed before, perhaps just now by another replica, which still asks the map.
            Err(Failure::Rejected(Rejection::NothingToDo)) => BTreeSet::new(),
            Err(failure) => return Err(failure),
        };
        if self.settle_open_minings(batch.game, batch.until, &begun).await? {
            return Ok(());
        }
        rejected(Rejection::MapOwesMinings { game: batch.game })
    }

    /// What was refused at once, and the minings that were written down.
    async fn plan_minings(
        &self,
        batch: &Admitted<'_>,
        orders: Vec<MiningOrder>,
    ) -> Outcome<(Done, BTreeSet<IntentId>)> {
        let (game, round, energy) = (batch.game, batch.round, self.settings.mining_energy);
        let image = self.store.fresh().await?;
        let planet_of = |order: &MiningOrder| {
            let robots = image.robots_of(game)?;
            let is_new = !robots.executed.contains(order.command);
            robots.fleet.get(order.robot).filter(|_| is_new).map(|robot| robot.planet)
        };
        let planets: BTreeSet<_> = orders.iter().filter_map(planet_of).collect();
        let planets = self.planets(planets, batch.until).await;
        let (envelope, owner) = (self.envelope(game, round), self.replica());
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let robots = image.taking_orders(game)?;
            let commands = not_executed(&orders, &robots.executed);
            if commands.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let plan = plan_mining(&robots.fleet, &commands, energy, |planet| planets.get(planet));
            let mut events = Events::new(envelope);
            events.minings(&plan.refused);
            let places = places(&commands);
            let call = |site: MiningSite| begin(game, round, energy, &places, owner, site);
            let change = RobotsMoved {
                executed: transactions(&commands),
                begun: plan.sites.into_iter().filter_map(call).collect(),
                ..RobotsMoved::of(game)
            };
            let output =
                (Done::minings(&plan.refused), change.begun.iter().map(|mining| mining.id).collect());
            Ok(Decided { change: change.into(), events: events.into_all(), output })
        });
        self.apply(work.expires(self.clock.clone(), batch.until)).await
    }
}

/// Where each command stands in the batch.
fn places(commands: &[MiningOrder]) -> BTreeMap<CommandId, u32> {
    (0..).zip(commands).map(|(place, command)| (command.command, place)).collect()
}

/// Of a site, which always has a first miner.
fn begin(
    game: GameId,
    round: Option<u32>,
    energy: u32,
    places: &BTreeMap<CommandId, u32>,
    owner: ReplicaId,
    site: MiningSite,
) -> Option<Mining> {
    let id = IntentId(site.miners.first()?.order.command.0);
    let places = site.miners.iter().map(|miner| places.get(&miner.order.command).copied().unwrap_or(0));
    let call = MiningCall { game, round, places: places.collect(), energy, site };
    Some(Intent { id, owner, call })
}
