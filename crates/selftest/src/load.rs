//! The load: whole games of bots, players who register, miners who read what they mine, a rival for the last place, readers of all
//! event streams, and clients that are slow or broken.

mod games;
mod hostile;
mod miners;
mod players;
mod readers;
mod rivals;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use starkeep_clock::Clock;
use starkeep_fault_harness::{Chance, HarnessError};
use tokio::task::JoinSet;

use self::games::Host;
pub(crate) use self::games::ROUND_MILLIS;
use self::hostile::Opened;
use self::miners::{Miner, rich_planets};
pub(crate) use self::readers::{Read, Reading};
use crate::installation::{Installation, RUNNING_GAMES, SERVICES};
use crate::records::Records;
use crate::service::LoadSwitch;

const MINERS: u64 = 3;

pub(crate) struct Load {
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
    pub(crate) async fn start(
        installation: &Installation,
        clock: &Arc<dyn Clock>,
        chance: &mut Chance,
    ) -> Result<Self, HarnessError> {
        let (switch, records) = (LoadSwitch::default(), Records::default());
        let (map, game) = (installation.service("map", &switch)?, installation.service("game", &switch)?);
        let planets = rich_planets(&map).await?;
        let (mut tasks, mut readers, mut readings) = (JoinSet::new(), JoinSet::new(), BTreeMap::new());
        for service in SERVICES {
            let reading = Reading::default();
            readers.spawn(reading.clone().run(installation.url(service)?, clock.clone()));
            readings.insert(service, reading);
        }
        for number in 1..=MINERS {
            let (map, planets, records) = (map.clone(), planets.clone(), records.clone());
            tasks.spawn(Miner { map, planets, records, chance: chance.fork(), number }.run());
        }
        for number in 1..=RUNNING_GAMES {
            let (game, records, name) = (game.clone(), records.clone(), format!("host-{number}"));
            tasks.spawn(Host { game, records, chance: chance.fork(), name }.run());
        }
        tasks.spawn(players::register_on_and_on(game.clone(), records.clone()));
        tasks.spawn(rivals::compete(game, records.clone()));
        let hostile = Opened::default();
        let addresses = SERVICES.map(|service| installation.address(service)).to_vec();
        let (opened, own_switch) = (hostile.clone(), switch.clone());
        tasks.spawn(hostile::disturb(addresses, clock.clone(), chance.fork(), own_switch, opened));
        Ok(Self { records, readings, planets, switch, tasks, readers, hostile })
    }

    /// Returns when all clients but the readers have come to an end. A task that panicked is an error of the self-test itself.
    pub(crate) async fn end(&mut self) -> Result<(), HarnessError> {
        self.switch.end();
        while let Some(ended) = self.tasks.join_next().await {
            ended.map_err(|fault| HarnessError(format!("a client of the self-test panicked: {fault}")))?;
        }
        Ok(())
    }

    pub(crate) fn end_readers(&mut self) {
        self.readers.abort_all();
    }

    pub(crate) fn hostile_connections(&self) -> u64 {
        self.hostile.load(Ordering::Relaxed)
    }
}
