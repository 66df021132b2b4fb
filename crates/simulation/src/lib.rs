//! The deterministic simulation: all four services with two replicas each in one thread, on simulated time, network and database,
//! under the load and the checks of the self-test, and harmed by faults that are drawn from a seed beforehand.

mod cluster;
mod database;
mod network;
mod panics;
mod plan;
mod process;
mod run;
mod services;
mod time;

pub use starkeep_platform::memory::PlantedBug;

pub use self::cluster::Slot;
pub use self::database::DatabaseFault;
pub use self::network::LinkFault;
pub use self::plan::{Fault, Plan, PlannedFault};
pub use self::run::{Outcome, simulate};
