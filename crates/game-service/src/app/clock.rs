//! A host's hand on the clock, and players who need no more time.
//! Each is one decision and one commit; what the clock does by itself is in `rounds`.

use starkeep_game_core::{Game, GameId, Pace, PlayerId, RoundId};
use starkeep_platform::decision::Failure;
use starkeep_platform::idempotency::AnswerRecorder;

use super::{App, Outcome};
use crate::domain::{Image, Rejection};

impl App {
    pub async fn pause(&self, id: GameId, answer: AnswerRecorder<Game>) -> Outcome<Game> {
        let at = self.service_clock.now();
        self.change_game(id, answer, move |game, _| Ok(game.pause(at)?)).await
    }

    pub async fn resume(&self, id: GameId, answer: AnswerRecorder<Game>) -> Outcome<Game> {
        let at = self.service_clock.now();
        self.change_game(id, answer, move |game, _| Ok(game.resume(at)?)).await
    }

    pub async fn step(&self, id: GameId, answer: AnswerRecorder<Game>) -> Outcome<Game> {
        self.skip_countdown(id).await?;
        let policy = self.policy;
        let (at, now, next_round) =
            (self.service_clock.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        // A round that has nothing to carry out is over at once. Otherwise its input ends, and everything is waited for.
        let begin = move |game: &Game, image: &Image| {
            Ok(if image.has_work_left(id) {
                game.begin_step(at)?
            } else {
                game.step(&policy, next_round, at, now)?
            })
        };
        let answer_of_whole_round = answer.clone().when(|game: &Game| (!game.is_executing()).then_some(game));
        let game = self.change_game(id, answer_of_whole_round, begin).await?;
        if !game.is_executing() {
            return Ok(game);
        }
        let round = game.current_round();
        self.wait_until_executed(id, round).await;
        let (at, now) = (self.service_clock.now(), self.clock.wall());
        let finish = move |game: &Game, _: &Image| Ok(game.finish_step(&policy, round, next_round, at, now)?);
        self.decide(self.game_change(id, finish).record_answer(answer)).await
    }

    /// A step in the countdown begins the first round before it plays it.
    async fn skip_countdown(&self, id: GameId) -> Outcome<()> {
        let at = self.service_clock.now();
        if !self.store.fresh().await?.active_game(id).is_some_and(|game| game.is_counting_down()) {
            return Ok(());
        }
        let begun = self.change_game(id, AnswerRecorder::none(), move |game, _| {
            game.skip_countdown(at)?.ok_or(Rejection::NothingToDo)
        });
        match begun.await {
            Ok(_) | Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    pub async fn set_pace(&self, id: GameId, pace: Pace) -> Outcome<Game> {
        let at = self.service_clock.now();
        self.change_game(id, AnswerRecorder::none(), move |game, _| Ok(game.set_pace(pace, at)?)).await
    }

    pub async fn ready(&self, id: GameId, player: PlayerId) -> Outcome<Game> {
        let at = self.service_clock.now();
        self.change_game(id, AnswerRecorder::none(), move |game, _| Ok(game.ready(player, at)?)).await
    }
}
