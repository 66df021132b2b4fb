//! The domain that the suite keeps: counters that are added to, and closed when they reach ten. Closed ones are evicted.

use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::domain::{ChangeCodec, Domain, Interest, UnreadableChange};
use uuid::Uuid;

pub(crate) const OPEN: Interest = Interest::bit(0);
pub(crate) const CLOSED: Interest = Interest::bit(1);

/// The tables know a limit of their own, past the rule's.
pub(crate) const TABLE_LIMIT: i64 = 20;

pub(crate) enum Counters {}

/// A counter that may have been evicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key(pub(crate) u32);

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Image {
    pub(crate) open: OrdMap<u32, i64>,
    /// How many are closed; not which.
    pub(crate) closed: u64,
    loaded: OrdMap<u32, i64>,
}

impl Image {
    pub(crate) fn new(open: impl IntoIterator<Item = (u32, i64)>, closed: u64) -> Self {
        Self { open: open.into_iter().collect(), closed, loaded: OrdMap::new() }
    }

    pub(crate) fn load_for_batch(&mut self, counter: u32, value: i64) {
        if !self.open.contains_key(&counter) {
            self.loaded.insert(counter, value);
        }
    }

    pub(crate) fn closed_counter(&self, counter: u32) -> Option<i64> {
        self.loaded.get(&counter).copied()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    Set { counter: u32, value: i64 },
    Closed { counter: u32, value: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    TooMuch,
    IsClosed,
    Unknown,
}

impl Domain for Counters {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        match *change {
            Change::Set { counter, value } => {
                image.open.insert(counter, value);
            }
            Change::Closed { counter, value } => {
                image.open.remove(&counter);
                image.loaded.insert(counter, value);
                image.closed += 1;
            }
        }
    }

    fn concerns(change: &Change) -> Interest {
        match change {
            Change::Set { .. } => OPEN,
            Change::Closed { .. } => OPEN.or(CLOSED),
        }
    }

    fn evict(image: &mut Image) {
        image.loaded = OrdMap::new();
    }
}

impl ChangeCodec for Counters {
    fn encode(change: &Change) -> Vec<u8> {
        serde_json::to_vec(change).unwrap()
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        serde_json::from_slice(bytes).map_err(|fault| UnreadableChange(fault.to_string()))
    }
}

pub(crate) fn event(counter: u32, value: i64) -> NewEvent {
    NewEvent {
        payload: format!(r#"{{"counter":{counter},"value":{value}}}"#),
        ..NewEvent::new(
            Channel::Status,
            Uuid::from_u64_pair(counter.into(), value.unsigned_abs()),
            About::subject(Uuid::nil()),
            None,
            jiff::Timestamp::from_second(value).unwrap(),
            &(),
        )
    }
}

/// Adds to a counter: to ten at the most, at which it is closed.
pub(crate) fn add(counter: u32, amount: i64) -> Decision<Counters, i64> {
    Decision::new(vec![Key(counter)], move |image: &Image| {
        if image.closed_counter(counter).is_some() {
            return Err(Rejection::IsClosed);
        }
        let value = image.open.get(&counter).copied().unwrap_or_default() + amount;
        if value > 10 {
            return Err(Rejection::TooMuch);
        }
        let change =
            if value == 10 { Change::Closed { counter, value } } else { Change::Set { counter, value } };
        Ok(Decided { change, events: vec![event(counter, value)], output: value })
    })
}

/// Writes any value, past the rule.
pub(crate) fn force(counter: u32, value: i64) -> Decision<Counters, i64> {
    Decision::new(vec![Key(counter)], move |_: &Image| {
        let change = Change::Set { counter, value };
        Ok(Decided { change, events: vec![event(counter, value)], output: value })
    })
}

/// What a closed counter came to, for whoever declares it or does not.
pub(crate) fn look_at_closed(counter: u32, keys: Vec<Key>) -> Decision<Counters, i64> {
    Decision::new(keys, move |image: &Image| {
        let value = image.closed_counter(counter).ok_or(Rejection::Unknown)?;
        // Written to a counter of its own, so that there is something to commit.
        let change = Change::Set { counter: counter + 1_000, value: 1 };
        Ok(Decided { change, events: vec![], output: value })
    })
}
