//! The progress of the relay, for `/health`, `/metrics` and retention.
//! Nothing is decided here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use starkeep_contract::health::Part;

use crate::events::Log;
use crate::health::{degraded, healthy};

pub struct RelayStatus {
    /// Whose events are sent, for the log lines.
    pub(super) service: &'static str,
    log: Arc<Log>,
    /// Number of the last event that the broker is known to have.
    sent: AtomicU64,
    /// The same, as far as it was saved.
    saved: AtomicU64,
    sent_here: AtomicU64,
    fault: Mutex<Option<(String, Timestamp)>>,
}

impl RelayStatus {
    pub(super) fn new(service: &'static str, log: Arc<Log>, position: u64) -> Self {
        Self {
            service,
            log,
            sent: AtomicU64::new(position),
            saved: AtomicU64::new(position),
            sent_here: AtomicU64::new(0),
            fault: Mutex::default(),
        }
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Everything up to this number may be removed.
    pub fn saved(&self) -> u64 {
        self.saved.load(Ordering::Acquire)
    }

    pub(super) fn record_sent(&self, number: u64, events: usize) {
        self.sent.store(number, Ordering::Release);
        self.sent_here.fetch_add(events as u64, Ordering::Relaxed);
    }

    pub(super) fn resume_at(&self, number: u64) {
        self.sent.store(number, Ordering::Release);
        self.saved.store(number, Ordering::Release);
    }

    pub(super) fn record_saved(&self, number: u64) {
        self.saved.store(number, Ordering::Release);
    }

    /// Logs only changes, not every attempt.
    pub(super) fn record_result(&self, fault: Option<String>, now: Timestamp) {
        let mut last = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let since = last.as_ref().map_or(now, |(_, since)| *since);
        let service = self.service;
        match (&*last, &fault) {
            (None, Some(fault)) => {
                tracing::warn!(service, %fault, "events cannot be sent to the broker; they wait in the log");
            }
            (Some(_), None) => {
                tracing::info!(service, behind = self.behind(), "events are sent to the broker again");
            }
            _ => {}
        }
        *last = fault.map(|fault| (fault, since));
    }

    fn behind(&self) -> u64 {
        self.log.head().saturating_sub(self.sent())
    }

    /// For `/health`.
    pub fn part(&self) -> Part {
        let behind = self.behind();
        match &*self.fault.lock().unwrap_or_else(PoisonError::into_inner) {
            None => healthy(format!("{behind} events behind")),
            Some((fault, since)) => {
                degraded(format!("{fault}; {behind} events wait in the log, since {since}"))
            }
        }
    }
}

/// For `/metrics`.
#[derive(Clone)]
pub struct RelayMetrics(pub Arc<RelayStatus>);

impl std::fmt::Debug for RelayMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RelayMetrics")
    }
}

impl Collector for RelayMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let behind = ConstGauge::new(i64::try_from(self.0.behind()).unwrap_or(i64::MAX));
        let help = "Events that are not sent to the broker yet";
        behind.encode(encoder.encode_descriptor(
            "relay_events_behind",
            help,
            None,
            behind.metric_type(),
        )?)?;
        let sent = ConstCounter::new(self.0.sent_here.load(Ordering::Relaxed));
        let help = "Events sent to the broker";
        sent.encode(encoder.encode_descriptor("relay_events_sent", help, None, sent.metric_type())?)
    }
}
