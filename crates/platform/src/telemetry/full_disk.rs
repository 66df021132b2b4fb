//! Leaves out what follows from a full disk: the store says once a minute that it is full (`disk_log`), and each of its many
//! callers would say it again, some twenty times a second.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// As a `StoreFault` reads, printed for a person and for a programmer.
const MARKS: [&str; 2] = ["nothing was changed, because the disk is full", "DiskFull("];

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
    use crate::decision::StoreFault;

    #[test]
    fn the_fault_of_a_store_is_recognised_in_both_ways_in_which_it_is_logged() {
        let fault = StoreFault::DiskFull("13".to_owned());
        for text in [format!("{fault}"), format!("{fault:?}")] {
            assert!(super::MARKS.iter().any(|mark| text.contains(mark)), "{text}");
        }
        let other = StoreFault::Unavailable("gone".to_owned());
        assert!(!super::MARKS.iter().any(|mark| format!("{other} {other:?}").contains(mark)));
    }
}
