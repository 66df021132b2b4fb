//! The scores of a round whose results come from topics: no order is known between topics, so what they tell is put into the order in
//! which a round is carried out, once all of it is there. A round's trades come first, then its fights, then the robots that fell.
//!
//! That a robot is there or has been destroyed is told without a round. It belongs to the round that is scored if nothing of a later
//! one can have been carried out yet; otherwise it is left to that one, unless a fight of this round says that the robot falls.

use std::collections::BTreeSet;
use std::sync::Arc;

use starkeep_game_core::{Deed, ExecutorKind, Game, GameId, PlayerId, Robot, RobotGame, RobotId};
use uuid::Uuid;

use super::super::commands::RoundBatches;
use super::super::scores::Followed;
use super::Image;

/// A player has an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// The transaction of the join that it answers.
    pub(crate) join: Uuid,
    pub(crate) player: PlayerId,
    pub(crate) money: u64,
}

/// A trade that may be told after its round was scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LateTrade {
    pub(crate) game: GameId,
    pub(crate) round: u32,
    pub(crate) deed: Deed,
}

/// What the results of a round's commands tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToldRound {
    pub(crate) trades: Vec<Deed>,
    pub(crate) hits: Vec<Deed>,
    /// Robots that are destroyed when the fights are over.
    pub(crate) fallen: BTreeSet<RobotId>,
}

impl ToldRound {
    /// Robots that were bought.
    pub(crate) fn spawned(&self) -> impl Iterator<Item = RobotId> {
        self.trades.iter().filter_map(|deed| match deed {
            Deed::Spawned { robot, .. } => Some(*robot),
            _ => None,
        })
    }
}

impl Image {
    /// The game that the account is for. Once a round is scored it comes too late: what was traded meanwhile is not in it.
    pub(crate) fn open_account(&mut self, account: &Account) -> Option<GameId> {
        let Account { join, player, money } = *account;
        let joined = |game: &&Arc<Game>| game.roster.transaction_of(player) == Some(join);
        let game = self.active_games().find(joined)?.id;
        self.begin_scores(game, 0);
        let scores = self.scores.get_mut(&game).filter(|scores| scores.scored() == 0)?;
        scores.standings.absorb(&Deed::AccountOpened { player, money });
        Some(game)
    }

    /// Scores that were shown stay as they are; the trade counts from the next round on. False if its round is yet to be scored.
    pub(crate) fn fold_late_trade(&mut self, LateTrade { game, round, deed }: &LateTrade) -> bool {
        let scored = self.scores.get_mut(game).filter(|scores| scores.scored() >= *round);
        scored.map(|scores| scores.standings.absorb(deed)).is_some()
    }

    /// Running games of which nothing was told yet.
    pub(crate) fn games_without_scores(&self) -> impl Iterator<Item = GameId> {
        let unknown = self.active_games().filter(|game| !self.scores.contains_key(&game.id));
        unknown.filter(|game| game.current_round() > 0).map(|game| game.id)
    }

    /// Has somebody who plays no account that is known?
    pub(crate) fn lacks_accounts(&self, game: GameId) -> bool {
        let Some(scores) = self.scores.get(&game) else { return false };
        let Ok(of_game) = self.game(game) else { return false };
        scores.scored() == 0
            && of_game.roster.iter().any(|player| scores.standings.of(player).money.is_none())
    }

    /// The robots that count for the round, as far as they are known.
    pub(crate) fn tracked_robots(&self, game: GameId) -> impl Iterator<Item = RobotId> {
        self.scores.get(&game).into_iter().flat_map(|scores| scores.standings.robots())
    }

    /// The standings after the round. Robots of those who play are in memory, and those that the round tells of.
    pub(crate) fn fold_round(&mut self, id: GameId, round: u32, told: &ToldRound, topics: Followed) {
        let (is_newest, spawned) = (self.is_newest_round(id, round), self.living_robots_in(id));
        let Some(mut standings) = self.scores.get(&id).map(|scores| scores.standings.clone()) else { return };
        if topics.follows(ExecutorKind::Trading) {
            let counts = |deed: &&Deed| topics.robots || !matches!(deed, Deed::Spawned { .. });
            told.trades.iter().filter(counts).for_each(|deed| standings.absorb(deed));
        }
        if topics.follows(ExecutorKind::Robots) {
            let reported = spawned.into_iter().filter(|_| is_newest);
            reported.for_each(|(robot, owner)| standings.absorb(&Deed::Spawned { robot, owner }));
            for hit in &told.hits {
                standings.absorb(hit);
            }
            let is_dead = |robot: &RobotId| self.robot(*robot).is_some_and(|robot| !robot.alive);
            let counts = |robot: &RobotId| is_newest || told.fallen.contains(robot);
            let destroyed: Vec<_> = standings.robots().filter(is_dead).filter(counts).collect();
            for robot in destroyed {
                standings.absorb(&Deed::Destroyed { robot });
            }
        }
        if let Some(scores) = self.scores.get_mut(&id) {
            scores.standings = standings;
        }
    }

    /// Can nothing of a later round have been carried out yet?
    fn is_newest_round(&self, id: GameId, round: u32) -> bool {
        match self.active_game(id) {
            Some(game) => {
                let has_begun = self.collected(id).is_some_and(RoundBatches::is_begun);
                game.current_round() == round + 1 && !has_begun
            }
            None => self.scores(id).is_some_and(|scores| scores.last_round() == Some(round)),
        }
    }

    fn living_robots_in(&self, id: GameId) -> Vec<(RobotId, PlayerId)> {
        let Ok(game) = self.game(id) else { return Vec::new() };
        let is_in = |robot: &Robot| {
            let acts_here = robot.game == RobotGame::Only(id) || robot.game == RobotGame::Own(id);
            robot.alive && acts_here
        };
        let of_player = |player| {
            let robots = self.residents.robots_of(player).filter(move |(_, robot)| is_in(robot));
            robots.map(move |(robot, _)| (robot, player))
        };
        game.roster.iter().flat_map(of_player).collect()
    }
}
