//! A broker's topics: created, written and read by a new client for each call, so that an outage between two calls
//! does not affect the next one. Topics have one partition, hence one order.

use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::util::Timeout;
use rdkafka::{Offset, Timestamp, TopicPartitionList};
use tokio::task::spawn_blocking;

use crate::Broker;
use crate::time_limits::{WAIT_LIMIT, within};

/// Longer than any answer of a running broker takes; the library would wait for minutes.
const ANSWER_LIMIT: Duration = Duration::from_mins(2);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub offset: i64,
    pub key: Option<String>,
    pub headers: Vec<(String, String)>,
    pub value: String,
}

impl Broker {
    /// Makes a topic with one partition.
    pub async fn create_topic(&self, name: &str) {
        let admin: AdminClient<DefaultClientContext> = self.settings().create().expect("valid settings");
        let topic = NewTopic::new(name, 1, TopicReplication::Fixed(1));
        let options = AdminOptions::new().request_timeout(Some(ANSWER_LIMIT));
        let created = within(WAIT_LIMIT, "a new topic", admin.create_topics([&topic], &options)).await;
        for outcome in created.unwrap_or_else(|error| panic!("making topic {name}: {error}")) {
            outcome.unwrap_or_else(|(_, code)| panic!("making topic {name}: {code}"));
        }
    }

    /// Returns the record's offset once the broker has acknowledged it.
    pub async fn put(&self, topic: &str, key: Option<&str>, headers: &[(&str, &str)], value: &str) -> i64 {
        let producer: FutureProducer = self.settings().create().expect("valid settings");
        let mut own = OwnedHeaders::new();
        for &(key, value) in headers {
            own = own.insert(Header { key, value: Some(value) });
        }
        let record = FutureRecord { key, ..FutureRecord::to(topic).payload(value).headers(own) };
        let delivery = within(WAIT_LIMIT, "an acknowledgement", producer.send(record, Timeout::Never)).await;
        delivery.unwrap_or_else(|(error, _)| panic!("putting into {topic}: {error}")).offset
    }

    /// The whole topic, from the earliest record to the last one that was acknowledged when this was called, at least.
    pub async fn records(&self, topic: &str) -> Vec<Record> {
        self.read(topic).await.into_iter().map(|(_, record)| record).collect()
    }

    /// The same records, each with the time at which it was sent, in milliseconds since 1970.
    pub async fn timed_records(&self, topic: &str) -> Vec<(i64, Record)> {
        let timed = |(at, record): (Timestamp, _)| (at.to_millis().expect("a time of sending"), record);
        self.read(topic).await.into_iter().map(timed).collect()
    }

    async fn read(&self, topic: &str) -> Vec<(Timestamp, Record)> {
        let settings = self.settings();
        let name = topic.to_owned();
        let reading = spawn_blocking(move || read(&settings, &name));
        let records = within(WAIT_LIMIT, "a topic's end", reading).await.expect("a topic with one partition");
        records.unwrap_or_else(|error| panic!("reading {topic}: {error}"))
    }

    fn settings(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", self.address());
        config.set("message.timeout.ms", ANSWER_LIMIT.as_millis().to_string());
        // A topic that was just created may not be known everywhere yet; one that never was is reported well within the limit.
        config.set("topic.metadata.propagation.max.ms", "60000");
        config
    }
}

fn read(client: &ClientConfig, topic: &str) -> KafkaResult<Vec<(Timestamp, Record)>> {
    let mut settings = client.clone();
    // The library demands a group, though nobody joins it: the partition is assigned by hand.
    settings.set("group.id", "starkeep-test-broker").set("enable.auto.commit", "false");
    // At the end of the topic the broker answers at once, instead of waiting for more.
    settings.set("enable.partition.eof", "true").set("fetch.wait.max.ms", "1");
    // From 0 on: to ask for the earliest first costs half a second, and is done only if 0 has been removed.
    settings.set("auto.offset.reset", "earliest");
    let consumer: BaseConsumer = settings.create()?;
    let mut whole = TopicPartitionList::new();
    whole.add_partition_offset(topic, 0, Offset::Offset(0))?;
    consumer.assign(&whole)?;
    let mut records = Vec::new();
    loop {
        match consumer.poll(ANSWER_LIMIT) {
            Some(Ok(message)) => records.push((message.timestamp(), Record::from(&message))),
            Some(Err(KafkaError::PartitionEOF(_))) => break,
            Some(Err(error)) => return Err(error),
            None => return Err(KafkaError::MessageConsumption(RDKafkaErrorCode::OperationTimedOut)),
        }
    }
    let metadata = consumer.fetch_metadata(Some(topic), ANSWER_LIMIT)?;
    let partitions: usize = metadata.topics().iter().map(|topic| topic.partitions().len()).sum();
    assert_eq!(partitions, 1, "{topic} has several partitions, and its records no one order");
    Ok(records)
}

impl From<&BorrowedMessage<'_>> for Record {
    fn from(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().into_iter().flat_map(Headers::iter);
        Self {
            offset: message.offset(),
            key: message.key().map(text),
            headers: headers
                .map(|header| (header.key.to_owned(), text(header.value.unwrap_or_default())))
                .collect(),
            value: text(message.payload().unwrap_or_default()),
        }
    }
}

/// Bytes that are not UTF-8 become replacement characters.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
