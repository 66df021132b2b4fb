//! Announcing the space stations of a large world: in several commits, so that nobody waits for 20,000 events at once.
//! How far it has come is part of the world's rows, so whoever goes on, after a crash as well, announces each station once.

use jiff::Timestamp;
use starkeep_map_core::{IdGenerator, PlanetId, WorldId};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;
use tokio::sync::watch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Maps, Rejection, WORLDS};
use crate::wire;

/// At most so many stations are announced in one commit: those of a world for 500 players.
pub(super) const STATIONS_PER_COMMIT: usize = 1_000;

impl App {
    /// Active worlds of which not all stations are announced, by id.
    pub(crate) fn unannounced_worlds(&self) -> Vec<WorldId> {
        self.store.image().unannounced_worlds().collect()
    }

    /// Changes when worlds are made or end.
    pub(crate) fn worlds_changed(&self) -> watch::Receiver<()> {
        self.store.commits(WORLDS)
    }

    /// Finishes what a request has left: one that is still under way in this process is waited for.
    pub(crate) async fn finish_announcement(&self, epoch: Epoch, world: WorldId) -> Outcome<()> {
        let _lock = self.world_locks.lock(world).await;
        self.announce_stations(Some(epoch), world).await
    }

    /// Announces the stations that are left, until nothing is. A task of the leader has an epoch, a request has none; on
    /// two replicas they may do it at the same time.
    pub(super) async fn announce_stations(&self, epoch: Option<Epoch>, world: WorldId) -> Outcome<()> {
        loop {
            let (now, event_seed) = (self.clock.wall(), self.chance.bits());
            match self.apply(announce(world, event_seed, now).fenced_by(epoch)).await {
                Ok(()) => {}
                Err(Failure::Rejected(Rejection::NothingToDo)) => return Ok(()),
                Err(failure) => return Err(failure),
            }
        }
    }
}

/// Where the announcement goes on, if this many of the stations are announced.
pub(super) fn unannounced_from(announced: usize, stations: usize) -> Option<u32> {
    u32::try_from(announced).ok().filter(|_| announced < stations)
}

/// Announces the next stations, whoever announced those before. Of a world that is not active any more none is.
fn announce(world: WorldId, event_seed: u64, now: Timestamp) -> Decision<Maps, ()> {
    Decision::new(Vec::new(), move |image: &Image| {
        let (world, from) = image.unannounced(world).ok_or(Rejection::NothingToDo)?;
        let terrain = &world.terrain;
        let stations: Vec<PlanetId> = terrain.stations().map(|slot| terrain.planet(slot).id).collect();
        let from = stations.len().min(from as usize);
        let to = stations.len().min(from + STATIONS_PER_COMMIT);
        let mut ids = IdGenerator::from_seed(event_seed);
        let events = wire::events::stations_made(world.id, &stations[from..to], &mut ids, now);
        let unannounced_from = unannounced_from(to, stations.len());
        let change = Change::StationsAnnounced { world: world.id, unannounced_from };
        Ok(Decided { change, events, output: () })
    })
}

#[cfg(test)]
mod tests;
