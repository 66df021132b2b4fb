//! Time around some events: for so long before and after each of them nothing else of the service is sent.
//! Consumers that read every topic on a thread of its own handle such an event apart from all others.

use std::sync::Arc;
use std::time::Duration;

use crate::events::CommittedEvent;

#[derive(Clone, Copy, Debug)]
pub struct Spacing {
    /// Zero for none. Between two spaced events there is one gap, not two.
    pub gap: Duration,
    /// Which events have the gap before and after them.
    pub applies_to: fn(&CommittedEvent) -> bool,
}

impl Default for Spacing {
    fn default() -> Self {
        Self { gap: Duration::ZERO, applies_to: |_| false }
    }
}

impl Spacing {
    pub(super) fn is_off(&self) -> bool {
        self.gap.is_zero()
    }

    pub(super) fn applies(&self, event: &CommittedEvent) -> bool {
        !self.is_off() && (self.applies_to)(event)
    }

    /// How many of the events follow one another without a gap: a spaced one alone, or all up to the next spaced one.
    pub(super) fn stretch(&self, events: &[Arc<CommittedEvent>]) -> usize {
        let next = events.iter().position(|event| self.applies(event));
        next.map_or(events.len(), |next| next.max(1))
    }
}
