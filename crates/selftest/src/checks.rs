//! What must hold: everything acknowledged is there once, the logs are dense, rounds are legal, books balance, planets and games
//! are linearisable, receipts are true, and readers have read the logs.

mod commands;
mod event_log;
mod games;
mod kept;
mod minings;
mod order;
mod rounds;
mod violations;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use starkeep_fault_harness::HarnessError;

use self::commands::{Results, check_rounds};
use self::event_log::EventLog;
use self::games::Games;
use self::kept::check_kept;
use self::minings::Minings;
use self::rounds::Rounds;
pub use self::violations::Violations;
use crate::load::Load;
use crate::service::{LoadSwitch, Service};
use crate::targets::{SERVICES, Targets};

/// What has not come after this long will not come. It is no promise of the program: the machine may be busy with other things.
const PATIENCE: Duration = Duration::from_mins(2);

/// Follows the logs from fault to fault.
pub struct Checks {
    services: BTreeMap<&'static str, Service>,
    logs: BTreeMap<&'static str, EventLog>,
    rounds: Rounds,
    games: Games,
    minings: Minings,
    results: Results,
    /// So many entries of the journal have been looked for.
    checked: usize,
    pub violations: Violations,
}

impl Checks {
    pub fn new(targets: &Targets, load: &Load) -> Self {
        let (mut services, mut logs) = (BTreeMap::new(), BTreeMap::new());
        for name in SERVICES {
            let service = targets.service(name, &LoadSwitch::default());
            services.insert(name, service.clone());
            logs.insert(name, EventLog::new(name, service));
        }
        Self {
            services,
            logs,
            rounds: Rounds::default(),
            games: Games::default(),
            minings: Minings::of(&load.planets),
            results: Results::default(),
            checked: 0,
            violations: Violations::default(),
        }
    }

    /// As far as the logs were read.
    pub fn rounds_played(&self) -> u64 {
        self.rounds.played
    }

    /// Everything that can be said while the load goes on.
    pub async fn after_fault(&mut self, load: &Load) -> Result<(), HarnessError> {
        // First, so that the logs have all of it.
        let acknowledged = load.records.journal.entries_from(self.checked);
        self.checked += acknowledged.len();
        self.follow_logs().await?;
        self.minings.check_kept(&acknowledged, &mut self.violations);
        check_kept(&self.services["game"], &acknowledged, &mut self.violations).await;
        self.check_books().await;
        Ok(())
    }

    /// When the load has ended.
    pub async fn at_end(&mut self, load: &Load) -> Result<(), HarnessError> {
        self.end_games().await?;
        self.settle().await;
        self.after_fault(load).await?;
        let acknowledged = load.records.journal.entries();
        let asked_for = load.records.minings_asked_for();
        self.minings.check_not_done(&load.records.minings_not_done(), &mut self.violations);
        self.minings.check_order(&acknowledged, &asked_for, &mut self.violations);
        let asked_for = load.records.changes_asked_for();
        self.games.check_order(&acknowledged, &asked_for, &mut self.violations);
        check_rounds(&acknowledged, &load.readings["game"].so_far(), &mut self.violations);
        self.results.check_receipts(&self.services["game"], &acknowledged, &mut self.violations).await;
        self.check_readers(load).await;
        Ok(())
    }

    async fn follow_logs(&mut self) -> Result<(), HarnessError> {
        for (name, log) in &mut self.logs {
            let events = log.read_on(&mut self.violations).await?;
            match *name {
                "game" => {
                    self.rounds.follow(&events, &mut self.violations);
                    self.games.follow(&events);
                }
                "map" => self.minings.follow(&events, &mut self.violations),
                _ => self.results.follow(&events, &mut self.violations),
            }
        }
        Ok(())
    }

    async fn check_books(&mut self) {
        for name in ["map", "robot", "trading"] {
            let health = self.services[name].insist_for(PATIENCE, "/health").await;
            let books = health.as_ref().map(|(_, health)| &health["parts"]["books"]["status"]);
            if books.is_none_or(|books| books != "ok") {
                self.violations.add(format!("the books of the {name} service: {health:?}"));
            }
        }
    }

    /// Those whose clients stopped in the middle.
    async fn end_games(&self) -> Result<(), HarnessError> {
        let game = &self.services["game"];
        let unable = |what: &str| HarnessError(format!("the games cannot be ended: {what}"));
        let listed = game.insist_for(PATIENCE, "/games").await;
        let (_, games) = listed.ok_or_else(|| unable("no list"))?;
        for shown in games.as_array().into_iter().flatten().filter(|shown| shown["gameStatus"] != "ended") {
            let id = shown["gameId"].as_str().unwrap_or_default();
            let path = format!("/games/{id}/gameCommands/end");
            let ended = game.post_once(&path, &format!("{id}-last"), &Value::Null).await;
            ended.ok_or_else(|| unable("no answer"))?;
        }
        Ok(())
    }

    /// Until no trade and no mining is open any more: what was begun in a round that is over is finished without a repeat.
    async fn settle(&mut self) {
        for (name, part) in [("trading", "robot"), ("robot", "map")] {
            let service = self.services[name].clone();
            let over = service.clock.monotonic().after(PATIENCE);
            let mut told: Option<Value> = None;
            // That the last call failed may be told as well, until there is another one.
            let is_settled = |told: &Value| told.as_str().is_some_and(|told| !told.contains("under way"));
            while !told.as_ref().is_some_and(is_settled) {
                if service.clock.monotonic() >= over {
                    let sentence = format!("the {name} service has not finished what it began: {told:?}");
                    return self.violations.add(sentence);
                }
                service.pause().await;
                let health = service.insist_for(PATIENCE, "/health").await;
                told = health.map(|(_, health)| health["parts"][part]["detail"].clone());
            }
        }
    }

    /// They have read the whole log, or are about to.
    async fn check_readers(&mut self, load: &Load) {
        for (name, log) in &self.logs {
            let reading = &load.readings[name];
            let service = &self.services[name];
            let over = service.clock.monotonic().after(PATIENCE);
            while reading.len() < log.ids.len() && service.clock.monotonic() < over {
                service.pause().await;
            }
            let read = reading.so_far();
            if read.gaps > 0 {
                self.violations.add(format!("a reader of the {name} service was told of {} gaps", read.gaps));
            }
            let differs = log.ids.iter().zip(&read.ids).position(|(logged, read)| logged != read);
            if differs.is_some() || read.ids.len() < log.ids.len() {
                let (read, logged) = (read.ids.len(), log.ids.len());
                let place = differs.unwrap_or(read);
                self.violations.add(format!(
                    "a reader of the {name} service has read {read} events of {logged}, and another one at place {place}"
                ));
            }
        }
    }
}
