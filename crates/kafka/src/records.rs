//! Topics that are listened to, without a consumer group: the place in them is the listener's own to keep.

use futures::FutureExt;
use futures::future::BoxFuture;
use rdkafka::consumer::{BaseConsumer, Consumer, StreamConsumer};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Message, Offset};
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers};
use starkeep_platform::relay::BrokerFault;

use crate::{Kafka, PATIENCE, Quiet};

/// Records that are handed over at once.
const AT_ONCE: usize = 500;

struct KafkaTopicConsumer {
    kafka: Kafka,
    consumer: StreamConsumer<Quiet>,
}

impl TopicConsumers for Kafka {
    fn subscribe<'a>(
        &'a self,
        topic: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        async move {
            let name = topic.to_owned();
            if !self.aside(move |kafka| kafka.exists(&name)).await? {
                return Ok(None);
            }
            let consumer = self.consumer(topic, from).map_err(|error| self.fault(&error))?;
            Ok(Some(Box::new(KafkaTopicConsumer { kafka: self.clone(), consumer }) as Box<dyn TopicConsumer>))
        }
        .boxed()
    }
}

impl Kafka {
    /// Blocks.
    fn exists(&self, topic: &str) -> Result<bool, BrokerFault> {
        let asked = (|| {
            let client: BaseConsumer<Quiet> = self.config().create_with_context(Quiet)?;
            client.fetch_metadata(Some(topic), PATIENCE)
        })();
        let metadata = asked.map_err(|error| self.fault(&error))?;
        Ok(metadata.topics().iter().any(|known| known.name() == topic && !known.partitions().is_empty()))
    }

    fn consumer(&self, topic: &str, from: u64) -> Result<StreamConsumer<Quiet>, KafkaError> {
        let consumer: StreamConsumer<Quiet> = self
            .config()
            // Demanded by the library; nothing is ever committed.
            .set("group.id", "starkeep-listener")
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest")
            .create_with_context(Quiet)?;
        let mut place = TopicPartitionList::new();
        let offset = i64::try_from(from).unwrap_or(i64::MAX);
        place.add_partition_offset(topic, 0, Offset::Offset(offset))?;
        consumer.assign(&place)?;
        Ok(consumer)
    }
}

impl TopicConsumer for KafkaTopicConsumer {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, BrokerFault>> {
        async move {
            let mut records = Vec::new();
            loop {
                let next = if records.is_empty() {
                    self.consumer.recv().await
                } else {
                    let Some(next) = self.consumer.recv().now_or_never() else { return Ok(records) };
                    next
                };
                match next {
                    Ok(record) => records.push(Record {
                        offset: record.offset().unsigned_abs(),
                        value: record.payload().unwrap_or_default().to_vec(),
                    }),
                    // What has come is not lost with what has not.
                    Err(_) if !records.is_empty() => return Ok(records),
                    Err(error) if passes(&error) => {}
                    Err(error) => return Err(self.kafka.fault(&error)),
                }
                if records.len() == AT_ONCE {
                    return Ok(records);
                }
            }
        }
        .boxed()
    }
}

/// A broker that is away is waited for.
fn passes(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(RDKafkaErrorCode::AllBrokersDown | RDKafkaErrorCode::BrokerTransportFailure)
    )
}
