//! Standings, scored rounds and results of commands in the tables in memory.
//! They mirror `sql/scores`.

use imbl::OrdMap;
use starkeep_game_core::{Game, GameId, PlayerId, RobotId, Standing, State, TrackedRobot};

use super::Tables;
use crate::domain::{BatchId, Image, Known, RecordedNews};
use crate::ports::KeptScore;

#[derive(Clone, Debug, Default)]
pub(super) struct ScoreTables {
    /// The last round that is scored, or that will not be.
    scored: OrdMap<GameId, u32>,
    standings: OrdMap<(GameId, PlayerId), Standing>,
    robots: OrdMap<(GameId, RobotId), TrackedRobot>,
    rounds: OrdMap<(GameId, u32, PlayerId), KeptScore>,
}

impl ScoreTables {
    fn forget_robots(&mut self, game: GameId) {
        self.robots = self.robots.iter().filter(|((of, _), _)| *of != game).map(|(k, v)| (*k, *v)).collect();
    }

    pub(super) fn delete_game(&mut self, game: GameId) {
        self.scored.remove(&game);
        self.forget_robots(game);
        let others = self.standings.iter().filter(|((of, _), _)| *of != game);
        self.standings = others.map(|(key, standing)| (*key, *standing)).collect();
        let others = self.rounds.iter().filter(|((of, ..), _)| *of != game);
        self.rounds = others.map(|(key, score)| (*key, *score)).collect();
    }
}

impl Tables {
    pub(super) fn record_news(&mut self, news: &RecordedNews) -> Result<(), String> {
        for (game, round) in &news.begun {
            self.begin_scores(*game, *round)?;
        }
        for (game, player, standing) in &news.standings {
            self.check_scored(*game)?;
            self.scores.standings.insert((*game, *player), *standing);
        }
        for (game, id, robot) in &news.robots {
            self.check_scored(*game)?;
            match robot {
                Some(robot) => self.scores.robots.insert((*game, *id), *robot),
                None => self.scores.robots.remove(&(*game, *id)),
            };
        }
        for result in &news.results {
            let row = self.command_ids.get(&result.command).and_then(|at| self.commands.get_mut(at));
            if let Some(row) = row {
                row.result = Some(result.clone());
            }
        }
        self.positions.extend(news.position.clone());
        Ok(())
    }

    fn begin_scores(&mut self, game: GameId, round: u32) -> Result<(), String> {
        if !self.games.contains_key(&game) {
            return Err(format!("there is no game {game}"));
        }
        self.scores.scored.entry(game).or_insert(round);
        Ok(())
    }

    fn check_scored(&self, game: GameId) -> Result<(), String> {
        let known = self.scores.scored.contains_key(&game);
        if known { Ok(()) } else { Err(format!("game {game} is not scored")) }
    }

    /// From the round of this batch on the game is scored.
    pub(super) fn begin_scores_with(&mut self, BatchId { game, round, .. }: BatchId) {
        if self.games.get(&game).is_some_and(|game| matches!(game.state, State::Running(_))) {
            self.scores.scored.entry(game).or_insert(round.saturating_sub(1));
        }
    }

    pub(super) fn score_round(
        &mut self,
        game: GameId,
        round: u32,
        rows: &[(PlayerId, Standing)],
        known: Known,
    ) -> Result<(), String> {
        self.check_scored(game)?;
        self.scores.scored.insert(game, round);
        for (player, standing) in rows {
            let score = KeptScore {
                round,
                player: *player,
                money: standing.money,
                robots_alive: standing.robots_alive,
                mined: standing.mined.total(),
                fights_won: standing.fights_won,
                known,
            };
            if self.scores.rounds.insert((game, round, *player), score).is_some() {
                return Err(format!("round {round} of game {game} is scored already"));
            }
        }
        // After the last round nothing is told of robots any longer.
        if self.games.get(&game).is_some_and(|game| last_round(game).is_some_and(|last| last <= round)) {
            self.scores.forget_robots(game);
        }
        Ok(())
    }
}

fn last_round(game: &Game) -> Option<u32> {
    if let State::Ended(ended) = &game.state { Some(ended.last_round) } else { None }
}

/// Games with rounds that are yet to be scored.
pub(super) fn load(tables: &Tables, image: &mut Image) {
    for (game, scored) in &tables.scores.scored {
        let last = tables.games.get(game).and_then(last_round);
        if last.is_none_or(|last| *scored < last) {
            image.begin_scores(*game, *scored);
            if let Some(last) = last {
                image.scored_game_ended(*game, last);
            }
        }
    }
    for ((game, player), standing) in &tables.scores.standings {
        image.put_standing(*game, *player, *standing);
    }
    for ((game, id), robot) in &tables.scores.robots {
        image.put_tracked_robot(*game, *id, Some(*robot));
    }
    for (batch, position) in &tables.batch_positions {
        if image.scores(batch.game).is_some_and(|scores| batch.round > scores.scored()) {
            image.note_answer(*batch, position);
        }
    }
}

/// None if nothing was ever told of the game.
pub(crate) fn standings(tables: &Tables, game: GameId) -> Option<Vec<(PlayerId, Standing)>> {
    tables.scores.scored.get(&game)?;
    let rows = tables.scores.standings.iter().filter(|((of, _), _)| *of == game);
    Some(rows.map(|((_, player), standing)| (*player, *standing)).collect())
}

/// In the order of the rounds.
pub(crate) fn scores(tables: &Tables, game: GameId) -> Vec<KeptScore> {
    tables.scores.rounds.iter().filter(|((of, ..), _)| *of == game).map(|(_, score)| *score).collect()
}
