//! The task that follows the game service's events, from where it stopped; a test hands it items by hand.
//! After a gap the games are asked for; until that succeeds it does not go on.

use std::sync::Arc;

use starkeep_executor::{GAME_CHANNELS, GameEvent};
use starkeep_http_client::{EventStream, Item, ServiceUrl, StartFrom};
use starkeep_platform::clock::Clock;
use starkeep_platform::follow::follow;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::Leader;

use crate::app::App;

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
                let from = games.app.game_position().map_or(StartFrom::Start, StartFrom::After);
                let stream = EventStream::open(games.url.clone(), clock.clone(), from, &GAME_CHANNELS);
                let epoch = task.epoch();
                follow(task, clock, stream, |item, position| games.record(epoch, item, position)).await;
            }
        });
    }

    /// What one item tells, with the position after it.
    pub async fn record(&self, epoch: Epoch, item: Item, position: String) -> Result<(), String> {
        match item {
            Item::Gap(gap) => {
                tracing::warn!(reason = ?gap.reason, "events of the game service were missed; its games are asked for");
                self.app.bridge_gap(epoch, position).await
            }
            Item::Event(event) => match GameEvent::read(&event) {
                Ok(Some(news)) => self.app.hear(epoch, news, position).await,
                Ok(None) => Ok(()),
                Err(fault) => {
                    // It would not become readable by reading it again.
                    tracing::error!(%fault, event = %event.headers.event_id, "an event of the game service cannot be read");
                    Ok(())
                }
            },
        }
    }
}
