//! What went wrong with the events of executors, counted for `/metrics`.
//! It only measures; nothing is decided by these figures.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use starkeep_game_core::ExecutorKind;

#[derive(Default)]
pub(crate) struct StreamMetrics {
    gaps: Family<OfService, Counter>,
    unreadable: Family<OfService, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfService {
    service: &'static str,
}

impl StreamMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Gaps in the events of executors: what they told of players and commands is not known";
        registry.register("executor_event_gaps", help, self.gaps.clone());
        let help = "Events of executors that could not be read and were skipped";
        registry.register("executor_bad_events", help, self.unreadable.clone());
    }

    pub(crate) fn gap(&self, executor: ExecutorKind) {
        self.gaps.get_or_create(&of(executor)).inc();
    }

    pub(crate) fn unreadable(&self, executor: ExecutorKind) {
        self.unreadable.get_or_create(&of(executor)).inc();
    }
}

fn of(executor: ExecutorKind) -> OfService {
    let service = match executor {
        ExecutorKind::Trading => "trading",
        ExecutorKind::Robots => "robot",
    };
    OfService { service }
}
