//! The progress of the relay, for `/health`, `/metrics`, retention, and those who wait until something was sent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use starkeep_contract::health::Part;
use tokio::sync::watch;

use crate::clock::{Clock, Monotonic};
use crate::events::Log;
use crate::health::{degraded, healthy};

pub struct RelayStatus {
    /// Whose events are sent, for the log lines.
    pub(super) service: &'static str,
    log: Arc<Log>,
    clock: Arc<dyn Clock>,
    /// Around spaced events.
    gap: Duration,
    sent: watch::Sender<Sent>,
    /// The number of the last event that was sent, as far as it was saved.
    saved: AtomicU64,
    sent_here: AtomicU64,
    fault: Mutex<Option<(String, Timestamp)>>,
}

/// How far the relay is.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Number of the last event that the broker is known to have.
    number: u64,
    /// When it was acknowledged, or found to be there.
    at: Monotonic,
    /// Whether the gap follows it.
    is_spaced: bool,
    /// The end of the last gap that the relay had to wait for.
    gap_end: Monotonic,
    is_failing: bool,
}

/// Nothing could be sent for too long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("none of the events that wait for Kafka ({behind}) was sent for {} s: {fault}", .silence.as_secs_f64())]
pub struct BrokerSilent {
    behind: u64,
    silence: Duration,
    fault: String,
}

impl RelayStatus {
    pub(super) fn new(
        service: &'static str,
        log: Arc<Log>,
        clock: Arc<dyn Clock>,
        gap: Duration,
        position: u64,
    ) -> Self {
        let now = clock.monotonic();
        let sent = Sent { number: position, at: now, is_spaced: false, gap_end: now, is_failing: false };
        Self {
            service,
            log,
            clock,
            gap,
            sent: watch::Sender::new(sent),
            saved: AtomicU64::new(position),
            sent_here: AtomicU64::new(0),
            fault: Mutex::default(),
        }
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent.borrow().number
    }

    /// The end of the gap that the next event has to wait for, if it is not over.
    pub(super) fn gap_before(&self, is_spaced: bool) -> Option<Monotonic> {
        let Sent { at, is_spaced: follows_spaced, .. } = *self.sent.borrow();
        let end = at.after(self.gap);
        if !(is_spaced || follows_spaced) || end <= self.clock.monotonic() {
            return None;
        }
        self.sent.send_modify(|sent| sent.gap_end = end);
        Some(end)
    }

    /// Everything up to this number may be removed.
    pub fn saved(&self) -> u64 {
        self.saved.load(Ordering::Acquire)
    }

    /// Everything up to this number is there. `events` of it were sent just now; the others had been found.
    pub(super) fn record_sent(&self, number: u64, events: usize, is_spaced: bool) {
        let now = self.clock.monotonic();
        self.sent.send_modify(|sent| {
            (sent.number, sent.is_spaced) = (number, is_spaced);
            if events > 0 {
                sent.at = now;
            }
        });
        self.sent_here.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// What has arrived was found out just now.
    pub(super) fn record_learned(&self) {
        let now = self.clock.monotonic();
        self.sent.send_modify(|sent| sent.at = now);
    }

    pub(super) fn resume_at(&self, number: u64, is_spaced: bool) {
        let now = self.clock.monotonic();
        self.sent.send_modify(|sent| (sent.number, sent.at, sent.is_spaced) = (number, now, is_spaced));
        self.saved.store(number, Ordering::Release);
    }

    /// The leader, which is another replica, has sent everything up to this number.
    pub(super) fn follow(&self, number: u64, is_spaced: bool) {
        let now = self.clock.monotonic();
        self.saved.fetch_max(number, Ordering::AcqRel);
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let was_failing = fault.take().is_some();
        self.sent.send_if_modified(|sent| {
            // Never back: this replica may have begun to lead meanwhile.
            let is_news = sent.number < number;
            if is_news {
                (sent.number, sent.at, sent.is_spaced) = (number, now, is_spaced);
            }
            sent.is_failing = false;
            is_news || was_failing
        });
    }

    /// How far it is has to be read again: the database has lost commits.
    pub(super) fn forget(&self) {
        self.sent.send_modify(|sent| sent.number = 0);
        self.saved.store(0, Ordering::Release);
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
        let is_failing = fault.is_some();
        *last = fault.map(|fault| (fault, since));
        self.sent.send_if_modified(|sent| std::mem::replace(&mut sent.is_failing, is_failing) != is_failing);
    }

    /// Waits until all that is logged by now was sent, and the gap after it is over. It fails once nothing was sent for
    /// `patience`; gaps do not count.
    pub async fn all_sent(&self, patience: Duration) -> Result<(), BrokerSilent> {
        let (number, began) = (self.log.head(), self.clock.monotonic());
        let mut watch = self.sent.subscribe();
        loop {
            let sent = *watch.borrow_and_update();
            let is_sent = sent.number >= number;
            let deadline = if !is_sent {
                began.max(sent.at).max(sent.gap_end).after(patience)
            } else if sent.number == number && sent.is_spaced {
                sent.at.after(self.gap)
            } else {
                // Where more was sent, the gap is over as well.
                return Ok(());
            };
            if deadline <= self.clock.monotonic() {
                return if is_sent { Ok(()) } else { Err(self.silent(patience)) };
            }
            tokio::select! {
                biased;
                // The sender is this status.
                _ = watch.changed() => {}
                () = self.clock.sleep_until(deadline) => {}
            }
        }
    }

    /// Waits until all that is logged by now was sent; not at all while the broker cannot be reached.
    pub async fn all_sent_if_reachable(&self) {
        let number = self.log.head();
        // The sender is this status.
        let _ = self.sent.subscribe().wait_for(|sent| sent.number >= number || sent.is_failing).await;
    }

    fn silent(&self, silence: Duration) -> BrokerSilent {
        let last = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = last.as_ref().map_or_else(|| "it does not answer".to_owned(), |(fault, _)| fault.clone());
        BrokerSilent { behind: self.behind(), silence, fault }
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
