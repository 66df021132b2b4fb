//! What the other services have recorded of a game: the gameworld as it was made, and their events. Nothing of it is kept here.

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use starkeep_contract::events::Publisher;
use starkeep_game_core::WorldId;
use uuid::Uuid;

use super::LookupFault;

pub trait Records: Send + Sync + 'static {
    /// None if the map has no such world.
    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<RecordedWorld>, LookupFault>>;

    /// The service's next events about the game or gameworld after that position, `start` being before the first. There are
    /// none of a service that has no log.
    fn events<'a>(
        &'a self,
        of: Publisher,
        subject: Uuid,
        after: &'a str,
    ) -> BoxFuture<'a, Result<RecordedEvents, LookupFault>>;
}

/// A gameworld in the map's own JSON, on one line each.
pub struct RecordedWorld {
    pub gameworld: String,
    /// A list of planets. Of a large world it is long, so it comes piece by piece.
    pub planets: BoxStream<'static, Result<Bytes, LookupFault>>,
}

/// Some events of one service, in the order of its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedEvents {
    pub events: Vec<RecordedEvent>,
    /// Where to go on; none at the end of the log.
    pub next: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    pub round: Option<u32>,
    /// As a page of `GET /events` shows it.
    pub json: String,
}
