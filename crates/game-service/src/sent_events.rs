//! Events that have to be in Kafka before another service is called: the existing robot and trading services read every topic
//! on a thread of its own, so an order between topics holds for them only where time passes in between.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use starkeep_contract::events::{Channel, GameStatusChanged, GameStatusWord};
use starkeep_platform::clock::{Clock, within};
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::relay::{BrokerSilent, RelayStatus};

/// Empty where nothing is awaited: without Kafka, and in a dialect whose consumers do not need it.
#[derive(Default)]
pub(crate) struct SentEvents(OnceLock<Awaited>);

struct Awaited {
    relay: Arc<RelayStatus>,
    /// How long Kafka may be silent before a start is refused.
    patience: Duration,
}

impl SentEvents {
    pub(crate) fn wait_for(&self, relay: Arc<RelayStatus>, patience: Duration) {
        // The relay is opened once.
        let _ = self.0.set(Awaited { relay, patience });
    }

    pub(crate) fn are_awaited(&self) -> bool {
        self.0.get().is_some()
    }

    /// Waits until everything that is logged was sent, and the gap after it is over.
    pub(crate) async fn all_sent(&self) -> Result<(), BrokerSilent> {
        match self.0.get() {
            Some(Awaited { relay, patience }) => relay.all_sent(*patience).await,
            None => Ok(()),
        }
    }

    /// Waits until everything that is logged was sent, but not for longer than this, and not while Kafka is away.
    pub(crate) async fn sent_if_reachable(&self, clock: &dyn Clock, at_most: Duration) {
        if let Some(Awaited { relay, .. }) = self.0.get() {
            within(clock, at_most, relay.all_sent_if_reachable()).await;
        }
    }
}

/// Does a game begin or end with this event? Those who read it forget everything of the game before.
pub(crate) fn begins_or_ends_a_game(event: &CommittedEvent) -> bool {
    let has_started = || {
        let told = serde_json::from_str::<GameStatusChanged>(&event.payload);
        told.is_ok_and(|told| told.status == GameStatusWord::Started)
    };
    event.channel == Channel::Status && !has_started()
}
