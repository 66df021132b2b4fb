//! Where replicas send one after the other, a real broker refuses what comes late, whether the topic was made by us or by others; and
//! what else a topic was set to stays as it is.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_kafka::{Kafka, KafkaTopics};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::Topics;
use starkeep_test_broker::Broker;
use starkeep_test_http::within_limit;
use uuid::Uuid;

const TOPICS: [Channel; 2] = [Channel::Status, Channel::RoundStatus];

fn event(number: u64, channel: Channel) -> Arc<CommittedEvent> {
    let about = About { subject: Uuid::nil(), round: None, player: None, robot: None };
    let id = Uuid::from_u128(number.into());
    let event = NewEvent::new(channel, id, about, None, Timestamp::UNIX_EPOCH, &json!({}));
    Arc::new(CommittedEvent::new(number, event))
}

/// A broker that has just come up may need longer than one question waits.
async fn ensure(topics: &KafkaTopics) {
    let ensuring = async { while topics.ensure(&TOPICS).await.is_err() {} };
    within_limit("the topics", ensuring).await;
}

async fn late_records_are_refused(broker: &Broker) {
    // This one is there before, as others have made it.
    broker.create_topic(Channel::RoundStatus.name()).await;
    let clock: Arc<dyn Clock> = SystemClock::start();
    let kafka = Kafka::at(broker.address(), clock.clone());
    let lenient = KafkaTopics::new(kafka.clone());
    let strict = KafkaTopics::new(kafka.refusing_late_records());
    ensure(&lenient).await;
    let long_ago = || clock.wall() - Duration::from_secs(10);
    let mut number = 0;
    let mut next = |channel| {
        number += 1;
        [event(number, channel)]
    };
    for channel in TOPICS {
        lenient.send(channel, &next(channel), long_ago()).await.unwrap();
    }
    // Twice: the second time it finds everything as it should be.
    for _ in 0..2 {
        ensure(&strict).await;
        for channel in TOPICS {
            let fault = strict.send(channel, &next(channel), long_ago()).await.unwrap_err();
            assert!(fault.to_string().contains("does its clock agree"), "{fault}");
            // Whoever it is: also one that knows nothing of it.
            lenient.send(channel, &next(channel), long_ago()).await.unwrap_err();
            strict.send(channel, &next(channel), clock.wall()).await.unwrap();
        }
    }
    for channel in TOPICS {
        assert_eq!(strict.tail(channel, 100).await.unwrap().len(), 3, "{channel:?}");
    }
    assert!(strict.in_flight_limit() > lenient.in_flight_limit());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_refuses_late_records() {
    let Some(broker) = Broker::start().await else { return };
    late_records_are_refused(&broker).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_broker_refuses_late_records() {
    let Some(broker) = Broker::start_old().await else { return };
    late_records_are_refused(&broker).await;
}
