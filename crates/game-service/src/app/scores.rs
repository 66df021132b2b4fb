//! Rounds are scored as soon as everything of them is known, each once and in order; who is out does not hold up the others.
//! The scoreboard is how the players stand now, or stood when the game was over.

use std::collections::HashMap;

use starkeep_game_core::{Game, GameId, Moment, Phase, PlayerId, Standing, State};
use starkeep_platform::clock::Monotonic;
use starkeep_platform::decision::{Decided, Decision, Failure, apply_all};
use starkeep_platform::lease::Epoch;

use super::topic_scores::{InTopics, ToldInTopics, positions};
use super::{App, Outcome};
use crate::domain::{Change, Games, Image, Key, Known, PlayerSearch, Rejection};
use crate::ports::{KeptScore, Unreadable};
use crate::wire::EventSeed;

/// How the players of a game stand.
pub struct Scoreboard {
    /// In the order in which they joined, and how each stands; None if nothing was ever told of the game.
    pub standings: Option<Vec<(PlayerId, Standing)>>,
    pub known: Known,
    /// In the order in which they joined.
    pub names: Vec<(PlayerId, String)>,
}

impl App {
    /// Scores every round that can be. If others wait for what topics have not told yet: until when.
    pub async fn score_rounds(&self, epoch: Epoch) -> Outcome<Option<Monotonic>> {
        if self.has_unknown_executor() {
            return Ok(None);
        }
        let topics = self.told_by_topics();
        self.begin_scores_by_topics(epoch, topics).await?;
        loop {
            let (image, mut works, mut until) = (self.store.image(), Vec::new(), None);
            let to_score = |game| Some((game, image.round_to_score(game, self.followed)?));
            for (game, round) in image.games_to_score().filter_map(to_score) {
                match self.round_in_topics(&image, game, round, topics).await? {
                    InTopics::Complete(told) => works.push(self.scoring(game, round, told).fenced_by(epoch)),
                    InTopics::Waits(limit) => {
                        until = Some(until.map_or(limit, |until: Monotonic| until.min(limit)));
                    }
                }
            }
            if works.is_empty() {
                return Ok(until);
            }
            for scored in apply_all(&*self.store, works).await {
                nothing_if_overtaken(scored)?;
            }
        }
    }

    fn scoring(&self, game: GameId, round: u32, told: Option<ToldInTopics>) -> Decision<Games, ()> {
        let (wire, followed, known) = (self.wire, self.followed, self.known());
        let (seed, now) = (EventSeed::draw(&*self.chance), self.clock.wall());
        let keys = told.iter().flat_map(|told| told.keys.iter().cloned()).chain([Key::Game(game)]).collect();
        Decision::new(keys, move |image: &Image| {
            if image.round_to_score(game, followed) != Some(round) {
                return Err(Rejection::NothingToDo);
            }
            // What was missing may have been read meanwhile.
            let has_more = |told: &ToldInTopics| {
                told.incomplete_after.as_ref().is_some_and(|before| *before != positions(image, told.topics))
            };
            if told.as_ref().is_some_and(has_more) {
                return Err(Rejection::NothingToDo);
            }
            let mut after = image.clone();
            let news = told.as_ref().map(|told| {
                after.fold_round(game, round, &told.round, told.topics);
                Box::new(after.news_since(image, [game]))
            });
            let scores = after.scores(game).ok_or(Rejection::NothingToDo)?;
            let players = image.game(game)?.roster.iter();
            let rows: Vec<_> = players.map(|player| (player, scores.standings.of(player))).collect();
            let event = wire.round_scored(game, round, &rows, known, &mut seed.ids(), now);
            let change = Change::RoundScored { game, round, rows, known, news };
            Ok(Decided { change, events: vec![event], output: () })
        })
    }

    /// In a game in a hurry those who are out are ready: they have nothing left to do.
    pub async fn pass_over_the_out(&self, epoch: Epoch) -> Outcome<()> {
        let (image, at) = (self.store.image(), self.service_clock.now());
        let waiting = image.active_games().filter(|game| game.ends_phases_early());
        let out: Vec<_> = waiting
            .flat_map(|game| out_and_not_ready(game, &image).map(|player| (game.id, player)))
            .collect();
        let works = out.into_iter().map(|(game, player)| self.passing(game, player, at).fenced_by(epoch));
        for passed in apply_all(&*self.store, works).await {
            nothing_if_overtaken(passed)?;
        }
        Ok(())
    }

    fn passing(&self, game: GameId, player: PlayerId, at: Moment) -> Decision<Games, ()> {
        let rule = move |game: &Game, image: &Image| {
            let is_out = out_and_not_ready(game, image).any(|out| out == player);
            if is_out { Ok(game.ready(player, at)?) } else { Err(Rejection::NothingToDo) }
        };
        self.game_change_giving(game, rule, |_| ())
    }

    pub async fn scoreboard(&self, game: &Game) -> Result<Scoreboard, Unreadable> {
        let image = self.store.fresh().await?;
        let (standings, known) = if let Some(scores) = image.scores(game.id) {
            let standings = scores.standings.players().map(|(player, standing)| (player, *standing));
            (Some(standings.collect()), self.known())
        } else {
            // As it was when the game was played.
            let last = self.store.scores(game.id).await?.last().map(|score| score.known);
            (self.store.standings(game.id).await?, last.unwrap_or_default())
        };
        let of_players = |standings: Vec<(PlayerId, Standing)>| {
            let standings: HashMap<_, _> = standings.into_iter().collect();
            let of = |player| (player, standings.get(&player).copied().unwrap_or_default());
            game.roster.iter().map(of).collect()
        };
        Ok(Scoreboard { standings: standings.map(of_players), known, names: self.names(game).await? })
    }

    /// The rows of every round, in order, and the names of the players.
    pub async fn scores(&self, game: &Game) -> Result<(Vec<KeptScore>, Vec<(PlayerId, String)>), Unreadable> {
        Ok((self.store.scores(game.id).await?, self.names(game).await?))
    }

    /// In the order in which they joined.
    pub(super) async fn names(&self, game: &Game) -> Result<Vec<(PlayerId, String)>, Unreadable> {
        let players = self.players(game.roster.iter().map(PlayerSearch::Id)).await?;
        let name = |player| players.get(player).map(|player| player.name.clone()).unwrap_or_default();
        Ok(game.roster.iter().map(|player| (player, name(player))).collect())
    }
}

/// Players of the open round's collection who are out and have not said to be ready.
fn out_and_not_ready<'a>(game: &'a Game, image: &'a Image) -> impl Iterator<Item = PlayerId> + 'a {
    let running = match &game.state {
        State::Running(running) if running.phase == Phase::Collection => Some(running),
        _ => None,
    };
    running.zip(image.scores(game.id)).into_iter().flat_map(|(running, scores)| {
        let out = scores.standings.players().filter(|(_, standing)| standing.is_out());
        out.map(|(player, _)| player)
            .filter(|player| game.roster.plays(*player) && !running.ready.contains(player))
    })
}

fn nothing_if_overtaken(outcome: Outcome<()>) -> Outcome<()> {
    match outcome {
        Err(Failure::Rejected(_)) => Ok(()),
        outcome => outcome,
    }
}
