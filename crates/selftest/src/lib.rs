//! The self-test: the real program as processes under a mixed load, harmed by faults that are drawn from a seed, and what it has
//! acknowledged compared with what is there after each of them.

mod checks;
mod faults;
mod installation;
mod load;
pub mod orders;
mod plan;
mod records;
mod report;
mod service;
mod targets;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::{Clock, within};
use starkeep_fault_harness::Chance;
pub use starkeep_fault_harness::HarnessError;

pub use self::checks::{Checks, Violations};
use self::faults::Faults;
use self::installation::Installation;
pub use self::installation::Place;
pub use self::load::{Load, LoadSize, Pace, ROUND_MILLIS};
pub use self::plan::FaultKind;
pub use self::records::Operation;
pub use self::report::{LONGEST_RECOVERY, OperationCounts, Report};
pub use self::targets::{RUNNING_GAMES, SERVICES, Targets};

/// A load that is not acknowledged within this long has come to a stand.
const LONGEST_STAND: Duration = Duration::from_mins(2);

/// What is tested, and how hard.
pub struct SelfTest {
    /// The program.
    pub executable: PathBuf,
    pub place: Place,
    /// Among the faults.
    pub kills: u32,
    /// No new fault after this long.
    pub at_most: Option<Duration>,
    pub seed: u64,
    pub clock: Arc<dyn Clock>,
}

impl SelfTest {
    /// `progress` is told how many faults there were, and how many there will be. An error is one of the self-test itself, or a
    /// service that did not come back.
    pub async fn run(&self, mut progress: impl FnMut(u64, u64)) -> Result<Report, HarnessError> {
        let begin = self.clock.monotonic();
        let mut chance = Chance(self.seed);
        let mut installation =
            Installation::start(&self.executable, self.place.clone(), self.clock.clone()).await?;
        let plan = plan::draw(self.kills, installation.has_files(), &mut chance.fork());
        let mut faults = Faults { clock: self.clock.clone(), chance: chance.fork() };
        let targets = installation.targets();
        let mut load = Load::start(&targets, &load_size(), &mut chance).await?;
        load.disturb(installation.addresses().collect(), self.clock.clone(), chance.fork());
        let mut checks = Checks::new(&targets, &load);
        let (mut done, mut recovery) = (BTreeMap::<FaultKind, u64>::new(), None);
        for (number, fault) in (0..).zip(&plan) {
            progress(number, plan.len() as u64);
            if self.at_most.is_some_and(|at_most| self.clock.monotonic().since(begin) >= at_most) {
                break;
            }
            self.load_goes_on(&load, fault.after).await?;
            let since = faults.inflict(&mut installation, fault).await?;
            let (took, kind) = (faults.recovery(&installation, since).await?, fault.harm.kind());
            recovery = recovery.max(Some((took, kind)));
            if took > LONGEST_RECOVERY {
                checks.violations.add(format!("{}: well again only after {took:?}", kind.name()));
            }
            *done.entry(kind).or_default() += 1;
            checks.after_fault(&load).await?;
        }
        load.end().await?;
        checks.at_end(&load).await?;
        load.end_readers();
        Ok(Report {
            seed: self.seed,
            operations: OperationCounts::of_all(&load.records, &checks.violations),
            faults: done,
            rounds: checks.rounds_played(),
            hostile_connections: load.hostile_connections(),
            recovery,
            took: self.clock.monotonic().since(begin),
            violations: checks.violations,
        })
    }

    /// Returns when so many more operations were acknowledged.
    async fn load_goes_on(&self, load: &Load, more: u64) -> Result<(), HarnessError> {
        let journal = &load.records.journal;
        let enough = journal.len() + usize::try_from(more).unwrap_or(usize::MAX);
        let reached = within(&*self.clock, LONGEST_STAND, journal.reaches(enough)).await;
        reached.ok_or_else(|| {
            HarnessError(format!(
                "the load has come to a stand: {} of {enough} acknowledgements",
                journal.len()
            ))
        })
    }
}

/// As much as keeps a small machine busy.
fn load_size() -> LoadSize {
    LoadSize {
        hosts: RUNNING_GAMES as u64,
        pace: Pace::Turbo,
        has_rival: true,
        miners: 3,
        mining_pause: Duration::from_millis(2),
        registration_pause: Duration::from_millis(20),
        watchers: 2,
        watching_pause: Duration::from_millis(5),
    }
}
