//! Topics that events are sent to: an idempotent producer that is thrown away as soon as it fails.
//! While it lives, the broker sorts out what it repeats; after that the topics' ends tell what has arrived.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt, try_join_all};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord, Producer, PurgeConfig};
use starkeep_contract::events::Channel;
use starkeep_platform::clock::{Clock, within};
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, Topics};
use uuid::Uuid;

use crate::{Kafka, PATIENCE, Quiet, tail};

/// What the broker has not acknowledged after this time is in doubt: short enough for `/health` to tell within two seconds,
/// and far below the time after which another process may take over.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_millis(1_500);

pub struct KafkaTopics {
    kafka: Kafka,
    clock: Arc<dyn Clock>,
    producer: Mutex<Option<FutureProducer<Quiet>>>,
}

impl KafkaTopics {
    pub fn new(kafka: Kafka, clock: Arc<dyn Clock>) -> Self {
        Self { kafka, clock, producer: Mutex::default() }
    }

    fn producer(&self) -> Result<FutureProducer<Quiet>, BrokerFault> {
        let mut producer = self.producer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(producer) = &*producer {
            return Ok(producer.clone());
        }
        let mut config = self.kafka.config();
        // Idempotence keeps the order, whatever has to be repeated. Nothing times out by itself, which could leave a hole:
        // all that is under way is given up at once.
        config.set("enable.idempotence", "true").set("message.timeout.ms", "0").set("linger.ms", "1");
        let made: FutureProducer<Quiet> =
            config.create_with_context(Quiet).map_err(|error| self.kafka.fault(&error))?;
        *producer = Some(made.clone());
        Ok(made)
    }

    async fn acknowledged(&self, topic: Channel, events: &[Arc<CommittedEvent>]) -> Result<(), BrokerFault> {
        let producer = self.producer()?;
        let mut deliveries = Vec::with_capacity(events.len());
        for event in events {
            let (key, headers) = (event.key.to_string(), headers(event));
            let record = FutureRecord::to(topic.name()).partition(0).key(&key).payload(&*event.payload);
            let sent = producer.send_result(record.headers(headers));
            deliveries.push(sent.map_err(|(error, _)| self.kafka.fault(&error))?);
        }
        let all = try_join_all(deliveries.into_iter().map(|delivery| async move {
            match delivery.await {
                Ok(Ok(_)) => Ok(()),
                Ok(Err((error, _))) => Err(self.kafka.fault(&error)),
                Err(_) => Err(self.kafka.gone(ACKNOWLEDGED_WITHIN)),
            }
        }));
        let outcome = within(&*self.clock, ACKNOWLEDGED_WITHIN, all).await;
        outcome.unwrap_or_else(|| Err(self.kafka.gone(ACKNOWLEDGED_WITHIN))).map(drop)
    }

    /// Whatever was under way with the producer is given up with it, at once.
    fn give_up(&self) {
        let Some(producer) = self.producer.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        producer.purge(PurgeConfig::default().queue().inflight());
        // Dropping it waits until its threads have ended, which is nobody's time to lose.
        tokio::task::spawn_blocking(move || drop(producer));
    }
}

impl Topics for KafkaTopics {
    fn ensure<'a>(&'a self, topics: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async move {
            let admin: AdminClient<Quiet> =
                self.kafka.config().create_with_context(Quiet).map_err(|error| self.kafka.fault(&error))?;
            // One partition keeps the order; how often it is replicated is the cluster's own setting.
            let topics: Vec<_> = topics
                .iter()
                .map(|topic| NewTopic::new(topic.name(), 1, TopicReplication::Fixed(-1)))
                .collect();
            let options = AdminOptions::new().request_timeout(Some(PATIENCE));
            let made = within(&*self.clock, 2 * PATIENCE, admin.create_topics(&topics, &options)).await;
            let made = made.ok_or_else(|| self.kafka.gone(2 * PATIENCE))?;
            for outcome in made.map_err(|error| self.kafka.fault(&error))? {
                match outcome {
                    Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
                    Err((topic, code)) => {
                        let reason = format!("does not make topic {topic}: {code}");
                        return Err(BrokerFault { reason, ..self.kafka.gone(PATIENCE) });
                    }
                }
            }
            Ok(())
        }
        .boxed()
    }

    fn tail(&self, topic: Channel, at_most: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>> {
        self.kafka.aside(move |kafka| tail::event_ids(&kafka, topic.name(), at_most)).boxed()
    }

    fn send<'a>(
        &'a self,
        topic: Channel,
        events: &'a [Arc<CommittedEvent>],
    ) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async move {
            let outcome = self.acknowledged(topic, events).await;
            if outcome.is_err() {
                self.give_up();
            }
            outcome
        }
        .boxed()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>> {
        async move {
            let producer = self.producer()?;
            self.kafka
                .aside(move |kafka| {
                    let asked = producer.client().fetch_metadata(Some(Channel::ALL[0].name()), PATIENCE);
                    asked.map(drop).map_err(|error| kafka.fault(&error))
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
