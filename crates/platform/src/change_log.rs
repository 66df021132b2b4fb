//! The change log: what replicas that share a database read to move their images. One entry a batch, written in the
//! transaction of the batch's rows and events, under a lock, so that the order of its numbers is the order of the commits.
//!
//! A replica knows its place: the number and the id of the last batch that it has absorbed. It reads the log from there on.
//! Example: a replica at 7 reads the entries 7, 8 and 9. Entry 7 has the id that it remembers, so nothing went another way; it
//! absorbs 8 and 9. If 7 has another id (the database failed over and lost commits), or is missing (it was removed because it is
//! old), the replica loads everything anew.

use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::domain::{ChangeCodec, UnreadableChange};
use crate::replica::ReplicaId;

/// Where a replica stands in the change log. The first batch of all has the number 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub number: u64,
    /// Drawn at random for each batch; nil before the first.
    pub batch: Uuid,
}

/// A batch as other replicas read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedBatch {
    pub place: Place,
    /// The replica that committed it: it lived then.
    pub writer: ReplicaId,
    /// The serialised changes, see [`encode`].
    pub changes: String,
    /// Number of the last event in the log after this batch.
    pub last_event: u64,
}

/// Why a replica cannot go on from where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowFault {
    /// It is to load everything anew.
    #[error("the change log does not continue batch {}: {reason}", .place.number)]
    Lost { place: Place, reason: &'static str },
    /// A newer version writes: this one is to end.
    #[error(transparent)]
    Unreadable(#[from] UnreadableChange),
}

impl Place {
    /// Of the log from this place on: what comes after it.
    pub fn following<'a>(&self, log: &'a [LoggedBatch]) -> Result<&'a [LoggedBatch], FollowFault> {
        let lost = |reason| Err(FollowFault::Lost { place: *self, reason });
        let after = match log {
            log if self.number == 0 => log,
            [] => return lost("its entry is gone"),
            [first, ..] if first.place.number != self.number => return lost("its entry is gone"),
            [first, ..] if first.place.batch != self.batch => return lost("the log went another way"),
            [_, after @ ..] => after,
        };
        let is_dense = (self.number + 1..).zip(after).all(|(number, batch)| batch.place.number == number);
        if is_dense { Ok(after) } else { lost("there is a hole after it") }
    }
}

/// The changes of a batch as one text: a JSON list.
pub fn encode<D: ChangeCodec>(changes: &[D::Change]) -> String {
    let mut text = Vec::from(b"[");
    for (place, change) in changes.iter().enumerate() {
        if place > 0 {
            text.push(b',');
        }
        text.extend(D::encode(change));
    }
    text.push(b']');
    String::from_utf8(text).expect("serialised changes are JSON")
}

pub fn decode<D: ChangeCodec>(changes: &str) -> Result<Vec<D::Change>, UnreadableChange> {
    let unreadable = |fault: serde_json::Error| UnreadableChange(fault.to_string());
    let changes: Vec<&RawValue> =
        Deserialize::deserialize(&mut serde_json::Deserializer::from_str(changes)).map_err(unreadable)?;
    changes.into_iter().map(|change| D::decode(change.get().as_bytes())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(number: u64) -> LoggedBatch {
        let place = Place { number, batch: Uuid::from_u128(u128::from(number)) };
        LoggedBatch { place, writer: ReplicaId(Uuid::nil()), changes: "[]".to_owned(), last_event: number }
    }

    fn log(numbers: &[u64]) -> Vec<LoggedBatch> {
        numbers.iter().map(|number| batch(*number)).collect()
    }

    #[test]
    fn a_replica_goes_on_after_its_own_batch() {
        assert_eq!(batch(7).place.following(&log(&[7, 8, 9])), Ok(&log(&[8, 9])[..]));
        assert_eq!(batch(7).place.following(&log(&[7])), Ok(&[][..]));
        assert_eq!(Place::default().following(&log(&[1, 2])), Ok(&log(&[1, 2])[..]));
        assert_eq!(Place::default().following(&[]), Ok(&[][..]));
    }

    #[test]
    fn a_replica_whose_batch_is_gone_or_another_or_that_would_miss_one_loads_anew() {
        let is_lost =
            |place: Place, log: &[LoggedBatch]| matches!(place.following(log), Err(FollowFault::Lost { .. }));
        assert!(is_lost(batch(7).place, &[]));
        assert!(is_lost(batch(7).place, &log(&[8, 9])));
        assert!(is_lost(batch(7).place, &log(&[7, 9])));
        assert!(is_lost(Place { number: 7, batch: Uuid::nil() }, &log(&[7, 8])));
        assert!(is_lost(Place::default(), &log(&[2])));
    }
}
