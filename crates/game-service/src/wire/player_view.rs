//! A player's view of a game, put together from what all services tell.

use starkeep_contract::GameId as WireGameId;
use starkeep_contract::view::GameView;
use starkeep_game_core::{GameClock, GameId};

use super::{Wire, millis, phase_word};
use crate::ports::SeenByPlayer;

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    /// Without a clock the game has not started.
    pub fn view(self, game: GameId, clock: Option<GameClock>, seen: SeenByPlayer) -> GameView {
        GameView {
            game_id: WireGameId(game.0),
            round_number: clock.map_or(0, |clock| clock.round),
            phase: clock.and_then(|clock| clock.phase).and_then(phase_word),
            phase_ends_in_millis: clock.and_then(|clock| clock.phase_ends_in).map(millis),
            money: seen.money,
            prices: seen.prices,
            robots: seen.robots,
            planets: seen.planets,
        }
    }
}
