//! One simulation from its first instant to its last check.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use starkeep_clock::{Clock, within};
use starkeep_fault_harness::Chance;
use starkeep_platform::memory::PlantedBug;
use starkeep_selftest::{Checks, HarnessError, Load, LoadSize, SERVICES, Targets};
use tokio::task::JoinSet;

use crate::cluster::Cluster;
use crate::network::SimulatedNetwork;
use crate::panics;
use crate::plan::{Fault, Plan, PlannedFault};
use crate::process::{Process, ProcessClock};
use crate::time::SimulatedTime;

/// So many rounds are played at least.
const LEAST_ROUNDS: u64 = 10;
/// How often it is looked whether they were.
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// After the last fault all of it is over within this long.
const LONGEST_END: Duration = Duration::from_mins(5);
/// Between two attempts of a client.
const PAUSE: Duration = Duration::from_millis(100);

/// What came of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What did not hold; nothing, if all is well.
    pub violations: Vec<String>,
    pub rounds: u64,
    pub acknowledged: usize,
    /// How many there were.
    pub faults: usize,
    /// How much time has passed in it.
    pub simulated: Duration,
}

/// The same for the same plan and bug, whenever and wherever it is run.
pub fn simulate(plan: &Plan, planted: Option<PlantedBug>) -> Outcome {
    let time = Arc::<SimulatedTime>::default();
    let (plan, own_time) = (plan.clone(), time.clone());
    // Those of a simulation before.
    panics::take();
    let mut outcome =
        time.run(async move { Simulation::start(&plan, planted, own_time).await.run(plan).await });
    outcome.violations.extend(panics::take());
    outcome
}

struct Simulation {
    time: Arc<SimulatedTime>,
    clock: Arc<dyn Clock>,
    network: Arc<SimulatedNetwork>,
    cluster: Arc<Cluster>,
    targets: Targets,
    chance: Chance,
}

impl Simulation {
    async fn start(plan: &Plan, planted: Option<PlantedBug>, time: Arc<SimulatedTime>) -> Self {
        // Not the numbers that the plan was drawn from.
        let mut chance = Chance(plan.seed ^ 0x5eed).fork();
        let network = SimulatedNetwork::new(time.clone(), chance.fork(), plan.hides_executes_once, planted);
        let cluster = Cluster::start(time.clone(), network.clone(), chance.fork(), planted).await;
        let client = Process::start();
        let (offset, ahead) = (Duration::ZERO, AtomicI64::new(0));
        let clock: Arc<dyn Clock> =
            Arc::new(ProcessClock { time: time.clone(), process: client.clone(), offset, ahead });
        let urls = SERVICES.map(|service| (service, network.url(("client", service), &client)));
        let targets = Targets { urls: urls.into(), clock: clock.clone(), pause: PAUSE };
        Self { time, clock, network, cluster, targets, chance }
    }

    async fn run(mut self, plan: Plan) -> Outcome {
        let (mut faults, planned_faults) = (JoinSet::new(), plan.faults.len());
        for planned in plan.faults {
            faults.spawn(inflict(planned, self.clock.clone(), self.network.clone(), self.cluster.clone()));
        }
        let size = LoadSize {
            hosts: 1,
            pace: plan.pace,
            has_rival: false,
            miners: 1,
            mining_pause: Duration::from_millis(100),
            registration_pause: Duration::from_millis(500),
            watchers: 1,
            watching_pause: Duration::from_millis(250),
        };
        let clock = self.clock.clone();
        let (mut rounds, mut acknowledged) = (0, 0);
        let played = async {
            let mut load = Load::start(&self.targets, &size, &mut self.chance).await?;
            while faults.join_next().await.is_some() {}
            let checks = self.checked(&mut load).await;
            acknowledged = load.acknowledged();
            load.end_readers();
            checks.inspect(|checks| rounds = checks.rounds_played())
        };
        let mut violations = match within(&*clock, LONGEST_END, played).await {
            Some(Ok(checks)) => checks.violations.sentences,
            Some(Err(HarnessError(fault))) => vec![fault],
            None => vec!["it does not come to an end".to_owned()],
        };
        violations.extend(self.cluster.violations());
        violations.extend(self.network.repeated_batches());
        let simulated = self.time.now().since(starkeep_clock::Monotonic(0));
        Outcome { violations, rounds, acknowledged, faults: planned_faults, simulated }
    }

    /// Goes on until enough was played, ends the load, and checks what there is to be checked.
    async fn checked(&self, load: &mut Load) -> Result<Checks, HarnessError> {
        let mut checks = Checks::new(&self.targets, load);
        checks.after_fault(load).await?;
        while checks.rounds_played() < LEAST_ROUNDS {
            self.clock.sleep_until(self.clock.monotonic().after(LOOK_EVERY)).await;
            checks.after_fault(load).await?;
        }
        load.end().await?;
        checks.at_end(load).await?;
        Ok(checks)
    }
}

/// Returns when what the fault did is undone.
async fn inflict(
    planned: PlannedFault,
    clock: Arc<dyn Clock>,
    network: Arc<SimulatedNetwork>,
    cluster: Arc<Cluster>,
) {
    let PlannedFault { at, lasts, fault } = planned;
    clock.sleep_until(starkeep_clock::Monotonic(0).after(at)).await;
    let pass = || clock.sleep_until(clock.monotonic().after(lasts));
    match fault {
        Fault::Kill(slot) => {
            cluster.kill(slot);
            pass().await;
            cluster.serve(slot).await;
        }
        Fault::Stop(slot) => {
            cluster.stop(slot).await;
            pass().await;
            cluster.serve(slot).await;
        }
        Fault::Freeze(slot) => {
            let frozen = cluster.freeze(slot);
            pass().await;
            if let Some(process) = frozen {
                process.unfreeze();
            }
        }
        Fault::Database(slot, fault) => {
            cluster.database(slot).set(Some(fault));
            pass().await;
            cluster.database(slot).set(None);
        }
        Fault::Link(from, to, fault) => {
            network.set((from, to), Some(fault));
            pass().await;
            network.set((from, to), None);
        }
        Fault::FallBehind(slot) => {
            cluster.let_follow(slot, false);
            pass().await;
            cluster.let_follow(slot, true);
        }
        Fault::WallClock(slot, ahead) => {
            cluster.set_wall_clock(slot, ahead);
            pass().await;
            cluster.set_wall_clock(slot, 0);
        }
    }
}
