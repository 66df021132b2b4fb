//! Asks the map to replenish the worlds of games: every intent that is open, one after the other in each game, until
//! the map has answered. It keeps nothing that would have to be saved: whoever leads next sends what is still open again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use starkeep_game_core::GameId;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;
use crate::domain::OpenReplenishment;
use crate::domain::interest::REPLENISHMENTS;
use crate::ports::MapFault;

/// The next round's commands wait for the answer, so a map that is back is to be noticed soon.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Replenishments {
    app: Arc<App>,
    /// Games of which it was said that the map cannot replenish their worlds.
    told: Arc<Mutex<HashSet<GameId>>>,
}

impl Replenishments {
    pub fn new(app: Arc<App>) -> Self {
        Self { app, told: Arc::default() }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("replenishments", move |task| self.clone().run(task));
    }

    /// One pass over all games. `Err` if something remains to be done.
    pub async fn step(&self, epoch: Epoch) -> Result<(), String> {
        let games = self.app.store.image().games_to_replenish();
        let works = games.into_iter().map(|game| self.send_all(epoch, game));
        join_all(works).await.into_iter().collect()
    }

    async fn run(self, task: TaskHandle) {
        let (this, task) = (&self, &task);
        let mut commits = self.app.store.commits(REPLENISHMENTS);
        commits.mark_changed();
        let mut at_work = HashSet::new();
        let mut works = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                // A stop does not wait for a map that hangs: what it interrupts is still in the store.
                () = task.stopped() => return,
                Some(game) = works.next() => {
                    at_work.remove(&game);
                }
                changed = commits.changed() => if changed.is_err() { return },
            }
            for game in self.app.store.image().games_to_replenish() {
                if at_work.insert(game) {
                    works.push(async move {
                        this.keep_sending(task, game).await;
                        game
                    });
                }
            }
        }
    }

    /// Until nothing of the game is open.
    async fn keep_sending(&self, task: &TaskHandle, game: GameId) {
        let mut delay = FIRST_RETRY;
        loop {
            let outcome = self.send_all(task.epoch(), game).await;
            let retry = outcome.as_ref().err().map(|fault| {
                // What is wrong with the map shows in `/health` as long as it lasts.
                if delay == FIRST_RETRY {
                    tracing::warn!(%game, %fault, "a gameworld could not be replenished yet, trying again");
                }
                self.app.clock.monotonic().after(delay)
            });
            task.ran(outcome, retry);
            let Some(retry) = retry else { return };
            self.app.clock.sleep_until(retry).await;
            delay = (delay * 2).min(LONGEST_RETRY);
        }
    }

    /// In their order: a later one is sent when the earlier was answered.
    async fn send_all(&self, epoch: Epoch, game: GameId) -> Result<(), String> {
        while let Some(open) = self.app.next_replenishment(game) {
            if !self.app.is_to_be_deleted(open.world) {
                match self.app.other_services.map.replenish(open.world, open.round, open.intent.0).await {
                    Err(fault) if !fault.is_final() => return Err(fault.to_string()),
                    Err(fault) => self.tell_of_refusal(game, open, &fault),
                    Ok(()) => {}
                }
            }
            let settled = self.app.settle_replenishment(epoch, open.intent).await;
            settled.map_err(|failure| format!("{failure:?}"))?;
        }
        Ok(())
    }

    /// An older map has no such route; that is said once for each game.
    fn tell_of_refusal(&self, game: GameId, open: OpenReplenishment, fault: &MapFault) {
        let OpenReplenishment { world, round, .. } = open;
        if matches!(fault, MapFault::Refused { status: 404 | 405, .. }) {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let image = self.app.store.image();
            told.retain(|game| image.active_game(*game).is_some());
            if told.insert(game) {
                tracing::warn!(
                    %game, %world, round, %fault,
                    "the map service cannot replenish this gameworld, so its deposits stay as they are"
                );
            }
            return;
        }
        tracing::warn!(%game, %world, round, %fault, "the map service refuses to replenish a gameworld, which is left out");
    }
}
