//! A host's hand on the clock, and players who need no more time.
//! Each is one decision and one commit; what the clock does by itself is in `rounds`.

use starkeep_game_core::{Game, GameId, Pace, PlayerId, RoundId};
use starkeep_platform::apply::{Remember, Work};

use super::{App, Outcome};
use crate::domain::{Games, Image};

/// How far a step has come.
enum Stepped {
    Half(Game),
    Whole(Game),
}

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
        self.shift_if_frozen(id).await?;
        let remember_whole = remember.clone().when(|stepped: &Stepped| match stepped {
            Stepped::Whole(game) => Some(game),
            Stepped::Half(_) => None,
        });
        let half = match self.decide(self.begin_step(id).remember(remember_whole)).await? {
            Stepped::Whole(game) => return Ok(game),
            Stepped::Half(game) => game,
        };
        let round = half.current_round();
        self.carried_out_all(id, round).await;
        let (at, now, next_round) = (self.timeline.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        let finish = move |game: &Game, _: &Image| Ok(game.finish_step(round, next_round, at, now)?);
        self.decide(self.game_change(id, finish).remember(remember)).await
    }

    /// A round that has nothing to carry out is over at once. Otherwise its input ends, and everything is waited for.
    fn begin_step(&self, id: GameId) -> Work<Games, Stepped> {
        let (at, now, next_round) = (self.timeline.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        let rule = move |game: &Game, image: &Image| {
            if image.has_work_left(id) {
                return Ok((game.begin_step(at)?, Stepped::Half as fn(Game) -> Stepped));
            }
            Ok((game.step(next_round, at, now)?, Stepped::Whole as fn(Game) -> Stepped))
        };
        self.game_change_with(id, rule)
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
