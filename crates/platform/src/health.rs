//! How a part of a service is, for `/health`: the words that every service uses for it.

use std::collections::BTreeMap;

use starkeep_contract::health::{HealthStatus, Lateness, Part};

use crate::decision::StoreFault;

/// The parts of a service by their names.
pub type Parts = BTreeMap<String, Part>;

/// What a service says of itself.
#[derive(Default)]
pub struct ServiceHealth {
    pub parts: Parts,
    /// How late boundaries of rounds were committed; only where rounds are kept.
    pub lateness: BTreeMap<String, Lateness>,
}

/// A part that is as it should be.
pub fn healthy(detail: impl Into<String>) -> Part {
    Part { status: HealthStatus::Ok, detail: detail.into() }
}

/// A part without which the service works all the same.
pub fn degraded(detail: impl Into<String>) -> Part {
    Part { status: HealthStatus::Degraded, detail: detail.into() }
}

/// The part without which a service cannot do anything.
pub fn storage(check: Result<(), StoreFault>) -> Part {
    match check {
        Ok(()) => healthy("can be written"),
        Err(StoreFault::Unavailable(fault) | StoreFault::Refused(fault) | StoreFault::Unknown(fault)) => {
            Part { status: HealthStatus::Failing, detail: format!("cannot be written: {fault}") }
        }
    }
}
