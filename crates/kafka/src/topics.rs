//! Topics that events are sent to: an idempotent producer that is discarded as soon as it fails.
//! As long as it is used, the broker drops repeated records; afterwards the ends of the topics show what has arrived.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use jiff::Timestamp;
use rdkafka::error::KafkaError;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer, PurgeConfig, ThreadedProducer};
use starkeep_contract::events::Channel;
use starkeep_platform::clock::within;
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, Topics};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::deliveries::{CountDeliveries, Deliveries};
use crate::{Kafka, REQUEST_TIMEOUT, late_records, tail};

/// If nothing was acknowledged for so long it is not known whether the rest has arrived. Short enough for `/health` to show it
/// within two seconds, and far below the time after which another process may take over.
const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Where late records are not refused: what a dead process had handed to the network arrives within this time, nearly always.
const IN_FLIGHT_LIMIT: Duration = Duration::from_millis(200);

/// How often it is checked whether more was acknowledged.
const LOOKED_EVERY: Duration = Duration::from_millis(250);

/// Records that were sent together and are not all acknowledged.
struct Underway {
    deliveries: Arc<Deliveries>,
    outcome: oneshot::Receiver<Result<(), KafkaError>>,
}

pub struct KafkaTopics {
    kafka: Kafka,
    producer: Mutex<Option<Arc<ThreadedProducer<CountDeliveries>>>>,
}

impl KafkaTopics {
    pub fn new(kafka: Kafka) -> Self {
        Self { kafka, producer: Mutex::default() }
    }

    fn producer(&self) -> Result<Arc<ThreadedProducer<CountDeliveries>>, BrokerFault> {
        let mut producer = self.producer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(producer) = &*producer {
            return Ok(producer.clone());
        }
        let mut config = self.kafka.config();
        // Idempotence keeps the order when records are repeated. No record times out by itself, which could leave a gap:
        // all that are in flight are discarded together. If the broker refuses some of them, none that follow are sent.
        config
            .set("enable.idempotence", "true")
            .set("enable.gapless.guarantee", "true")
            .set("message.timeout.ms", "0")
            .set("linger.ms", "1");
        let made: ThreadedProducer<_> =
            config.create_with_context(CountDeliveries).map_err(|error| self.kafka.fault(&error))?;
        let made = Arc::new(made);
        *producer = Some(made.clone());
        Ok(made)
    }

    /// What comes of it once the broker has answered. They are on their way when this returns.
    fn begin_sending(
        &self,
        topic: Channel,
        events: &[Arc<CommittedEvent>],
        sent_at: Timestamp,
    ) -> Result<Underway, BrokerFault> {
        let producer = self.producer()?;
        let (deliveries, outcome) = Deliveries::new();
        let mut key = Uuid::encode_buffer();
        for event in events {
            let record = BaseRecord::with_opaque_to(topic.name(), deliveries.one_more())
                .partition(0)
                .timestamp(sent_at.as_millisecond())
                .key(&*event.record_key().as_hyphenated().encode_lower(&mut key))
                .payload(&*event.payload)
                .headers(headers(event));
            producer.send(record).map_err(|(error, _)| self.kafka.fault(&error))?;
        }
        deliveries.all_sent();
        Ok(Underway { deliveries, outcome })
    }

    async fn acknowledged(&self, begun: Result<Underway, BrokerFault>) -> Result<(), BrokerFault> {
        let Underway { deliveries, mut outcome } = begun?;
        let clock = &*self.kafka.clock;
        let (mut open, mut since) = (deliveries.open(), clock.monotonic());
        loop {
            match within(clock, LOOKED_EVERY, &mut outcome).await {
                Some(Ok(outcome)) => return outcome.map_err(|error| self.kafka.fault(&error)),
                Some(Err(_)) => return Err(self.kafka.no_answer(ACKNOWLEDGEMENT_TIMEOUT)),
                None if deliveries.open() < open => (open, since) = (deliveries.open(), clock.monotonic()),
                None if clock.monotonic().since(since) >= ACKNOWLEDGEMENT_TIMEOUT => {
                    return Err(self.kafka.no_answer(ACKNOWLEDGEMENT_TIMEOUT));
                }
                None => {}
            }
        }
    }

    /// With everything that is in flight.
    fn discard_producer(&self) {
        let Some(producer) = self.producer.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        producer.purge(PurgeConfig::default().queue().inflight());
        // Dropping it blocks until its threads have ended.
        tokio::task::spawn_blocking(move || drop(producer));
    }
}

impl Topics for KafkaTopics {
    fn ensure<'a>(&'a self, topics: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async move {
            let names: Vec<_> = topics.iter().map(|topic| topic.name()).collect();
            self.kafka.create_missing(&names, REQUEST_TIMEOUT).await?;
            if self.kafka.refuses_late_records {
                self.kafka.refuse_late_records(&names).await?;
            }
            Ok(())
        }
        .boxed()
    }

    fn tail(&self, topic: Channel, at_most: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>> {
        self.kafka.blocking(move |kafka| tail::event_ids(&kafka, topic.name(), at_most)).boxed()
    }

    fn send<'a>(
        &'a self,
        topic: Channel,
        events: &'a [Arc<CommittedEvent>],
        sent_at: Timestamp,
    ) -> BoxFuture<'a, Result<(), BrokerFault>> {
        let begun = self.begin_sending(topic, events, sent_at);
        async move {
            let outcome = self.acknowledged(begun).await;
            if outcome.is_err() {
                self.discard_producer();
            }
            outcome
        }
        .boxed()
    }

    fn in_flight_limit(&self) -> Duration {
        if self.kafka.refuses_late_records { late_records::REFUSED_FOR_CERTAIN } else { IN_FLIGHT_LIMIT }
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        async move {
            let producer = self.producer()?;
            self.kafka
                .blocking(move |kafka| {
                    let metadata =
                        producer.client().fetch_metadata(Some(Channel::ALL[0].name()), REQUEST_TIMEOUT);
                    metadata.map(drop).map_err(|error| kafka.fault(&error))
                })
                .await
        }
        .boxed()
    }
}

fn headers(event: &CommittedEvent) -> OwnedHeaders {
    event.headers().iter().fold(OwnedHeaders::new_with_capacity(5), |headers, (key, value)| {
        headers.insert(Header { key, value: Some(value) })
    })
}
