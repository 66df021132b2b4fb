//! Kafka, of a program with the feature `kafka`: what the services send to and consume from.
//! `without_kafka` has the same names for a program without.

use std::sync::Arc;

use starkeep_kafka::{Kafka, KafkaTopics};
use starkeep_platform::clock::Clock;
use starkeep_platform::consumer::TopicConsumers;
use starkeep_platform::relay::Topics;

pub(crate) struct Brokers(Kafka);

impl Brokers {
    /// Nothing is sent yet. Several replicas that share their data send one after the other.
    #[expect(clippy::unnecessary_wraps, reason = "a program without Kafka refuses it")]
    pub(crate) fn at(servers: &str, clock: Arc<dyn Clock>, is_shared: bool) -> Result<Self, String> {
        let kafka = Kafka::at(servers, clock);
        Ok(Self(if is_shared { kafka.refusing_late_records() } else { kafka }))
    }

    /// For one service.
    pub(crate) fn topics(&self) -> Arc<dyn Topics> {
        Arc::new(KafkaTopics::new(self.0.clone()))
    }

    pub(crate) fn consumers(&self) -> Arc<dyn TopicConsumers> {
        Arc::new(self.0.clone())
    }
}
