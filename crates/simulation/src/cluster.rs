//! The four services with two replicas each, over one database: started, frozen, stopped and killed as a fault wants it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use starkeep_clock::{Clock, within};
use starkeep_fault_harness::Chance;
use starkeep_game_service::store::Games;
use starkeep_map_service::store::Maps;
use starkeep_platform::memory::{Conditions as _, Disturbance, Memory, PlantedBug};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed};
use starkeep_platform::store::CommonStore as _;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_robot_service::store::Robots;
use starkeep_trading_service::store::Trading;
use uuid::Uuid;

use crate::database::{DatabaseConnection, DatabaseLink};
use crate::network::SimulatedNetwork;
use crate::process::{Process, ProcessChance, ProcessClock};
use crate::services::{Simulated, Surroundings};
use crate::time::SimulatedTime;

/// Of each service.
pub(crate) const REPLICAS: usize = 2;
/// So often a replica looks for what others have committed, in milliseconds.
const FOLLOWS_EVERY: std::ops::RangeInclusive<u64> = 20..=120;
/// So often it is looked who leads.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// So long a stop may take.
const LONGEST_STOP: Duration = Duration::from_secs(8);

/// Where a replica of a service runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    pub service: &'static str,
    pub number: usize,
}

pub(crate) struct Cluster {
    time: Arc<SimulatedTime>,
    network: Arc<SimulatedNetwork>,
    databases: Databases,
    slots: BTreeMap<Slot, Arc<DatabaseLink>>,
    running: Mutex<BTreeMap<Slot, Running>>,
    chance: Mutex<Chance>,
    planted: Option<PlantedBug>,
    /// What was noticed on the way.
    found: Mutex<BTreeSet<String>>,
}

/// One for each service.
struct Databases {
    map: Arc<Memory<Maps>>,
    robot: Arc<Memory<Robots>>,
    trading: Arc<Memory<Trading>>,
    game: Arc<Memory<Games>>,
}

