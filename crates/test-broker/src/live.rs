//! A client of a broker that stays: it follows topics while records are sent, and sends records itself, over every outage.
//! It stands for another service at the same broker; what a test reads once is in `topics`.

use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::Broker;
use crate::time_limits::{WAIT_LIMIT, within};
use crate::topics::Record;

/// A record that the broker has not taken by then is lost: one that is away for good, and no test waits that long for one that comes back.
const SENDING_LIMIT: Duration = Duration::from_mins(1);

#[derive(Clone)]
pub struct Client {
    settings: ClientConfig,
    producer: FutureProducer,
}

impl Broker {
    pub fn client(&self) -> Client {
        let mut settings = ClientConfig::new();
        settings.set("bootstrap.servers", self.address());
        settings.set("reconnect.backoff.ms", "50").set("reconnect.backoff.max.ms", "500");
        let mut sending = settings.clone();
        sending.set("message.timeout.ms", SENDING_LIMIT.as_millis().to_string()).set("linger.ms", "0");
        let producer = sending.create().expect("valid settings");
        Client { settings, producer }
    }
}

impl Client {
    /// Creates those that do not exist, with one partition.
    pub async fn create_topics(&self, names: &[&str]) {
        let admin: AdminClient<DefaultClientContext> = self.settings.create().expect("valid settings");
        let topics: Vec<_> =
            names.iter().map(|name| NewTopic::new(name, 1, TopicReplication::Fixed(1))).collect();
        let creating = admin.create_topics(&topics, &AdminOptions::new());
        let created = within(WAIT_LIMIT, "new topics", creating).await;
        for outcome in created.unwrap_or_else(|error| panic!("creating topics: {error}")) {
            match outcome {
                Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
                Err((topic, code)) => panic!("creating {topic}: {code}"),
            }
        }
    }

    /// Every record of the topic from the first one on, as it comes. The topic exists.
    pub fn follow(&self, topic: &str) -> UnboundedReceiver<Record> {
        let mut settings = self.settings.clone();
        // The library demands a group, though nobody joins it: the partition is assigned by hand.
        settings.set("group.id", "starkeep-test-follower").set("enable.auto.commit", "false");
        settings.set("auto.offset.reset", "earliest");
        let consumer: StreamConsumer = settings.create().expect("valid settings");
        let mut whole = TopicPartitionList::new();
        whole.add_partition_offset(topic, 0, Offset::Offset(0)).expect("an offset");
        consumer.assign(&whole).expect("a topic");
        let (sender, records) = unbounded_channel();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = sender.closed() => return,
                    // An error is an outage, after which the library goes on by itself.
                    record = consumer.recv() => if let Ok(record) = record {
                        let _ = sender.send(Record::from(&record));
                    },
                }
            }
        });
        records
    }

    /// Sends it in the background, in the order of the calls; it is lost if the broker is away.
    pub fn send(&self, topic: &str, key: &str, headers: &[(&str, &str)], value: &str) {
        let mut own = OwnedHeaders::new();
        for &(key, value) in headers {
            own = own.insert(Header { key, value: Some(value) });
        }
        let record = FutureRecord::to(topic).key(key).payload(value).headers(own);
        // Only a full queue is refused, and nobody is told whether it arrives.
        let _ = self.producer.send_result(record);
    }
}
