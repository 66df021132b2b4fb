//! Where replicas send one after the other, a real broker refuses what comes late, whether the topic was made by us or by others; and
//! what else a topic was set to stays as it is.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_kafka::{Kafka, KafkaTopics};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerFault, Topics};
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

/// What it comes to: a broker that has just come up may need longer than one question waits.
async fn answered<T, F: Future<Output = Result<T, BrokerFault>>>(
    mut ask: impl FnMut() -> F,
) -> Result<T, BrokerFault> {
    let asking = async {
        loop {
            match ask().await {
                Err(fault) if fault.to_string().contains("did not answer within") => {}
                outcome => return outcome,
            }
        }
    };
    within_limit("the broker's answer", asking).await
}

fn is_late(fault: &BrokerFault) -> bool {
    fault.to_string().contains("does its clock agree")
}

async fn late_records_are_refused(broker: &Broker) {
    // This one is there before, as others have made it.
    broker.create_topic(Channel::RoundStatus.name()).await;
    let clock: Arc<dyn Clock> = SystemClock::start();
    let kafka = Kafka::at(broker.address(), clock.clone());
    let lenient = KafkaTopics::new(kafka.clone());
    let strict = KafkaTopics::new(kafka.refusing_late_records());
    answered(|| lenient.ensure(&TOPICS)).await.unwrap();
    let (now, long_ago) = (|| clock.wall(), || clock.wall() - Duration::from_secs(10));
    let mut number = 0;
    let mut next = |channel| {
        number += 1;
        [event(number, channel)]
    };
    let mut accepted = TOPICS.map(|_| BTreeSet::new());
    for (channel, accepted) in TOPICS.into_iter().zip(&mut accepted) {
        let event = next(channel);
        answered(|| lenient.send(channel, &event, long_ago())).await.unwrap();
        accepted.insert(event[0].event_id);
    }
    // Twice: the second time it finds everything as it should be.
    for _ in 0..2 {
        answered(|| strict.ensure(&TOPICS)).await.unwrap();
        for (channel, accepted) in TOPICS.into_iter().zip(&mut accepted) {
            let event = next(channel);
            let fault = answered(|| strict.send(channel, &event, long_ago())).await.unwrap_err();
            assert!(is_late(&fault), "{fault}");
            // Whoever it is: also one that knows nothing of it.
            answered(|| lenient.send(channel, &event, long_ago())).await.unwrap_err();
            let event = next(channel);
            // On a busy machine this one may be late as well.
            let sending = async {
                while let Err(fault) = answered(|| strict.send(channel, &event, now())).await {
                    assert!(is_late(&fault), "{fault}");
                }
            };
            within_limit("a record that comes in time", sending).await;
            accepted.insert(event[0].event_id);
        }
    }
    for (channel, accepted) in TOPICS.into_iter().zip(accepted) {
        let kept = answered(|| strict.tail(channel, 100)).await.unwrap();
        assert_eq!(BTreeSet::from_iter(kept), accepted, "{channel:?}");
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
