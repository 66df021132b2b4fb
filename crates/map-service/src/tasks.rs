//! The background tasks of the map service: replenishment, and announcements that were interrupted.
//! Tasks are started and stopped by the platform.

mod announcer;
mod replenisher;

use starkeep_platform::decision::Failure;

pub use self::announcer::Announcer;
pub use self::replenisher::{Replenisher, Replenishment};
use crate::domain::Rejection;

/// For the log.
fn describe(failure: Failure<Rejection>) -> String {
    match failure {
        Failure::Store(fault) => fault.to_string(),
        Failure::Expired => "the storage was busy for too long".to_owned(),
        Failure::AnsweredElsewhere => "another replica has answered it".to_owned(),
        Failure::Rejected(rejection) => format!("refused: {rejection:?}"),
    }
}
