//! Waiting for commits after which a batch, a round or a game is over.
//! Nothing is decided here.

use starkeep_game_core::GameId;

use super::App;
use crate::domain::interest::{EXECUTION, GAMES};

impl App {
    /// Waits until nothing of the round is left to carry out, or it is over.
    pub(crate) async fn wait_until_executed(&self, id: GameId, round: u32) {
        let mut commits = self.store.commits(EXECUTION.or(GAMES));
        loop {
            commits.mark_unchanged();
            let image = self.store.image();
            let open = image.active_game(id).is_some_and(|game| game.current_round() == round);
            if !open || !image.has_work_left(id) || commits.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until the game is in a later round; for ever if it ends in this one.
    pub(crate) async fn wait_until_round_passed(&self, id: GameId, round: u32) {
        let passed = || self.store.image().active_game(id).is_some_and(|game| game.current_round() > round);
        // There are commits as long as there is a store.
        let _ = self.store.commits(GAMES).wait_for(|()| passed()).await;
    }

    /// Waits until the round is over, or its game.
    pub(crate) async fn wait_until_round_over(&self, id: GameId, round: u32) {
        let over = || self.store.image().active_game(id).is_none_or(|game| game.current_round() != round);
        let _ = self.store.commits(GAMES).wait_for(|()| over()).await;
    }

    /// Waits until the game has ended, or is gone.
    pub(crate) async fn wait_until_ended(&self, id: GameId) {
        let ended = || self.store.image().active_game(id).is_none();
        let _ = self.store.commits(GAMES).wait_for(|()| ended()).await;
    }
}
