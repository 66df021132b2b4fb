//! The end of a topic, read once: which events have arrived there last.
//! It blocks; callers run it on a thread for blocking work.

use rdkafka::Message;
use rdkafka::Offset;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Headers;
use rdkafka::topic_partition_list::TopicPartitionList;
use starkeep_platform::relay::BrokerFault;
use uuid::Uuid;

use crate::{DebugLog, Kafka, REQUEST_TIMEOUT};

/// After so many polls in a row without a record the broker counts as unreachable.
const EMPTY_POLLS: u32 = 5;

pub(crate) fn event_ids(kafka: &Kafka, topic: &str, at_most: usize) -> Result<Vec<Uuid>, BrokerFault> {
    read(kafka, topic, at_most).map_err(|error| {
        error.map_or_else(|| kafka.no_answer(EMPTY_POLLS * REQUEST_TIMEOUT), |error| kafka.fault(&error))
    })
}

fn read(kafka: &Kafka, topic: &str, at_most: usize) -> Result<Vec<Uuid>, Option<KafkaError>> {
    let consumer: BaseConsumer<DebugLog> = kafka
        .config()
        // The library demands a group; nothing is ever committed.
        .set("group.id", "starkeep-relay")
        .set("enable.auto.commit", "false")
        .set("enable.partition.eof", "true")
        .set("auto.offset.reset", "earliest")
        .create_with_context(DebugLog)?;
    let (oldest, end) = consumer.fetch_watermarks(topic, 0, 2 * REQUEST_TIMEOUT)?;
    let from = oldest.max(end.saturating_sub(i64::try_from(at_most).unwrap_or(i64::MAX)));
    let mut ids = Vec::new();
    if from >= end {
        return Ok(ids);
    }
    let mut assignment = TopicPartitionList::new();
    assignment.add_partition_offset(topic, 0, Offset::Offset(from))?;
    consumer.assign(&assignment)?;
    let mut empty_polls = 0;
    loop {
        match consumer.poll(REQUEST_TIMEOUT) {
            Some(Ok(record)) => {
                empty_polls = 0;
                ids.extend(event_id(&record));
                if record.offset() + 1 >= end {
                    return Ok(ids);
                }
            }
            // The end; the last records may be control records, which a consumer does not get.
            Some(Err(KafkaError::PartitionEOF(_))) => return Ok(ids),
            Some(Err(error)) => return Err(Some(error)),
            None if empty_polls < EMPTY_POLLS => empty_polls += 1,
            None => return Err(None),
        }
    }
}

/// Records that others have sent may have none.
fn event_id(record: &impl Message) -> Option<Uuid> {
    let headers = record.headers()?;
    let header = headers.iter().find(|header| header.key == "eventId")?;
    Uuid::try_parse_ascii(header.value?).ok()
}
