//! The load: whole games of bots, players who register, miners who read what they mine, a rival for the last place, watchers
//! of games, readers of all event streams, and clients that are slow or broken.

mod games;
mod hostile;
mod miners;
mod players;
mod readers;
mod rivals;
mod watchers;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use starkeep_clock::Clock;
use starkeep_fault_harness::{Chance, HarnessError};
use tokio::task::JoinSet;

use self::games::Host;
pub use self::games::{Pace, ROUND_MILLIS};
use self::hostile::Opened;
use self::miners::{Miner, rich_planets};
pub(crate) use self::readers::{Read, Reading};
use self::watchers::Watcher;
use crate::records::Records;
use crate::service::LoadSwitch;
use crate::targets::{SERVICES, Targets};

/// How much of everything there is.
#[derive(Clone, Debug)]
pub struct LoadSize {
    /// How many clients host games, one after the other each.
    pub hosts: u64,
    pub pace: Pace,
    /// Whether somebody tries to start games while as many run as may.
    pub has_rival: bool,
    pub miners: u64,
    /// Between two calls of a miner.
    pub mining_pause: Duration,
    /// Between two registrations.
    pub registration_pause: Duration,
    /// How many clients look at games.
    pub watchers: u64,
    /// Between two looks of a watcher.
    pub watching_pause: Duration,
}

pub struct Load {
    pub(crate) records: Records,
    pub(crate) readings: BTreeMap<&'static str, Reading>,
    /// Where only the miners mine.
    pub(crate) planets: Vec<String>,
    switch: LoadSwitch,
    tasks: JoinSet<()>,
    /// They go on until everything is checked.
    readers: JoinSet<()>,
    hostile: Opened,
}

impl Load {
    pub async fn start(
        targets: &Targets,
        size: &LoadSize,
        chance: &mut Chance,
    ) -> Result<Self, HarnessError> {
        let (switch, records) = (LoadSwitch::default(), Records::default());
        let (map, game) = (targets.service("map", &switch), targets.service("game", &switch));
        let planets = rich_planets(&map).await?;
        let (mut tasks, mut readers, mut readings) = (JoinSet::new(), JoinSet::new(), BTreeMap::new());
        for service in SERVICES {
            let reading = Reading::default();
            readers.spawn(reading.clone().run(targets.urls[service].clone(), targets.clock.clone()));
            readings.insert(service, reading);
        }
        for number in 1..=size.miners {
            let (map, planets, records) = (map.clone(), planets.clone(), records.clone());
            let (chance, pause) = (chance.fork(), size.mining_pause);
            tasks.spawn(Miner { map, planets, records, chance, number, pause }.run());
        }
        for number in 1..=size.hosts {
            let (game, records, name) = (game.clone(), records.clone(), format!("host-{number}"));
            tasks.spawn(Host { game, records, chance: chance.fork(), name, pace: size.pace }.run());
        }
        tasks.spawn(players::register_on_and_on(game.clone(), records.clone(), size.registration_pause));
        for _ in 0..size.watchers {
            let (game, records, chance) = (game.clone(), records.clone(), chance.fork());
            tasks.spawn(Watcher { game, records, chance, pause: size.watching_pause }.run());
        }
        if size.has_rival {
            tasks.spawn(rivals::compete(game, records.clone()));
        }
        Ok(Self { records, readings, planets, switch, tasks, readers, hostile: Opened::default() })
    }

    /// From now on there are slow and broken clients as well.
    pub(crate) fn disturb(&mut self, addresses: Vec<SocketAddr>, clock: Arc<dyn Clock>, chance: Chance) {
        let (opened, switch) = (self.hostile.clone(), self.switch.clone());
        self.tasks.spawn(hostile::disturb(addresses, clock, chance, switch, opened));
    }

    /// Returns when all clients but the readers have come to an end. A task that panicked is an error of the self-test itself.
    pub async fn end(&mut self) -> Result<(), HarnessError> {
        self.switch.end();
        while let Some(ended) = self.tasks.join_next().await {
            ended.map_err(|fault| HarnessError(format!("a client of the self-test panicked: {fault}")))?;
        }
        Ok(())
    }

    pub fn end_readers(&mut self) {
        self.readers.abort_all();
    }

    /// How much was acknowledged so far.
    pub fn acknowledged(&self) -> usize {
        self.records.journal.len()
    }

    pub(crate) fn hostile_connections(&self) -> u64 {
        self.hostile.load(Ordering::Relaxed)
    }
}