/// A process that was started.
#[derive(Clone)]
struct Running {
    process: Process,
    clock: Arc<ProcessClock>,
    leader: Leader,
    stop: Stop,
    closed: Stop,
    /// Whether it follows by itself what others commit.
    follows: Arc<AtomicBool>,
    /// Whether it believes to lead.
    leads: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Whether it leads without having seen what was committed before.
    leads_blindly: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Whether its image is what a new process would load.
    verify: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Cluster {
    pub(crate) async fn start(
        time: Arc<SimulatedTime>,
        network: Arc<SimulatedNetwork>,
        mut chance: Chance,
        planted: Option<PlantedBug>,
    ) -> Arc<Self> {
        let databases = Databases {
            map: database(&time),
            robot: database(&time),
            trading: database(&time),
            game: database(&time),
        };
        let slots: Vec<_> = starkeep_selftest::SERVICES
            .iter()
            .flat_map(|service| (0..REPLICAS).map(move |number| Slot { service, number }))
            .collect();
        let links = slots.iter().map(|slot| (*slot, Arc::default())).collect();
        let chance = Mutex::new(chance.fork());
        let (running, found) = (Mutex::default(), Mutex::default());
        let cluster =
            Arc::new(Self { time, network, databases, slots: links, running, chance, planted, found });
        for slot in slots {
            cluster.serve(slot).await;
        }
        tokio::spawn(cluster.clone().watch_leaders());
        cluster
    }

    /// Notes whenever two replicas of a service believe to lead, and whoever leads too early.
    async fn watch_leaders(self: Arc<Self>) {
        loop {
            self.time.sleep_until(self.time.now().after(LOOK_EVERY)).await;
            let running = self.running();
            let mut found = Vec::new();
            for service in starkeep_selftest::SERVICES {
                let replicas = || running.iter().filter(|(slot, _)| slot.service == service);
                if replicas().filter(|(_, running)| (running.leads)()).count() > 1 {
                    found.push(format!("two replicas of the {service} service lead at a time"));
                }
                if replicas().any(|(_, running)| (running.leads_blindly)()) {
                    let sentence = "leads and has not seen what was committed before";
                    found.push(format!("a replica of the {service} service {sentence}"));
                }
            }
            drop(running);
            lock(&self.found).extend(found);
        }
    }

    pub(crate) fn database(&self, slot: Slot) -> &DatabaseLink {
        &self.slots[&slot]
    }

    /// Starts a process where none runs.
    pub(crate) async fn serve(&self, slot: Slot) {
        let running = match slot.service {
            "map" => self.serve_from(&self.databases.map, slot).await,
            "robot" => self.serve_from(&self.databases.robot, slot).await,
            "trading" => self.serve_from(&self.databases.trading, slot).await,
            _ => self.serve_from(&self.databases.game, slot).await,
        };
        self.running().insert(slot, running);
    }

    async fn serve_from<D: Simulated>(&self, database: &Memory<D>, slot: Slot) -> Running {
        let mut chance = lock(&self.chance).fork();
        let process = Process::start();
        let clock = Arc::new(ProcessClock {
            time: self.time.clone(),
            process: process.clone(),
            offset: Duration::from_millis(chance.draw(&(0..=1_000_000))),
            ahead: AtomicI64::new(0),
        });
        let own_chance = Arc::new(ProcessChance::new(self.time.clone(), &mut chance));
        let replica = ReplicaId(starkeep_platform::chance::Chance::uuid(&*own_chance));
        let (link, planted) = (self.slots[&slot].clone(), self.planted);
        let connection =
            DatabaseConnection::new(self.time.clone(), process.clone(), link, chance.fork(), planted);
        let store = database.another_under(replica, Arc::new(connection.clone()));
        let around = Surroundings {
            service: slot.service,
            process: process.clone(),
            clock: clock.clone(),
            chance: own_chance,
            network: self.network.clone(),
        };
        let service = D::open(store.clone(), &around);
        let framed = Framed::open(service, store.clone(), clock.clone(), FrameConfig::default(), None).await;
        let framed = framed.expect("nothing is to be taken over by a replica that does not lead");
        let (stop, closed, follows) = (Stop::new(), Stop::new(), Arc::new(AtomicBool::new(true)));
        let leader = framed.leader(stop.clone());
        framed.start_tasks(&leader);
        self.network.listen(slot.service, process.clone(), framed.router(&leader));
        let keeper = store.lease_keeper(slot.service, clock.clone(), stop.clone(), closed.clone());
        tokio::spawn(keeper.run());
        tokio::spawn(follow(store.clone(), clock.clone(), connection, chance, follows.clone()));
        let (leading, own_clock, blind) = (store.clone(), clock.clone(), store.clone());
        let leads = Arc::new(move || leading.lease().current_at(own_clock.monotonic()).is_some());
        let leads_blindly = Arc::new(move || blind.leads_blindly());
        let verify =
            Arc::new(move || store.follow().and_then(|()| store.verify()).map_err(|fault| fault.to_string()));
        Running { process, clock, leader, stop, closed, follows, leads, leads_blindly, verify }
    }

    /// At once, with whatever it does.
    pub(crate) fn kill(&self, slot: Slot) {
        if let Some(running) = self.running().remove(&slot) {
            running.process.kill();
            self.network.close(slot.service, &running.process);
        }
    }

    /// As an operator stops it.
    pub(crate) async fn stop(&self, slot: Slot) {
        let Some(running) = self.running().remove(&slot) else { return };
        self.network.close(slot.service, &running.process);
        running.stop.cancel();
        let finished = within(&*running.clock, LONGEST_STOP, running.leader.finished());
        tokio::select! {
            biased;
            () = running.process.died() => {}
            _ = finished => {}
        }
        running.closed.cancel();
        running.process.kill();
    }

    /// The process that was frozen, if one runs there. Somebody may ask it to stop before it goes on.
    pub(crate) fn freeze(&self, slot: Slot) -> Option<Process> {
        let process = self.running().get(&slot).map(|running| running.process.clone());
        process.inspect(Process::freeze)
    }

    pub(crate) fn set_wall_clock(&self, slot: Slot, ahead: i64) {
        self.with(slot, |running| running.clock.set_wall_clock(ahead));
    }

    pub(crate) fn let_follow(&self, slot: Slot, follows: bool) {
        self.with(slot, |running| running.follows.store(follows, Ordering::Relaxed));
    }

    fn with(&self, slot: Slot, act: impl FnOnce(&Running)) {
        if let Some(running) = self.running().get(&slot) {
            act(running);
        }
    }

    /// What is wrong with the images of the replicas, and what the databases refused.
    pub(crate) fn violations(&self) -> Vec<String> {
        let mut violations: Vec<_> = lock(&self.found).iter().cloned().collect();
        for (slot, running) in &*self.running() {
            if let Err(fault) = (running.verify)() {
                violations.push(format!("{slot:?}: {fault}"));
            }
        }
        let Databases { map, robot, trading, game } = &self.databases;
        let refusals = [map.refusals(), robot.refusals(), trading.refusals(), game.refusals()];
        violations.extend(refusals.into_iter().flatten());
        violations
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<Slot, Running>> {
        lock(&self.running)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An empty database. No process is the one that made it.
fn database<D: Simulated>(time: &Arc<SimulatedTime>) -> Arc<Memory<D>> {
    let time = time.clone();
    let disturb: Disturbance = Arc::new(move |on| time.disturb(on));
    let database = Memory::new(ReplicaId(Uuid::nil()), disturb);
    database.presume_dead();
    database.lag();
    database.share();
    database
}

/// Absorbs what other replicas have committed, a while after they did.
async fn follow<D: Simulated>(
    store: Arc<Memory<D>>,
    clock: Arc<ProcessClock>,
    connection: DatabaseConnection,
    mut chance: Chance,
    follows: Arc<AtomicBool>,
) {
    loop {
        let next = clock.monotonic().after(Duration::from_millis(chance.draw(&FOLLOWS_EVERY)));
        clock.sleep_until(next).await;
        if follows.load(Ordering::Relaxed) && connection.ask().await.is_ok() {
            // A fault is told when the images are verified.
            let _ = store.follow();
        }
    }
}
