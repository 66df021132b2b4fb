//! What came of a run, in figures. How it looks on a screen is for the command to say.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::checks::Violations;
use crate::plan::FaultKind;
use crate::records::{Operation, Records};

/// So many operations must be acknowledged for each fault, or the run says nothing.
const LEAST_PER_FAULT: u64 = 20;
/// After a fault everything is well within this long.
pub const LONGEST_RECOVERY: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct Report {
    pub seed: u64,
    pub operations: Vec<OperationCounts>,
    pub faults: BTreeMap<FaultKind, u64>,
    pub rounds: u64,
    pub hostile_connections: u64,
    /// The longest after a fault, and after which.
    pub recovery: Option<(Duration, FaultKind)>,
    pub took: Duration,
    pub violations: Violations,
}

/// What became of all operations of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationCounts {
    pub operation: Operation,
    pub acknowledged: u64,
    pub lost: u64,
    pub doubled: u64,
    /// Whose answer was lost, so that nobody knows. They are no loss.
    pub unknown: u64,
}

impl OperationCounts {
    pub(crate) fn of_all(records: &Records, violations: &Violations) -> Vec<Self> {
        let mut acknowledged = BTreeMap::<Operation, u64>::new();
        for entry in records.journal.entries() {
            *acknowledged.entry(entry.operation()).or_default() += 1;
        }
        let of = |operation| Self {
            operation,
            acknowledged: acknowledged.get(&operation).copied().unwrap_or_default(),
            lost: violations.lost.get(&operation).copied().unwrap_or_default(),
            doubled: violations.doubled.get(&operation).copied().unwrap_or_default(),
            unknown: records.unknown_times(operation),
        };
        Operation::ALL.map(of).to_vec()
    }
}

impl Report {
    pub fn acknowledged(&self) -> u64 {
        self.operations.iter().map(|counts| counts.acknowledged).sum()
    }

    pub fn faults(&self) -> u64 {
        self.faults.values().sum()
    }

    /// So many operations have to be acknowledged.
    pub fn least_acknowledged(&self) -> u64 {
        LEAST_PER_FAULT * self.faults()
    }

    pub fn is_good(&self) -> bool {
        self.violations.count == 0 && self.acknowledged() >= self.least_acknowledged()
    }
}
