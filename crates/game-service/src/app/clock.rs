//! A host's hand on the clock, and players who need no more time.
//! Each is one decision and one commit; what the clock does by itself is in `rounds`.

use starkeep_game_core::{Game, GameId, Pace, PlayerId, RoundId};
use starkeep_platform::apply::Remember;

use super::{App, Outcome};

impl App {
    pub async fn pause(&self, id: GameId, remember: Remember<Game>) -> Outcome<Game> {
        let at = self.timeline.now();
        self.change_game(id, remember, move |game, _| Ok(game.pause(at)?)).await
    }

    pub async fn resume(&self, id: GameId, remember: Remember<Game>) -> Outcome<Game> {
        let at = self.timeline.now();
        self.change_game(id, remember, move |game, _| Ok(game.resume(at)?)).await
    }

    pub async fn step(&self, id: GameId, remember: Remember<Game>) -> Outcome<Game> {
        let (at, now, next_round) = (self.timeline.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        self.change_game(id, remember, move |game, _| Ok(game.step(next_round, at, now)?)).await
    }

    pub async fn set_pace(&self, id: GameId, pace: Pace) -> Outcome<Game> {
        let at = self.timeline.now();
        self.change_game(id, Remember::nothing(), move |game, _| Ok(game.set_pace(pace, at)?)).await
    }

    pub async fn ready(&self, id: GameId, player: PlayerId) -> Outcome<Game> {
        let at = self.timeline.now();
        self.change_game(id, Remember::nothing(), move |game, _| Ok(game.ready(player, at)?)).await
    }
}
