//! Topics that are consumed without a consumer group: the consumer keeps its position itself.
//! A position is the offset of the last record that was read, as decimal text.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use rdkafka::consumer::{BaseConsumer, Consumer, StreamConsumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{Header, Headers};
use rdkafka::topic_partition_list::TopicPartitionList;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Message, Offset};
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers, WhenLost};
use starkeep_platform::relay::BrokerFault;

use crate::{DebugLog, Kafka, REQUEST_TIMEOUT};

/// Most records that are handed over at once.
const LARGEST_BATCH: usize = 500;

/// Nobody waits for these topics, and a broker that has just started is slow.
const CREATION_TIMEOUT: Duration = Duration::from_secs(10);

struct KafkaTopicConsumer {
    kafka: Kafka,
    /// None only while it is dropped.
    consumer: Option<StreamConsumer<DebugLog>>,
    when_lost: WhenLost,
    end: End,
}

/// The end of the topic, as it was at the beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Ahead,
    Reached,
    Told,
}

impl TopicConsumers for Kafka {
    fn create<'a>(&'a self, topics: &'a [&'a str]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        self.create_missing(topics, CREATION_TIMEOUT).boxed()
    }

    fn subscribe<'a>(
        &'a self,
        topic: &'a str,
        after: Option<&'a str>,
        when_lost: WhenLost,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        async move {
            let from = next_offset(after).ok_or_else(|| self.unreadable_position(topic, after))?;
            let name = topic.to_owned();
            if !self.blocking(move |kafka| kafka.exists(&name)).await? {
                return Ok(None);
            }
            self.reading(topic, from, when_lost).map(Some)
        }
        .boxed()
    }
}

impl Kafka {
    /// Blocks.
    fn exists(&self, topic: &str) -> Result<bool, BrokerFault> {
        let metadata = (|| {
            let client: BaseConsumer<DebugLog> = self.config().create_with_context(DebugLog)?;
            client.fetch_metadata(Some(topic), REQUEST_TIMEOUT)
        })();
        let metadata = metadata.map_err(|error| self.fault(&error))?;
        Ok(metadata.topics().iter().any(|known| known.name() == topic && !known.partitions().is_empty()))
    }

    fn reading(
        &self,
        topic: &str,
        from: i64,
        when_lost: WhenLost,
    ) -> Result<Box<dyn TopicConsumer>, BrokerFault> {
        let consumer = self.consumer(topic, from).map_err(|error| self.fault(&error))?;
        Ok(Box::new(KafkaTopicConsumer {
            kafka: self.clone(),
            consumer: Some(consumer),
            when_lost,
            end: End::Ahead,
        }))
    }

    fn unreadable_position(&self, topic: &str, position: Option<&str>) -> BrokerFault {
        let position = position.unwrap_or_default().escape_debug();
        let reason = format!("has no position `{position}` in {topic}: it is no offset");
        BrokerFault { broker: self.servers.clone(), reason }
    }

    fn consumer(&self, topic: &str, from: i64) -> Result<StreamConsumer<DebugLog>, KafkaError> {
        let consumer: StreamConsumer<DebugLog> = self
            .config()
            // The library demands a group; nothing is ever committed.
            .set("group.id", "starkeep-listener")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("auto.offset.reset", "earliest")
            .create_with_context(DebugLog)?;
        let mut assignment = TopicPartitionList::new();
        assignment.add_partition_offset(topic, 0, Offset::Offset(from))?;
        consumer.assign(&assignment)?;
        Ok(consumer)
    }
}

impl TopicConsumer for KafkaTopicConsumer {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, BrokerFault>> {
        async move {
            let mut records = Vec::new();
            let Some(consumer) = &self.consumer else { return Ok(records) };
            loop {
                if self.end == End::Reached && records.is_empty() {
                    self.end = End::Told;
                    return Ok(records);
                }
                let next = if records.is_empty() {
                    consumer.recv().await
                } else {
                    let Some(next) = consumer.recv().now_or_never() else { return Ok(records) };
                    next
                };
                match next {
                    Ok(record) => records.push(Record {
                        position: record.offset().to_string(),
                        value: record.payload().unwrap_or_default().to_vec(),
                        headers: text_headers(&record),
                    }),
                    Err(KafkaError::PartitionEOF(_)) => {
                        self.end = if self.end == End::Told { End::Told } else { End::Reached };
                    }
                    // Records that have come are handed over before the error is.
                    Err(_) if !records.is_empty() => return Ok(records),
                    Err(error) if self.when_lost == WhenLost::Wait && is_transient(&error) => {}
                    Err(error) => return Err(self.kafka.fault(&error)),
                }
                if records.len() == LARGEST_BATCH {
                    return Ok(records);
                }
            }
        }
        .boxed()
    }
}

impl Drop for KafkaTopicConsumer {
    /// The library closes a consumer by polling until its broker has answered, however long that takes. On a thread of the
    /// runtime that would stop requests and rounds, so it has a thread of its own, which nobody waits for.
    fn drop(&mut self) {
        let consumer = self.consumer.take();
        // Where no thread can be had it is closed here.
        let _ =
            std::thread::Builder::new().name("kafka-consumer-close".to_owned()).spawn(move || drop(consumer));
    }
}

fn text_headers(record: &impl Message) -> Vec<(String, String)> {
    let headers = record.headers().into_iter().flat_map(Headers::iter);
    let text = |header: Header<'_, &[u8]>| {
        let value = std::str::from_utf8(header.value?).ok()?;
        Some((header.key.to_owned(), value.to_owned()))
    };
    headers.filter_map(text).collect()
}

/// A broker that cannot be reached.
fn is_transient(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(RDKafkaErrorCode::AllBrokersDown | RDKafkaErrorCode::BrokerTransportFailure)
    )
}

/// The offset of the first record after the position; None if the position is no offset.
fn next_offset(after: Option<&str>) -> Option<i64> {
    let Some(position) = after else { return Some(0) };
    let is_number = !position.is_empty() && position.bytes().all(|byte| byte.is_ascii_digit());
    position.parse::<i64>().ok().filter(|_| is_number)?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use starkeep_platform::clock::SystemClock;

    use super::*;

    #[test]
    fn a_position_is_the_offset_of_the_last_record_that_was_read() {
        for (position, next) in [
            (None, Some(0)),
            (Some("0"), Some(1)),
            (Some("41"), Some(42)),
            (Some("9223372036854775806"), Some(i64::MAX)),
            (Some("9223372036854775807"), None),
            (Some("-1"), None),
            (Some("+1"), None),
            (Some(" 1"), None),
            (Some(""), None),
            (Some("a1b2-7"), None),
        ] {
            assert_eq!(next_offset(position), next, "{position:?}");
        }
    }

    #[tokio::test]
    async fn a_position_of_something_else_is_refused_before_the_broker_is_asked() {
        let kafka = Kafka::at("127.0.0.1:1", SystemClock::start());
        let Err(fault) = kafka.subscribe("robots", Some("a1b2-7"), WhenLost::Wait).await else {
            panic!("it is no offset")
        };
        let text = "the broker at 127.0.0.1:1 has no position `a1b2-7` in robots: it is no offset";
        assert_eq!(fault.to_string(), text);
    }
}
