//! The map service's own numbers for Prometheus: what was mined and replenished, and how many worlds are active.
//! Requests and commits are counted by the platform.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use starkeep_map_core::ResourceKind;

use crate::ports::Store;

/// The counters of the use cases. Clones share them.
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
    pub(crate) fn register(&self, registry: &mut Registry, store: Arc<dyn Store>) {
        // Every series is there from the beginning, so that a rate can be taken of its first mining.
        for kind in ResourceKind::ALL {
            self.mined_of(kind, 0);
        }
        registry.register("minings", "Minings answered", self.minings.clone());
        registry.register("mined_units", "Units mined", self.mined.clone());
        registry.register("replenishments", "Deposits replenished", self.replenishments.clone());
        registry.register_collector(Box::new(ActiveWorlds(store)));
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
struct ActiveWorlds(Arc<dyn Store>);

impl Collector for ActiveWorlds {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let active = ConstGauge::new(i64::try_from(self.0.image().active().len()).unwrap_or(i64::MAX));
        let kind = active.metric_type();
        active.encode(encoder.encode_descriptor("active_worlds", "Active gameworlds", None, kind)?)
    }
}

impl fmt::Debug for ActiveWorlds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ActiveWorlds")
    }
}
