//! Where a relay begins, what retention leaves to it, and other senders in the same topics.

use std::time::Duration;

use starkeep_contract::events::Channel;
use starkeep_platform::decision::{Decided, Decision, apply};
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::lease::Epoch;
use starkeep_platform::relay::RelayStart;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::retention::{Retention, RetentionPolicy};
use starkeep_platform::sql::SqlStore;
use starkeep_platform::sqlite;
use uuid::Uuid;

use crate::broker::{Behaviour, FakeBroker};
use crate::process::{OnlyEvents, Process, assert_sent, event, folder};

#[tokio::test]
async fn a_relay_that_has_never_sent_begins_with_the_next_event_or_with_the_whole_log() {
    for (beginning, sent) in [(RelayStart::Next, 1), (RelayStart::Start, 3)] {
        let (folder, broker) = (folder(), FakeBroker::new());
        let file = folder.path().join("log.db");
        let store: SqlStore<OnlyEvents> =
            sqlite::open(&file, ReplicaId(Uuid::nil()), DiskLog::of_one_store()).unwrap();
        let work = Decision::new(vec![], |(): &()| {
            let events = vec![event(1, Channel::Status), event(2, Channel::Status)];
            Ok(Decided { change: (), events, output: () })
        });
        apply(&store, work).await.unwrap();
        drop(store);
        let process = Process::start(&file, &broker, beginning).await;
        process.publish(&[Channel::Status]).await;
        drop(process);
        // What was decided at the first start stands, whatever is asked for later.
        let mut process = Process::start(&file, &broker, RelayStart::Next).await;
        process.relay().await.unwrap();
        assert_eq!(broker.topic(Channel::Status).len(), sent, "{beginning:?}");
    }
}

#[tokio::test]
async fn what_is_not_sent_is_not_removed_and_the_health_tells_how_much_waits() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = Process::start(&folder.path().join("log.db"), &broker, RelayStart::Next).await;
    let published = process.publish(&[Channel::Status; 40]).await;
    let keep = RetentionPolicy { age: None, count: 5 };
    let status = process.relay.status();
    let retention =
        Retention::new(process.store.clone(), process.clock.clone(), keep).behind(Some(status.clone()));
    assert_eq!(retention.step(Epoch(1)).await.unwrap(), 0);
    assert_eq!(status.part().detail, "40 events behind");
    process.relay().await.unwrap();
    process.clock.advance(Duration::from_secs(1));
    process.relay().await.unwrap();
    assert_eq!(retention.step(Epoch(1)).await.unwrap(), 35);
    assert_sent(&broker, &published);
}

#[tokio::test]
async fn records_of_others_in_a_topic_do_no_harm() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let file = folder.path().join("log.db");
    let mut process = Process::start(&file, &broker, RelayStart::Next).await;
    process.relay().await.unwrap();
    let published = process.publish(&[Channel::Status; 3]).await;
    *broker.moods.lock().unwrap() = [Behaviour::FailsAfter(2)].into();
    assert!(process.relay().await.is_err());
    broker.topics.lock().unwrap().get_mut(&Channel::Status).unwrap().push(Uuid::nil());
    drop(process);
    let mut process = Process::start(&file, &broker, RelayStart::Next).await;
    process.relay().await.unwrap();
    let ids: Vec<_> = published.iter().map(|(_, id)| *id).collect();
    assert_eq!(broker.topic(Channel::Status), [ids[0], ids[1], Uuid::nil(), ids[2]]);
}
