//! When the news of executors may be recorded, and when a round may be scored: the order in which the two streams are folded.
//!
//! News of a round are recorded when (1) all rounds before it are scored, so that a round's scores hold nothing of the next; and
//! (2) robots' own deeds when the trades of the round have been read, because how much a robot has mined is told by what it
//! holds, and a sale empties it. A round is scored when its batches have been read from both streams.
//!
//! This ends. Whoever waits, waits for a position that an executor's log had before the awaited news were written: (1) the batches of
//! a round are answered before the next round begins, and answers that come later are not waited for; (2) the trades
//! of a round are answered before its first batch goes to the robots. A robot that is bought is spawned in the middle of that,
//! so its news do not wait for (2). Two streams that waited for each other would need robots' news A before a position that
//! was reached before trades' news B, and B before one that was reached before A: each would be older than the other.

use starkeep_game_core::{Deed, ExecutorKind, GameId, Kind, PlayerId, RobotId, Standing, TrackedRobot};

use super::super::scores::{ExecutorNews, Followed, GameScores, reaches, results_source};
use super::super::{BatchId, RecordedNews};
use super::Image;

impl Image {
    /// None where nothing was told of the game, or it has ended and all its rounds are scored.
    pub fn scores(&self, game: GameId) -> Option<&GameScores> {
        self.scores.get(&game)
    }

    /// Games with rounds that are yet to be scored.
    pub fn games_to_score(&self) -> impl Iterator<Item = GameId> {
        self.scores.keys().copied()
    }

    /// May this be recorded now?
    pub fn admits(&self, source: ExecutorKind, news: &ExecutorNews, followed: Followed) -> bool {
        let Some(scores) = self.scores.get(&news.game) else { return true };
        if news.round > scores.scored() + 1 {
            return false;
        }
        let waits_for_trades = source == ExecutorKind::Robots && news.follows_trades;
        let mut trades =
            scores.answered(news.round).filter(|(executor, _)| *executor == ExecutorKind::Trading);
        !waits_for_trades || trades.all(|(executor, position)| self.has_read(executor, position, followed))
    }

    /// The game's next round to score, if it is over and everything of it is known.
    pub fn round_to_score(&self, game: GameId, followed: Followed) -> Option<u32> {
        let scores = self.scores.get(&game)?;
        let round = scores.scored() + 1;
        let is_over = match self.active_game(game) {
            Some(game) => game.current_round() > round,
            None => scores.last_round().is_some_and(|last| round <= last),
        };
        let is_sending = || self.sending.keys().any(|batch| batch.game == game && batch.round == round);
        let mut answered = scores.answered(round);
        let is_read = is_over
            && !is_sending()
            && answered.all(|(executor, position)| self.has_read(executor, position, followed));
        is_read.then_some(round)
    }

    fn has_read(&self, executor: ExecutorKind, position: &str, followed: Followed) -> bool {
        !followed.follows(executor) || reaches(self.position_of(results_source(executor)), position)
    }

    /// The standings after the news. Of a game of which nothing was known, rounds before the news are not scored; one that
    /// has ended, or is not known, changes no more. Who tells by its own stream is named.
    pub(crate) fn fold(&mut self, source: ExecutorKind, news: &ExecutorNews, told_by: Followed) {
        // Otherwise a robot that was destroyed since would live again. The robots' own stream tells of it in order.
        let tells_spawns = source == ExecutorKind::Robots || !told_by.robots || self.precedes_robots(news);
        if !self.scores.contains_key(&news.game) {
            if self.active_game(news.game).is_none() {
                return;
            }
            self.begin_scores(news.game, news.round.saturating_sub(1));
        }
        if let Some(scores) = self.scores.get_mut(&news.game) {
            let is_told = |deed: &&Deed| tells_spawns || !matches!(deed, Deed::Spawned { .. });
            news.deeds.iter().filter(is_told).for_each(|deed| scores.standings.absorb(deed));
        }
    }

    /// Are these purchases recorded before what robots do afterwards? That waits for an answer's position, and is not done yet
    /// while the answer is awaited. A batch that is unknown is waited for by nobody.
    fn precedes_robots(&self, &ExecutorNews { game, round, .. }: &ExecutorNews) -> bool {
        let batch = BatchId { game, round, kind: Kind::Buying };
        let is_answered = |scores: &GameScores| scores.is_answered(round, Kind::Buying);
        self.sending.contains_key(&batch) || self.scores.get(&game).is_some_and(is_answered)
    }

    /// What folding news of these games has changed.
    pub(crate) fn news_since(&self, before: &Self, games: impl IntoIterator<Item = GameId>) -> RecordedNews {
        let mut news = RecordedNews::default();
        for game in games {
            // Of others nothing is kept.
            let Some(scores) = self.scores.get(&game) else { continue };
            let known = before.scores.get(&game).map(|scores| scores.standings.clone());
            if known.is_none() {
                news.begun.push((game, scores.scored()));
            }
            let changes = scores.standings.changes_since(&known.unwrap_or_default());
            news.standings.extend(changes.players.into_iter().map(|(player, of)| (game, player, of)));
            news.robots.extend(changes.robots.into_iter().map(|(id, robot)| (game, id, robot)));
        }
        news
    }

    pub(crate) fn begin_scores(&mut self, game: GameId, after_round: u32) {
        self.scores.entry(game).or_insert_with(|| GameScores::begun_after(after_round));
    }

    pub(super) fn record_news(&mut self, news: &RecordedNews) {
        if let Some((source, position)) = &news.position {
            self.set_position(source, position);
        }
        news.begun.iter().for_each(|(game, round)| self.begin_scores(*game, *round));
        news.standings.iter().for_each(|(game, player, standing)| {
            self.put_standing(*game, *player, *standing);
        });
        news.robots.iter().for_each(|(game, id, robot)| self.put_tracked_robot(*game, *id, *robot));
    }

    pub(crate) fn put_standing(&mut self, game: GameId, player: PlayerId, standing: Standing) {
        if let Some(scores) = self.scores.get_mut(&game) {
            scores.standings.restore_player(player, standing);
        }
    }

    pub(crate) fn put_tracked_robot(&mut self, game: GameId, id: RobotId, robot: Option<TrackedRobot>) {
        if let Some(scores) = self.scores.get_mut(&game) {
            scores.standings.restore_robot(id, robot);
        }
    }

    /// An answer to a batch of the open round, or of the last one of a game that has just ended.
    pub(crate) fn note_answer(&mut self, batch: BatchId, position: &str) {
        if self.active_game(batch.game).is_some() {
            self.begin_scores(batch.game, batch.round.saturating_sub(1));
        }
        if let Some(scores) = self.scores.get_mut(&batch.game) {
            scores.batch_answered(batch.round, batch.kind, position);
        }
    }

    pub(super) fn round_scored(&mut self, game: GameId, round: u32) {
        self.change_scores(game, |scores| scores.round_scored(round));
    }

    pub(crate) fn scored_game_ended(&mut self, game: GameId, last_round: u32) {
        self.change_scores(game, |scores| scores.game_ended(last_round));
    }

    /// A game of which nothing is left to do leaves the memory.
    fn change_scores(&mut self, game: GameId, change: impl FnOnce(&mut GameScores)) {
        let Some(scores) = self.scores.get_mut(&game) else { return };
        change(scores);
        if scores.is_complete() {
            self.scores.remove(&game);
        }
    }

    pub(super) fn forget_scores(&mut self, game: GameId) {
        self.scores.remove(&game);
    }
}
