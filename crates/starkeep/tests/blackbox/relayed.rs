//! What was sent on to Kafka: waits until nothing is left to send, and compares the topics with the channels of the log.
//! What is done to the program and to the broker meanwhile is up to the test.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use starkeep_test_broker::{Broker, Record};
use starkeep_test_http::{Caller, within_limit};

use crate::journal::whole_log;
use crate::program::Program;

const OF_THE_GAME: [&str; 4] = ["status", "playerStatus", "roundStatus", "gameClock"];
const OF_THE_MAP: [&str; 4] =
    ["gameworld-created", "spacestation-created", "resource-mined", "resource-replenished"];

/// An event, as it is in the log and in its topic.
#[derive(Debug, PartialEq)]
pub(crate) struct Event {
    headers: BTreeMap<String, String>,
    payload: Value,
}

impl Event {
    pub(crate) fn header(&self, name: &str) -> &str {
        &self.headers[name]
    }

    fn logged(event: &Value) -> Self {
        let headers = serde_json::from_value(event["headers"].clone()).unwrap();
        Self { headers, payload: event["payload"].clone() }
    }

    fn sent(record: Record) -> Self {
        let payload = serde_json::from_str(&record.value).unwrap();
        Self { headers: record.headers.into_iter().collect(), payload }
    }
}

/// Reads `/health` until it is as awaited.
pub(crate) async fn health(service: &Caller, awaited: &str, as_awaited: impl Fn(&Value) -> bool) {
    let asking = async { while !as_awaited(&service.get("/health").await.expect(200)) {} };
    within_limit(awaited, asking).await;
}

/// Returns when both services have sent everything.
pub(crate) async fn nothing_waits(program: &Program) {
    let sent = json!({ "status": "ok", "detail": "0 events behind" });
    for service in [program.game(), program.map()] {
        health(&service, "everything to be sent", |health| health["parts"]["kafka"] == sent).await;
    }
}

/// Every topic is its channel of the log: the same events with the same headers, in the same order, none twice, none
/// missing. Nothing may happen meanwhile. Returns how many there are.
pub(crate) async fn assert_topics_are_the_log(
    broker: &Broker,
    program: &Program,
) -> BTreeMap<&'static str, usize> {
    nothing_waits(program).await;
    let mut counts = BTreeMap::new();
    for (service, channels) in [(program.game(), OF_THE_GAME), (program.map(), OF_THE_MAP)] {
        let log = whole_log(&service).await;
        for channel in channels {
            let logged = logged(&log, channel);
            assert_same(channel, &sent(broker, channel).await, &logged);
            counts.insert(channel, logged.len());
        }
    }
    counts
}

pub(crate) fn logged(log: &[Value], channel: &str) -> Vec<Event> {
    log.iter().filter(|event| event["channel"] == channel).map(Event::logged).collect()
}

pub(crate) async fn sent(broker: &Broker, topic: &str) -> Vec<Event> {
    broker.records(topic).await.into_iter().map(Event::sent).collect()
}

#[track_caller]
pub(crate) fn assert_same(channel: &str, sent: &[Event], logged: &[Event]) {
    let longer = sent.len().max(logged.len());
    let Some(place) = (0..longer).find(|&place| sent.get(place) != logged.get(place)) else { return };
    let distinct: BTreeSet<_> = sent.iter().map(|event| event.header("eventId")).collect();
    let twice = sent.len() - distinct.len();
    panic!(
        "{channel}: {} in the log, {} in the topic, {twice} of them not for the first time; at {place} the log has {:?} and the topic {:?}",
        logged.len(),
        sent.len(),
        logged.get(place),
        sent.get(place)
    );
}
