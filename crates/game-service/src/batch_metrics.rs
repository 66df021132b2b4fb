//! Results of sent batches, counted for `/metrics`.
//! It only measures; nothing is decided by these figures.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use starkeep_game_core::ExecutorKind;

use crate::domain::BatchState;

/// Clones count together.
#[derive(Clone, Default)]
pub(crate) struct BatchMetrics {
    batches: Family<OfService, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfService {
    service: &'static str,
    outcome: &'static str,
}

impl BatchMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Batches of commands by executor and outcome";
        registry.register("batches", help, self.batches.clone());
    }

    /// Counts a batch for this executor by its final state.
    pub(crate) fn count(&self, executor: ExecutorKind, state: BatchState) {
        let outcome = match state {
            BatchState::Sending | BatchState::Dropped => return,
            BatchState::Dispatched => "dispatched",
            BatchState::Undelivered => "undelivered",
            BatchState::Unknown => "unknown",
        };
        let service = match executor {
            ExecutorKind::Trading => "trading",
            ExecutorKind::Robots => "robot",
        };
        self.batches.get_or_create(&OfService { service, outcome }).inc();
    }
}
