//! The parts of `/health`: their states in the words that every service uses.

use std::collections::BTreeMap;

use starkeep_contract::health::{HealthStatus, Lateness, Part};

use crate::decision::StoreFault;

/// The parts of a service by their names.
pub type Parts = BTreeMap<String, Part>;

/// The part of `/health` that is a service's own.
#[derive(Default)]
pub struct ServiceHealth {
    pub parts: Parts,
    /// Whether a command is executed once, however often its batch is sent; only of services that carry commands out.
    pub executes_once: Option<bool>,
    /// How late boundaries of rounds were committed; only where rounds are kept.
    pub lateness: BTreeMap<String, Lateness>,
}

/// A part that works.
pub fn healthy(detail: impl Into<String>) -> Part {
    Part { status: HealthStatus::Ok, detail: detail.into() }
}

/// A part that does not work, and without which the service still does.
pub fn degraded(detail: impl Into<String>) -> Part {
    Part { status: HealthStatus::Degraded, detail: detail.into() }
}

/// The store: if it does not work, the service does not.
pub fn storage(check: Result<(), StoreFault>) -> Part {
    match check {
        Ok(()) => healthy("can be written"),
        Err(StoreFault::DiskFull(_)) => Part {
            status: HealthStatus::Failing,
            detail: "cannot be written: the server's disk is full".to_owned(),
        },
        Err(StoreFault::Unavailable(fault) | StoreFault::Refused(fault) | StoreFault::Unknown(fault)) => {
            Part { status: HealthStatus::Failing, detail: format!("cannot be written: {fault}") }
        }
    }
}
