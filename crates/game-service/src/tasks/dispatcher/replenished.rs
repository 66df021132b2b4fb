//! Before a round's first batch the map is to have replenished the world as often as rounds before it said so: what robots find
//! must not depend on how fast the rounds are played. Half of the phase is left for the batches.

use starkeep_game_core::{Execution, GameId};

use super::Dispatcher;
use crate::app::Next;

impl Dispatcher {
    /// True if there was anything to wait for: time may have passed.
    pub(super) async fn await_replenishment(&self, game: GameId, next: &Next) -> bool {
        if !self.app.awaits_replenishment(game) {
            return false;
        }
        let Execution { round, left, span } = next.execution;
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {}
            () = self.app.wait_until_replenished(game) => {}
            () = self.app.wait_until_round_over(game, round) => {}
            () = self.pause(left.saturating_sub(span / 2)) => {
                let replenished_after = self.app.give_up_waiting_for_replenishment(game);
                tracing::warn!(
                    %game, round, replenished_after,
                    "the map service has not replenished the gameworld yet; the round's commands do not wait any longer"
                );
            }
        }
        true
    }
}
