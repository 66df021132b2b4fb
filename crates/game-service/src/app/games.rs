//! Reading games, changing their settings, ending and deleting them.
//! Each is one decision and one commit.

use std::collections::HashSet;
use std::sync::Arc;

use starkeep_game_core::{Game, GameClock, GameId, Status};
use starkeep_platform::idempotency::AnswerRecorder;

use super::{App, Outcome};
use crate::domain::Image;
use crate::ports::{Age, Unreadable};

/// Which games to list.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub status: Option<Status>,
    /// The last game of the page before, and whether it was still active then.
    pub after: Option<(bool, Age)>,
    pub limit: usize,
}

impl App {
    /// What is known now: never less than what anybody was told before.
    pub async fn image(&self) -> Result<Arc<Image>, Unreadable> {
        Ok(self.store.fresh().await?)
    }

    /// The same, where nothing has to be waited for.
    pub fn image_at_once(&self) -> Option<Arc<Image>> {
        self.store.fresh().at_once()
    }

    /// Active games first, newest first within both kinds; one more than the limit tells that there is a next page.
    pub async fn games(
        &self,
        image: &Image,
        page: Page,
        with_ended: bool,
    ) -> Result<Vec<Arc<Game>>, Unreadable> {
        let mut games = active_games(image, &page);
        let room = (page.limit + 1).saturating_sub(games.len());
        let wants_ended = with_ended && page.status.is_none_or(|status| status == Status::Ended);
        if wants_ended && room > 0 && image.ended_games() > 0 {
            let after = page.after.and_then(|(active, age)| (!active).then_some(age));
            let ended = self.store.ended_games(after, room).await?;
            // One that ended after the image was taken is in both; it is shown as it was.
            let shown: HashSet<_> = games.iter().map(|game| game.id).collect();
            games.extend(ended.into_iter().filter(|game| !shown.contains(&game.id)).map(Arc::new));
        }
        games.truncate(page.limit + 1);
        Ok(games)
    }

    pub async fn game(&self, id: GameId) -> Result<Option<Game>, Unreadable> {
        if let Some(game) = self.store.fresh().await?.active_game(id) {
            return Ok(Some((**game).clone()));
        }
        self.store.ended_game(id).await
    }

    /// Games that are created or running, the oldest first, and the ids of those that have ended.
    pub async fn all_games(&self) -> Result<(Vec<Arc<Game>>, Vec<GameId>), Unreadable> {
        // The image first: a game that ends in between is in both then, never in neither.
        let image = self.store.fresh().await?;
        let mut ended = self.store.ended_game_ids().await?;
        ended.retain(|game| image.active_game(*game).is_none());
        let mut games: Vec<_> = image.active_games().cloned().collect();
        games.sort_by_key(|game| (game.created_at, game.id));
        Ok((games, ended))
    }

    /// The game's time now; `None` inside if it never started.
    pub async fn time(&self, id: GameId) -> Result<Option<Option<GameClock>>, Unreadable> {
        let image = self.store.fresh().await?;
        if let Some(game) = image.active_game(id) {
            return Ok(Some(self.time_of(&image, game)));
        }
        let ended = self.store.ended_game(id).await?;
        Ok(ended.map(|game| game.time(self.service_clock.now())))
    }

    /// The same for a game that is created or running, without waiting for anything.
    pub fn time_in_memory(&self, id: GameId) -> Option<Option<GameClock>> {
        let image = self.image_at_once()?;
        image.active_game(id).map(|game| self.time_of(&image, game))
    }

    fn time_of(&self, image: &Image, game: &Game) -> Option<GameClock> {
        let now = self.service_clock.now();
        // What nobody kept is about to be shifted: nothing is shown that would be taken back.
        let shifted = game.shift_after_stall(image.heartbeat().at, now).and_then(|(change, _)| change.after);
        shifted.as_ref().unwrap_or(game).time(now)
    }

    pub async fn set_max_rounds(&self, id: GameId, rounds: u32) -> Outcome<Game> {
        let (at, now) = (self.service_clock.now(), self.clock.wall());
        self.change_game(id, AnswerRecorder::none(), move |game, _| Ok(game.set_max_rounds(rounds, at, now)?))
            .await
    }

    pub async fn set_round_length(&self, id: GameId, millis: u32) -> Outcome<Game> {
        let policy = self.policy;
        self.change_game(id, AnswerRecorder::none(), move |game, _| {
            Ok(game.set_round_length(&policy, millis)?)
        })
        .await
    }

    pub async fn end(&self, id: GameId, answer: AnswerRecorder<Game>) -> Outcome<Game> {
        let (at, now) = (self.service_clock.now(), self.clock.wall());
        self.change_game(id, answer, move |game, _| Ok(game.end(at, now)?)).await
    }

    pub async fn delete(&self, id: GameId) -> Outcome<Game> {
        self.change_game(id, AnswerRecorder::none(), |game, _| Ok(game.delete()?)).await
    }
}

fn active_games(image: &Image, page: &Page) -> Vec<Arc<Game>> {
    let wanted = |game: &Game| page.status.is_none_or(|status| game.status() == status);
    let age = |game: &Game| (game.created_at, game.id);
    let after = match page.after {
        Some((true, age)) => Some(age),
        // The page before reached the ended games already.
        Some((false, _)) => return Vec::new(),
        None => None,
    };
    let mut games: Vec<_> = image
        .active_games()
        .filter(|game| wanted(game) && after.is_none_or(|after| age(game) < after))
        .cloned()
        .collect();
    games.sort_unstable_by_key(|game| std::cmp::Reverse(age(game)));
    games.truncate(page.limit + 1);
    games
}
