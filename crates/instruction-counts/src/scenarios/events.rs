//! The log of a service in memory: appending what was committed, and rendering it for a stream.

use std::hint::black_box;

use jiff::Timestamp;
use serde_json::json;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_platform::events::{Audience, CommittedEvent, Log};
use uuid::Uuid;

use crate::measured::count;

pub(super) fn append(times: u32) {
    let log = Log::open(1, 1, 0, Vec::new());
    let mut batches = (0..times).map(|_| (0..10).map(event).collect()).collect::<Vec<_>>().into_iter();
    count(times, || log.append(batches.next().expect("one for each time")));
    assert_eq!(log.head(), 10 * u64::from(times));
}

/// By its first reader: later ones get the same bytes.
pub(super) fn render(times: u32) {
    let committed: Vec<_> =
        (1..=times.into()).map(|number| CommittedEvent::new(number, event(number))).collect();
    let mut committed = committed.iter();
    count(times, || {
        let event = committed.next().expect("one for each time");
        drop(black_box(event.frame(1, Audience::Public)));
    });
}

fn event(number: u64) -> NewEvent {
    let (game, round) = (Uuid::from_u64_pair(1, 0), Uuid::from_u64_pair(2, number));
    let about = About { round: Some(7), ..About::subject(game) };
    let payload =
        json!({"gameId": game, "roundId": round, "roundNumber": 7, "roundStatus": "command input ended"});
    let id = Uuid::from_u64_pair(number << 32, number);
    NewEvent::new(Channel::RoundStatus, id, about, None, Timestamp::UNIX_EPOCH, &payload)
}
