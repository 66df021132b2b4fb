//! Random histories of events, faults, waits and kills: nothing is lost or doubled, and every gap is kept.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use starkeep_platform::relay::RelayStart;

use crate::broker::{Behaviour, FakeBroker};
use crate::process::{CHANNELS, Hasty, Process, assert_sent, folder, is_spaced};

#[derive(Clone, Debug)]
enum Deed {
    Publish(Vec<usize>),
    /// The broker's next calls; what has gathered is relayed.
    Relay(Vec<Behaviour>),
    Wait(u64),
    /// A kill; what was sent and not noted is not known to the next process.
    Restart,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let behaviour =
        prop_oneof![3 => Just(Behaviour::Well), 2 => (0..12_usize).prop_map(Behaviour::FailsAfter)];
    let deed = prop_oneof![
        4 => prop::collection::vec(0..CHANNELS.len(), 1..12).prop_map(Deed::Publish),
        1 => prop::collection::vec(0..CHANNELS.len(), 250..700).prop_map(Deed::Publish),
        6 => prop::collection::vec(behaviour, 0..8).prop_map(Deed::Relay),
        2 => (0..600_u64).prop_map(Deed::Wait),
        2 => Just(Deed::Restart),
    ];
    prop::collection::vec(deed, 1..30)
}

fn gaps() -> impl Strategy<Value = Duration> {
    prop_oneof![1 => Just(0), 3 => 1..1_500_u64].prop_map(Duration::from_millis)
}

/// The gap is before and after every spaced record, whichever topics it and its neighbours are in.
fn assert_gaps(broker: &FakeBroker, gap: Duration) {
    for pair in broker.arrivals.lock().unwrap().windows(2) {
        let [(before, one), (after, next)] = *pair else { unreachable!("windows of two") };
        if is_spaced(one) || is_spaced(next) {
            assert!(after.since(before) >= gap, "{next} came {:?} after {one}", after.since(before));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_dies_each_topic_is_its_channel_and_gaps_are_kept(deeds in deeds(), gap in gaps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (folder, broker) = (folder(), FakeBroker::new());
            let file = folder.path().join("log.db");
            let hasty = || Arc::new(Hasty(broker.clock.clone()));
            let start = || Process::start_with(&file, &broker, RelayStart::Next, hasty(), gap);
            let mut process = start().await;
            let mut published = Vec::new();
            for deed in deeds {
                match deed {
                    Deed::Publish(channels) => {
                        let channels: Vec<_> = channels.into_iter().map(|channel| CHANNELS[channel]).collect();
                        published.extend(process.publish(&channels).await);
                    }
                    Deed::Relay(moods) => {
                        *broker.moods.lock().unwrap() = moods.into();
                        let _ = process.relay().await;
                    }
                    Deed::Wait(millis) => process.clock.advance(Duration::from_millis(millis)),
                    Deed::Restart => {
                        drop(process);
                        process = start().await;
                    }
                }
            }
            broker.moods.lock().unwrap().clear();
            process.relay_all().await;
            assert_sent(&broker, &published);
            assert_gaps(&broker, gap);
        });
    }
}
