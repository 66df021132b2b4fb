//! Readers of the event streams, one for each service, who resume where they were whatever happens. What they have read must be
//! the log in the end, nothing missing and nothing twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use starkeep_clock::{Clock, Monotonic};
use starkeep_contract::events::Channel;
use starkeep_http_client::{EventStream, Item, ServiceUrl, StartFrom};
use uuid::Uuid;

/// What one reader has read. Clones are the same reading.
#[derive(Clone, Default)]
pub(crate) struct Reading(Arc<Mutex<Read>>);

#[derive(Clone, Default)]
pub(crate) struct Read {
    /// The positions, in the order in which they came.
    pub(crate) ids: Vec<String>,
    pub(crate) gaps: u64,
    /// When the end of a round's collection was first seen.
    pub(crate) input_ended: BTreeMap<(Uuid, u64), Monotonic>,
}

impl Reading {
    pub(crate) fn so_far(&self) -> Read {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).ids.len()
    }

    /// Until it is dropped. A service that is away is waited for.
    pub(crate) async fn run(self, url: ServiceUrl, clock: Arc<dyn Clock>) {
        let mut stream = EventStream::open(url, clock.clone(), StartFrom::Start, &[]).unlogged();
        loop {
            // Refused for good, as by a service that is just stopping: asked again.
            let Ok(item) = stream.next().await else { continue };
            let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match item {
                Item::Gap(_) => read.gaps += 1,
                Item::Event(event) => {
                    if event.channel == Channel::RoundStatus
                        && event.payload["roundStatus"] == "command input ended"
                        && let (Some(game), Some(round)) =
                            (event.about.game_id, event.payload["roundNumber"].as_u64())
                    {
                        read.input_ended.entry((game.0, round)).or_insert_with(|| clock.monotonic());
                    }
                    read.ids.push(event.id);
                }
            }
        }
    }
}
