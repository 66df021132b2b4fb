//! Counters of what was asked and answered, by route template and never by path, and the text that Prometheus reads.
//! Each service has its own registry; handles are registered once.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Method, header};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use crate::store::CommonStore;

/// A service's metrics.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    requests: Family<Asked, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    method: &'static str,
    route: String,
    status: u16,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    pub fn new() -> Self {
        let requests = Family::default();
        let mut registry = Registry::with_prefix("starkeep");
        registry.register("http_requests", "Requests answered", requests.clone());
        Self { registry: Arc::new(Mutex::new(registry)), requests }
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

/// Anybody can invent a method; a label for each would be kept for ever.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Middleware that counts.
pub async fn count(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    metrics.requests.get_or_create(&Asked { method, route, status: response.status().as_u16() }).inc();
    response
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
