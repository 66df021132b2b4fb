//! What is around robots that were spawned is told some time after the spawn where the host wants it so: the existing bots read topics in
//! threads of their own, and know a robot from the purchase only. Until then it is kept in the store.

use std::collections::{BTreeMap, BTreeSet};

use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;
use starkeep_robot_core::GameId;
use tokio::sync::watch;
use uuid::Uuid;

use super::{App, Outcome, or_nothing};
use crate::domain::{Image, Rejection, RobotsMoved, SURROUNDINGS};
use crate::wire::events::Events;

impl App {
    /// Changes where robots were spawned.
    pub(crate) fn spawns(&self) -> watch::Receiver<()> {
        self.store.commits(SURROUNDINGS)
    }

    /// The purchases of each game whose robots' surroundings are to be told.
    pub(crate) fn untold(&self) -> BTreeMap<GameId, BTreeSet<Uuid>> {
        let mut games = BTreeMap::<_, BTreeSet<_>>::new();
        for untold in self.store.image().surroundings.iter() {
            games.entry(untold.call.game).or_default().insert(untold.id.0);
        }
        games
    }

    /// Tells all that is around robots of the game.
    pub(crate) async fn tell_surroundings(&self, epoch: Epoch, game: GameId) -> Outcome<()> {
        let envelope = self.envelope(game, None);
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let mut events = Events::new(envelope);
            for untold in image.untold(game) {
                events.surroundings(&untold.call);
            }
            let told: Vec<_> = image.untold(game).map(|untold| untold.id).collect();
            if told.is_empty() {
                return Err(Rejection::NothingToDo);
            }
            let change = RobotsMoved { told, ..RobotsMoved::of(game) };
            Ok(Decided { change: change.into(), events: events.into_all(), output: () })
        });
        or_nothing(self.apply(work.fenced_by(epoch)).await)
    }
}
