//! What bots see of each other: who arrives where one of their robots stands, and who strikes whom.
//! It is read from the robot service's events once a round, before anybody decides, and then told to those who saw it.

use std::collections::BTreeMap;
use std::sync::Arc;

use starkeep_bot_core::{PlanetId, RobotId};
use starkeep_client::{ClientError, LARGEST_PAGE, RobotClient};
use starkeep_contract::GameId;
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::robot_events::{FightingEvent, MovementEvent};
use tokio::sync::Mutex;

use super::seated_bot::Bot;

const CHANNELS: [&str; 2] = ["movement", "fighting"];

pub(super) struct RobotEvents {
    /// None where there is no robot service, or one that has no events.
    robots: Option<RobotClient>,
    game: GameId,
    bots: Vec<Arc<Bot>>,
    read: Mutex<Read>,
}

/// How far the events were read.
struct Read {
    position: String,
    /// Everything before this round's start.
    round: u32,
}

/// Whose robot is whose.
type Owners<'a> = BTreeMap<RobotId, &'a Bot>;

impl RobotEvents {
    pub(super) fn new(robots: Option<RobotClient>, game: GameId, bots: &[Arc<Bot>]) -> Arc<Self> {
        let read = Mutex::new(Read { position: "end".to_owned(), round: 0 });
        Arc::new(Self { robots, game, bots: bots.to_vec(), read })
    }

    /// Tells all bots what happened before this round; the first one who asks reads it for all.
    pub(super) async fn tell(&self, round: u32) {
        let Some(robots) = &self.robots else { return };
        let mut read = self.read.lock().await;
        if read.round >= round {
            return;
        }
        read.round = round;
        // Bots can do without: they meet nobody then.
        if let Err(fault) = self.read_on(robots, round, &mut read).await {
            tracing::debug!(%fault, "the robot service's events cannot be read");
        }
    }

    async fn read_on(&self, robots: &RobotClient, round: u32, read: &mut Read) -> Result<(), ClientError> {
        let owners: Owners<'_> =
            self.bots.iter().flat_map(|bot| bot.robots().into_iter().map(|robot| (robot, &**bot))).collect();
        loop {
            let page = robots.events_after(&read.position, self.game, &CHANNELS).await?;
            for event in &page.events {
                tell_of(event, round, &owners);
            }
            read.position = page.next;
            if page.events.len() < LARGEST_PAGE {
                return Ok(());
            }
        }
    }
}

fn tell_of(event: &PublishedEvent, round: u32, owners: &Owners<'_>) {
    match event.channel {
        Channel::Movement => {
            let Ok(moved) = serde_json::from_value::<MovementEvent>(event.payload.clone()) else { return };
            let round = event.about.round_number.unwrap_or(round.saturating_sub(1));
            tell_of_arrival(&moved, round, owners);
        }
        Channel::Fighting => {
            let Ok(fought) = serde_json::from_value::<FightingEvent>(event.payload.clone()) else { return };
            tell_of_attack(&fought, owners);
        }
        _ => {}
    }
}

fn tell_of_arrival(moved: &MovementEvent, round: u32, owners: &Owners<'_>) {
    let Some(planet) = moved.planet.as_ref().filter(|_| moved.success) else { return };
    let robots: Vec<_> = moved.robots.iter().map(|robot| RobotId(robot.0)).collect();
    for witness in robots.iter().filter_map(|robot| owners.get(robot)) {
        witness.saw(round, PlanetId(planet.planet_id.0), &robots);
    }
}

fn tell_of_attack(fought: &FightingEvent, owners: &Owners<'_>) {
    let (Some(attacker), Some(target)) = (fought.attacker, fought.defender) else { return };
    let (attacker, target) = (RobotId(attacker.0), RobotId(target.0));
    if let Some(owner) = owners.get(&attacker) {
        owner.struck(target, fought.remaining_defender_health.filter(|_| fought.success));
    }
    if let Some(owner) = owners.get(&target).filter(|_| fought.success) {
        owner.attacked(target, attacker);
    }
}
