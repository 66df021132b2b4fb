//! The acknowledgements of records that are sent together, counted: nobody waits for each of them by itself.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::message::DeliveryResult;
use rdkafka::producer::ProducerContext;
use tokio::sync::oneshot;

use crate::DebugLog;

type Outcome = Result<(), KafkaError>;

/// Records that were sent together. Each that is sent holds it once.
pub(crate) struct Deliveries {
    /// How many are not acknowledged, and one more until all are sent.
    open: AtomicUsize,
    /// Told when none is open, or at the first fault.
    done: Mutex<Option<oneshot::Sender<Outcome>>>,
}

impl Deliveries {
    pub(crate) fn new() -> (Arc<Self>, oneshot::Receiver<Outcome>) {
        let (done, outcome) = oneshot::channel();
        (Arc::new(Self { open: AtomicUsize::new(1), done: Mutex::new(Some(done)) }), outcome)
    }

    /// For a record that is about to be sent.
    pub(crate) fn one_more(self: &Arc<Self>) -> Arc<Self> {
        self.open.fetch_add(1, Ordering::Relaxed);
        self.clone()
    }

    /// Nothing more is sent with these.
    pub(crate) fn all_sent(&self) {
        self.close_one(None);
    }

    /// How many are not acknowledged. It only becomes less once all are sent.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    fn close_one(&self, fault: Option<KafkaError>) {
        let was_last = self.open.fetch_sub(1, Ordering::Relaxed) == 1;
        if !was_last && fault.is_none() {
            return;
        }
        let outcome = fault.map_or(Ok(()), Err);
        if let Some(done) = self.done.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Whoever waited may have given up.
            let _ = done.send(outcome);
        }
    }
}

/// What the producer calls back. Its own messages are logged like those of the other clients.
pub(crate) struct CountDeliveries;

impl ClientContext for CountDeliveries {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        DebugLog.log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        DebugLog.error(error, reason);
    }
}

impl ProducerContext for CountDeliveries {
    type DeliveryOpaque = Arc<Deliveries>;

    fn delivery(&self, delivery: &DeliveryResult<'_>, deliveries: Arc<Deliveries>) {
        deliveries.close_one(delivery.as_ref().err().map(|(error, _)| error.clone()));
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::types::RDKafkaErrorCode;

    use super::*;

    #[test]
    fn the_outcome_is_known_when_all_are_sent_and_acknowledged() {
        let (deliveries, mut outcome) = Deliveries::new();
        let first = deliveries.one_more();
        first.close_one(None);
        let second = deliveries.one_more();
        deliveries.all_sent();
        assert!(outcome.try_recv().is_err(), "one is open");
        second.close_one(None);
        assert_eq!(outcome.try_recv().unwrap(), Ok(()));
    }

    #[test]
    fn the_first_fault_is_told_at_once() {
        let (deliveries, mut outcome) = Deliveries::new();
        let fault = |code| Some(KafkaError::MessageProduction(code));
        let all = [deliveries.one_more(), deliveries.one_more(), deliveries.one_more()];
        deliveries.all_sent();
        all[0].close_one(None);
        assert!(outcome.try_recv().is_err());
        all[1].close_one(fault(RDKafkaErrorCode::PurgeQueue));
        assert_eq!(outcome.try_recv().unwrap().err(), fault(RDKafkaErrorCode::PurgeQueue));
        all[2].close_one(fault(RDKafkaErrorCode::QueueFull));
        assert_eq!(deliveries.open(), 0);
    }
}
