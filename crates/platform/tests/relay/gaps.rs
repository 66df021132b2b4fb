//! Gaps around spaced events, to the nanosecond, and those who wait until everything was sent.
//! Of the events here, 4, 8 and 9 are spaced.

use std::pin::pin;
use std::time::Duration;

use futures::poll;
use starkeep_contract::events::Channel;
use starkeep_platform::clock::{Clock, Monotonic};
use starkeep_platform::relay::RelayStart;

use crate::broker::{Behaviour, FakeBroker, LATENCY};
use crate::process::{CHANNELS, Process, folder};

const GAP: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_millis(300);
const NEXT_TO_NOTHING: Duration = Duration::from_nanos(1);

/// A process whose clock only a test moves, with so many events that wait to be sent.
async fn with_events(
    folder: &tempfile::TempDir,
    broker: &std::sync::Arc<FakeBroker>,
    events: usize,
) -> Process {
    let file = folder.path().join("log.db");
    let process = Process::start_with(&file, broker, RelayStart::Next, broker.clock.clone(), GAP).await;
    // None is in the topic of the one before it.
    let channels: Vec<_> = CHANNELS.iter().copied().cycle().take(events).collect();
    process.publish(&channels).await;
    process
}

fn arrived(broker: &FakeBroker) -> usize {
    broker.arrivals.lock().unwrap().len()
}

/// When each event arrived, in gaps since the first, and how many broker answers passed beside them.
fn times(broker: &FakeBroker) -> Vec<u128> {
    let arrivals = broker.arrivals.lock().unwrap();
    let first = arrivals[0].0;
    arrivals.iter().map(|(at, _)| at.since(first).as_nanos() / GAP.as_nanos()).collect()
}

#[tokio::test]
async fn a_gap_is_before_and_after_a_spaced_event_and_only_one_between_two() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = with_events(&folder, &broker, 11).await;
    process.relay_all().await;
    assert_eq!(times(&broker), [0, 0, 0, 1, 2, 2, 2, 3, 4, 5, 5]);
}

#[tokio::test]
async fn nothing_is_sent_a_moment_too_early_and_nothing_waits_longer() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = with_events(&folder, &broker, 5).await;
    for arrived_before in [3, 4] {
        let gap_end = process.relay().await.unwrap().expect("a gap");
        assert_eq!(gap_end, broker.clock.monotonic().after(GAP));
        broker.clock.advance(GAP.saturating_sub(NEXT_TO_NOTHING));
        assert_eq!(process.relay().await.unwrap(), Some(gap_end));
        assert_eq!(arrived(&broker), arrived_before);
        broker.clock.advance(NEXT_TO_NOTHING);
    }
    assert_eq!(process.relay().await.unwrap(), None);
    assert_eq!(arrived(&broker), 5);
}

#[tokio::test]
async fn a_gap_is_no_fault_and_a_broker_that_goes_away_meanwhile_is_noticed() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = with_events(&folder, &broker, 4).await;
    let status = process.relay.status();
    process.relay().await.unwrap().expect("a gap");
    process.relay().await.unwrap().expect("the same gap");
    assert_eq!(serde_json::to_value(status.part()).unwrap()["status"], "ok");
    *broker.moods.lock().unwrap() = [Behaviour::FailsAfter(0)].into();
    process.relay().await.unwrap_err();
    assert_eq!(serde_json::to_value(status.part()).unwrap()["status"], "degraded");
}

#[tokio::test]
async fn a_kill_in_a_gap_does_not_shorten_it() {
    for saved in [false, true] {
        let (folder, broker) = (folder(), FakeBroker::new());
        let mut process = with_events(&folder, &broker, 4).await;
        process.relay_all().await;
        if saved {
            broker.clock.advance(GAP / 2);
            process.relay().await.unwrap();
        }
        drop(process);
        let file = folder.path().join("log.db");
        let clock = std::sync::Arc::new(crate::process::Hasty(broker.clock.clone()));
        let mut process = Process::start_with(&file, &broker, RelayStart::Next, clock, GAP).await;
        let restarted = broker.clock.monotonic();
        process.publish(&[Channel::Status]).await;
        process.relay_all().await;
        let (at, _) = *broker.arrivals.lock().unwrap().last().unwrap();
        assert_eq!(arrived(&broker), 5);
        assert!(at.since(restarted) >= GAP, "saved: {saved}, {:?} after the restart", at.since(restarted));
    }
}

#[tokio::test]
async fn whoever_waits_for_all_events_waits_for_the_gap_after_the_last_as_well() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = with_events(&folder, &broker, 4).await;
    let status = process.relay.status();
    let mut waiting = pin!(status.all_sent(PATIENCE));
    assert!(poll!(&mut waiting).is_pending());
    let gap_end = process.relay().await.unwrap().expect("a gap");
    broker.clock.advance(gap_end.since(broker.clock.monotonic()));
    // The gap is longer than the patience, and does not count.
    assert!(poll!(&mut waiting).is_pending());
    broker.clock.advance(PATIENCE.saturating_sub(NEXT_TO_NOTHING));
    assert!(poll!(&mut waiting).is_pending());
    assert_eq!(process.relay().await.unwrap(), None);
    broker.clock.advance(GAP.saturating_sub(NEXT_TO_NOTHING));
    assert!(poll!(&mut waiting).is_pending());
    broker.clock.advance(NEXT_TO_NOTHING);
    waiting.await.unwrap();
    // Nobody waits for an event that is not spaced any longer than it takes to send it.
    process.publish(&[Channel::Status]).await;
    process.relay().await.unwrap();
    assert!(poll!(pin!(status.all_sent(PATIENCE))).is_ready());
}

#[tokio::test]
async fn whoever_waits_for_all_events_gives_up_when_nothing_was_sent_for_so_long() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = with_events(&folder, &broker, 2).await;
    let status = process.relay.status();
    let mut waiting = pin!(status.all_sent(PATIENCE));
    broker.clock.advance(PATIENCE / 2);
    *broker.moods.lock().unwrap() = [Behaviour::FailsAfter(0)].into();
    process.relay().await.unwrap_err();
    assert!(poll!(&mut waiting).is_pending());
    // It counts from the first look, not from the last attempt.
    broker.clock.advance(PATIENCE.saturating_sub(NEXT_TO_NOTHING));
    assert!(poll!(&mut waiting).is_pending());
    broker.clock.advance(NEXT_TO_NOTHING);
    let silent = waiting.await.unwrap_err().to_string();
    assert_eq!(
        silent,
        "none of the events that wait for Kafka (2) was sent for 0.3 s: the broker at nowhere is not well"
    );
}

#[tokio::test]
async fn whoever_waits_only_for_a_reachable_broker_is_let_go_when_it_is_away() {
    let (folder, broker) = (folder(), FakeBroker::new());
    let mut process = with_events(&folder, &broker, 4).await;
    let status = process.relay.status();
    let mut waiting = pin!(status.all_sent_if_reachable());
    assert!(poll!(&mut waiting).is_pending());
    process.relay().await.unwrap().expect("a gap");
    assert!(poll!(&mut waiting).is_pending());
    *broker.moods.lock().unwrap() = [Behaviour::FailsAfter(0)].into();
    process.relay().await.unwrap_err();
    assert!(poll!(&mut waiting).is_ready());
    assert!(poll!(pin!(status.all_sent_if_reachable())).is_ready(), "it is away");
    process.relay_all().await;
    assert!(poll!(pin!(status.all_sent_if_reachable())).is_ready(), "everything was sent");
    assert_eq!(broker.clock.monotonic(), Monotonic(0).after(GAP + 4 * LATENCY));
}
