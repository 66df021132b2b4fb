//! The trading service's own numbers for Prometheus: what came of commands, and how many games and open trades there are.
//! Requests and commits are counted by the platform.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use starkeep_contract::trading_events::TradeKind;
use starkeep_platform::store::Store;

use crate::domain::Trading;

/// The counters of the use cases. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct TradingMetrics {
    trades: Family<OfType, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfType {
    r#type: &'static str,
}

impl TradingMetrics {
    pub(crate) fn register(&self, registry: &mut Registry, store: Arc<dyn Store<Trading>>) {
        // Every series is there from the beginning, so that a rate can be taken of its first trade.
        for kind in TradeKind::ALL {
            self.count(kind.name(), 0);
        }
        registry.register("trades", "Trading commands by what came of them", self.trades.clone());
        registry.register_collector(Box::new(Markets(store)));
    }

    /// By the types of their events.
    pub(crate) fn traded(&self, types: &[&'static str]) {
        for kind in types {
            self.count(kind, 1);
        }
    }

    fn count(&self, kind: &'static str, by: u64) {
        self.trades.get_or_create(&OfType { r#type: kind }).inc_by(by);
    }
}

/// Read from the store at every scrape.
struct Markets(Arc<dyn Store<Trading>>);

impl Collector for Markets {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let image = self.0.image();
        for (name, help, count) in [
            ("markets", "Games that have not ended", image.markets.len()),
            ("unsettled_waves", "Trades whose outcome the robot service has not answered", image.open.len()),
        ] {
            let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Markets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Markets")
    }
}
