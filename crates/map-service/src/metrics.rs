//! The map service's own numbers for Prometheus: what was mined and replenished, and what the store holds and has written.
//! Requests are counted by the platform.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use starkeep_map_core::ResourceKind;
use starkeep_platform::http::metrics::Metrics;

use crate::ports::Store;

/// What the use cases count. Clones count together.
#[derive(Clone, Default)]
pub(crate) struct MapMetrics {
    minings: Counter,
    mined: Family<OfKind, Counter>,
    replenishments: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    resource_type: &'static str,
}

impl MapMetrics {
    pub(crate) fn registered(metrics: &Metrics, store: &Arc<dyn Store>) -> Self {
        let tally = Self::default();
        // Every series is there from the beginning, so that a rate can be taken of its first mining.
        for kind in ResourceKind::ALL {
            tally.mined_of(kind, 0);
        }
        metrics.register(|registry| {
            registry.register("minings", "Minings answered", tally.minings.clone());
            registry.register("mined_units", "Units mined", tally.mined.clone());
            registry.register("replenishments", "Deposits refilled", tally.replenishments.clone());
            registry.register_collector(Box::new(StoreNumbers(store.clone())));
        });
        tally
    }

    pub(crate) fn mined(&self, kind: ResourceKind, amount: i64) {
        self.minings.inc();
        self.mined_of(kind, amount.unsigned_abs());
    }

    pub(crate) fn replenished(&self, deposits: usize) {
        self.replenishments.inc_by(deposits as u64);
    }

    fn mined_of(&self, kind: ResourceKind, amount: u64) {
        self.mined.get_or_create(&OfKind { resource_type: kind.as_str() }).inc_by(amount);
    }
}

/// Read from the store at every scrape.
struct StoreNumbers(Arc<dyn Store>);

impl Collector for StoreNumbers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let active = ConstGauge::new(i64::try_from(self.0.image().active().len()).unwrap_or(i64::MAX));
        let kind = active.metric_type();
        active.encode(encoder.encode_descriptor("active_worlds", "Active gameworlds", None, kind)?)?;
        let written = self.0.common_store().written();
        for (name, help, value) in [
            ("store_commits", "Commits of the store's writer", written.commits),
            ("store_decisions", "Decisions in those commits", written.decisions),
            ("store_events", "Events in those commits", written.events),
        ] {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for StoreNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreNumbers")
    }
}
