//! The text that Prometheus reads, and the store's figures in it.
//! Each service has its own registry; handles are registered once.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::response::{IntoResponse, Response};
use http::header;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::registry::Registry;

use crate::store::CommonStore;

/// A service's metrics.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    pub fn new() -> Self {
        Self { registry: Arc::new(Mutex::new(Registry::with_prefix("starkeep"))) }
    }

    /// Registers a service's own metrics.
    pub fn register(&self, register: impl FnOnce(&mut Registry)) {
        register(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn render(&self) -> String {
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        if prometheus_client::encoding::text::encode(&mut text, &registry).is_err() {
            let _ = writeln!(text, "# a metric could not be written");
        }
        text
    }

    pub fn answer(&self) -> Response {
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        ([(header::CONTENT_TYPE, kind)], self.render()).into_response()
    }
}

/// What the store has written, read at every scrape.
pub struct StoreMetrics(pub Arc<dyn CommonStore>);

impl Collector for StoreMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let counts = self.0.counts();
        for (name, help, value) in [
            ("store_commits", "Commits of the store", counts.commits),
            ("store_decisions", "Decisions in those commits", counts.decisions),
            ("store_events", "Events in those commits", counts.events),
        ] {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for StoreMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoreMetrics")
    }
}
