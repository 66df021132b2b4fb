//! The task that tells what is around robots that were spawned, some time after the last spawn of their game. Each spawn begins the time
//! anew: the trades of a batch are told when its last purchase has been answered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::clock::{Clock, Monotonic};
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};
use starkeep_robot_core::GameId;
use uuid::Uuid;

use crate::app::App;

/// Delay before the next attempt when the store cannot be written.
const AFTER_A_FAILURE: Duration = Duration::from_millis(100);

/// What is to be told in each game, and when. A new process begins anew.
#[derive(Default)]
pub struct Waiting(BTreeMap<GameId, (BTreeSet<Uuid>, Monotonic)>);

#[derive(Clone)]
pub struct NeighbourTeller {
    app: Arc<App>,
}

impl NeighbourTeller {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    pub(crate) fn start(self, leader: &Leader, clock: Arc<dyn Clock>) {
        leader.run("tell-neighbours", move |task| self.clone().run(clock.clone(), task));
    }

    /// Tells what is due; when the next is, if anything waits.
    pub async fn step(
        &self,
        epoch: Epoch,
        waiting: &mut Waiting,
        now: Monotonic,
    ) -> Result<Option<Monotonic>, String> {
        let untold = self.app.untold();
        waiting.0.retain(|game, _| untold.contains_key(game));
        for (game, purchases) in untold {
            let due = now.after(self.app.settings.neighbours_delay);
            let known = waiting.0.entry(game).or_insert_with(|| (purchases.clone(), due));
            if known.0 != purchases {
                *known = (purchases, due);
            }
        }
        let due: Vec<_> =
            waiting.0.iter().filter(|(_, (_, due))| *due <= now).map(|(game, _)| *game).collect();
        for game in due {
            let told = self.app.tell_surroundings(epoch, game).await;
            told.map_err(|failure| format!("{failure:?}"))?;
            waiting.0.remove(&game);
        }
        Ok(waiting.0.values().map(|(_, due)| *due).min())
    }

    async fn run(self, clock: Arc<dyn Clock>, task: TaskHandle) {
        let (mut spawns, mut waiting) = (self.app.spawns(), Waiting::default());
        loop {
            spawns.mark_unchanged();
            let outcome = self.step(task.epoch(), &mut waiting, clock.monotonic()).await;
            let next = match &outcome {
                Ok(next) => *next,
                Err(_) => Some(clock.monotonic().after(AFTER_A_FAILURE)),
            };
            task.ran(outcome.map(drop), next);
            tokio::select! {
                biased;
                () = task.stopped() => return,
                changed = spawns.changed() => if changed.is_err() { return },
                () = async {
                    match next {
                        Some(next) => clock.sleep_until(next).await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        }
    }
}
