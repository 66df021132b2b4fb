//! The task that follows the game service's events, from where it stopped; a test hands it items by hand.
//! After a gap, and before the first item, the games are asked for; until that succeeds it does not go on.

use std::sync::Arc;

use starkeep_executor::{GAME_CHANNELS, GameEvent};
use starkeep_http_client::{EventStream, Item, ServiceUrl, StartFrom};
use starkeep_platform::clock::Clock;
use starkeep_platform::follow::follow;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::Leader;

use crate::app::{App, ReceivedItem};

/// A position that no log has: it is answered with a gap and everything that is kept, and what is no longer kept, or was
/// never told by events, is asked for.
const NOWHERE: &str = "nowhere";

#[derive(Clone)]
pub struct GameStream {
    app: Arc<App>,
    url: ServiceUrl,
}

impl GameStream {
    pub(crate) fn new(app: Arc<App>, url: ServiceUrl) -> Self {
        Self { app, url }
    }

    pub(crate) fn start(self, leader: &Leader, clock: Arc<dyn Clock>) {
        leader.run("follow-game", move |task| {
            let (games, clock) = (self.clone(), clock.clone());
            async move {
                let from = StartFrom::After(games.begin());
                let stream = EventStream::open(games.url.clone(), clock.clone(), from, &GAME_CHANNELS);
                games.app.watch_game(stream.is_reached());
                let epoch = task.epoch();
                let games = &games;
                let record =
                    |items: Arc<[Item]>, position| async move { games.record(epoch, &items, position).await };
                follow(task, clock, stream, record).await;
            }
        });
    }

    /// Where the reading begins: after what is committed. What was read beyond it, perhaps under an earlier lease, is read
    /// again, since another replica may have read and committed more meanwhile.
    pub fn begin(&self) -> String {
        self.app.forget_read_ahead();
        self.app.game_position().unwrap_or_else(|| NOWHERE.to_owned())
    }

    /// What the items tell, with the position after them.
    pub async fn record(&self, epoch: Epoch, items: &[Item], position: String) -> Result<(), String> {
        let received = items.iter().filter_map(read).collect();
        self.app.record_items(epoch, received, position).await
    }
}

fn read(item: &Item) -> Option<ReceivedItem> {
    match item {
        Item::Gap(_) => Some(ReceivedItem::Gap),
        Item::Event(event) => GameEvent::read(event).map_or_else(
            |fault| {
                // It would not become readable by reading it again.
                tracing::error!(%fault, event = %event.headers.event_id, "an event of the game service cannot be read");
                None
            },
            |event| event.map(ReceivedItem::Event),
        ),
    }
}
