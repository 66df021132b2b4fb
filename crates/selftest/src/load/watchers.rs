//! Clients that look at games again and again: what they see must be explained by the log of the game service.

use std::time::Duration;

use starkeep_fault_harness::Chance;

use crate::records::{Acknowledged, GameState, Records, Span};
use crate::service::{Service, Told};

/// How many games are looked at beside those that are not ended.
const ENDED: usize = 2;

pub(crate) struct Watcher {
    pub(crate) game: Service,
    pub(crate) records: Records,
    pub(crate) chance: Chance,
    /// Between two looks.
    pub(crate) pause: Duration,
}

impl Watcher {
    pub(crate) async fn run(mut self) {
        while self.game.goes_on() {
            self.game.pause_for(self.pause).await;
            let games = self.records.games_to_watch(ENDED);
            if !games.is_empty() {
                let game = self.chance.pick(&games).clone();
                self.look(game).await;
            }
        }
    }

    async fn look(&self, game: String) {
        let invoked = self.game.clock.monotonic();
        // A refusal is noted as well: no game of these is unknown, so that it shows none that ever was.
        let Told::Answer { body, .. } = self.game.get(&format!("/games/{game}")).await else {
            return self.game.pause().await;
        };
        let span = Span { invoked, returned: self.game.clock.monotonic() };
        self.records.journal.note(Acknowledged::GameRead { game, seen: GameState::shown(&body), span });
    }
}
