//! The end of a topic, read once: which events have arrived there last.
//! It blocks; callers keep it off the threads that serve.

use rdkafka::Message;
use rdkafka::Offset;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Headers;
use rdkafka::topic_partition_list::TopicPartitionList;
use starkeep_platform::relay::BrokerFault;
use uuid::Uuid;

use crate::{Kafka, PATIENCE, Quiet};

/// How often in a row nothing may come before the broker counts as away.
const SILENCES: u32 = 5;

pub(crate) fn event_ids(kafka: &Kafka, topic: &str, at_most: usize) -> Result<Vec<Uuid>, BrokerFault> {
    read(kafka, topic, at_most)
        .map_err(|error| error.map_or_else(|| kafka.gone(SILENCES * PATIENCE), |error| kafka.fault(&error)))
}

fn read(kafka: &Kafka, topic: &str, at_most: usize) -> Result<Vec<Uuid>, Option<KafkaError>> {
    let consumer: BaseConsumer<Quiet> = kafka
        .config()
        // Demanded by the library; nothing is ever committed.
        .set("group.id", "starkeep-relay")
        .set("enable.auto.commit", "false")
        .set("enable.partition.eof", "true")
        .set("auto.offset.reset", "earliest")
        .create_with_context(Quiet)?;
    let (oldest, end) = consumer.fetch_watermarks(topic, 0, 2 * PATIENCE)?;
    let from = oldest.max(end.saturating_sub(i64::try_from(at_most).unwrap_or(i64::MAX)));
    let mut ids = Vec::new();
    if from >= end {
        return Ok(ids);
    }
    let mut place = TopicPartitionList::new();
    place.add_partition_offset(topic, 0, Offset::Offset(from))?;
    consumer.assign(&place)?;
    let mut silences = 0;
    loop {
        match consumer.poll(PATIENCE) {
            Some(Ok(record)) => {
                silences = 0;
                ids.extend(event_id(&record));
                if record.offset() + 1 >= end {
                    return Ok(ids);
                }
            }
            // The end, where the last records are none of which a consumer hears.
            Some(Err(KafkaError::PartitionEOF(_))) => return Ok(ids),
            Some(Err(error)) => return Err(Some(error)),
            None if silences < SILENCES => silences += 1,
            None => return Err(None),
        }
    }
}

/// Records of others may have none.
fn event_id(record: &impl Message) -> Option<Uuid> {
    let headers = record.headers()?;
    let header = headers.iter().find(|header| header.key == "eventId")?;
    Uuid::try_parse_ascii(header.value?).ok()
}
