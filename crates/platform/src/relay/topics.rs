//! What the relay needs of a broker: topics of one partition, what arrived in them last, and a way to send.
//! Which broker it is, and how it is spoken to, is the adapter's business.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use starkeep_contract::events::Channel;
use uuid::Uuid;

use crate::events::CommittedEvent;

pub trait Topics: Send + Sync + 'static {
    /// Makes the topics that are missing.
    fn ensure<'a>(&'a self, topics: &'a [Channel]) -> BoxFuture<'a, Result<(), BrokerFault>>;

    /// The event ids of the topic's newest records, at most so many.
    fn tail(&self, topic: Channel, at_most: usize) -> BoxFuture<'_, Result<Vec<Uuid>, BrokerFault>>;

    /// Sends the events in their order and waits until the broker has them all. After a fault any number of them may have
    /// arrived, without a hole, and none arrives later than the time below allows, counted from `sent_at`.
    fn send<'a>(
        &'a self,
        topic: Channel,
        events: &'a [Arc<CommittedEvent>],
        sent_at: Timestamp,
    ) -> BoxFuture<'a, Result<(), BrokerFault>>;

    /// What a process has handed to the network that died, was frozen or gave up arrives within this time, or never.
    fn in_flight_limit(&self) -> Duration;

    /// Is the broker there?
    fn ping(&self) -> BoxFuture<'_, Result<(), BrokerFault>>;
}

/// The broker does not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the broker at {broker} {reason}")]
pub struct BrokerFault {
    pub broker: String,
    /// Goes on with a verb: `does not answer: …`.
    pub reason: String,
}
