//! Leaves out what follows from a full disk: the store says once a minute that it is full (`disk_log`), and each of its many
//! callers would say it again, some twenty times a second. So would those whom another service refuses for its full disk.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// As a fault reads, printed for a person and for a programmer.
const MARKS: [&str; 2] = ["disk is full", "DiskFull("];

pub(super) struct WithoutFullDisk;

impl<S: Subscriber> Layer<S> for WithoutFullDisk {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let mut found = Found(false);
        event.record(&mut found);
        !found.0
    }
}

struct Found(bool);

impl Visit for Found {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if ["fault", "failure"].contains(&field.name()) {
            let text = format!("{value:?}");
            self.0 |= MARKS.iter().any(|mark| text.contains(mark));
        }
    }
}

#[cfg(test)]
mod tests {
    use starkeep_contract::Problem;

    use crate::decision::{Failure, StoreFault};
    use crate::http::ErrorResponse;

    #[test]
    fn it_is_recognised_in_all_ways_in_which_it_is_logged() {
        let is_left_out = |text: String| super::MARKS.iter().any(|mark| text.contains(mark));
        let refusal = |fault| ErrorResponse::from(Failure::<Problem>::Store(fault)).problem().detail.clone();
        let fault = StoreFault::DiskFull("13".to_owned());
        assert!(is_left_out(format!("{fault}")) && is_left_out(format!("{fault:?}")), "{fault}");
        assert!(is_left_out(refusal(fault)), "another service's");
        let other = StoreFault::Unavailable("gone".to_owned());
        assert!(!is_left_out(format!("{other} {other:?} {}", refusal(other.clone()))));
    }
}
