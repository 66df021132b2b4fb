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
    /// The first fault.
    fault: Mutex<Option<KafkaError>>,
    /// Told when none is open.
    done: Mutex<Option<oneshot::Sender<Outcome>>>,
}

impl Deliveries {
    pub(crate) fn new() -> (Arc<Self>, oneshot::Receiver<Outcome>) {
        let (done, outcome) = oneshot::channel();
        let deliveries =
            Self { open: AtomicUsize::new(1), fault: Mutex::default(), done: Mutex::new(Some(done)) };
        (Arc::new(deliveries), outcome)
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

    fn close_one(&self, fault: Option<KafkaError>) {
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = fault {
            first.get_or_insert(fault);
        }
        if self.open.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        let outcome = first.take().map_or(Ok(()), Err);
        if let Some(done) = self.done.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // Who waited has given up.
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
    fn the_first_fault_is_told_once_none_is_open() {
        let (deliveries, mut outcome) = Deliveries::new();
        let fault = |code| Some(KafkaError::MessageProduction(code));
        let all = [deliveries.one_more(), deliveries.one_more(), deliveries.one_more()];
        deliveries.all_sent();
        all[0].close_one(None);
        all[1].close_one(fault(RDKafkaErrorCode::PurgeQueue));
        assert!(outcome.try_recv().is_err());
        all[2].close_one(fault(RDKafkaErrorCode::QueueFull));
        assert_eq!(outcome.try_recv().unwrap().err(), fault(RDKafkaErrorCode::PurgeQueue));
    }
}
