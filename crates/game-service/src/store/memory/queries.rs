//! The port's questions, answered from the tables in memory.
//! They mirror the queries in `sql`.

use std::cmp::Reverse;

use starkeep_game_core::{CommandId, Game, GameId, Player, Robot, RobotId, State};

use super::{CommandRow, Tables};
use crate::domain::BatchId;
use crate::ports::{Age, KeptCommand, KeptRound, PlayerSearch};

pub(crate) fn ended_game(tables: &Tables, id: GameId) -> Option<Game> {
    tables.games.get(&id).cloned()
}

/// Newest first, after the given one.
pub(crate) fn ended_games(tables: &Tables, after: Option<Age>, limit: usize) -> Vec<Game> {
    let age = |game: &Game| (game.created_at, game.id);
    let wanted =
        |game: &&Game| matches!(game.state, State::Ended(_)) && after.is_none_or(|after| age(game) < after);
    let mut games: Vec<_> = tables.games.values().filter(wanted).cloned().collect();
    games.sort_unstable_by_key(|game| Reverse(age(game)));
    games.truncate(limit);
    games
}

/// In no order.
pub(crate) fn ended_game_ids(tables: &Tables) -> Vec<GameId> {
    let ended = tables.games.values().filter(|game| matches!(game.state, State::Ended(_)));
    ended.map(|game| game.id).collect()
}

pub(crate) fn command(tables: &Tables, id: CommandId) -> Option<KeptCommand> {
    Some(kept(tables, tables.commands.get(tables.command_ids.get(&id)?)?))
}

/// In the order in which they were taken.
pub(crate) fn carried_out(tables: &Tables, game: GameId, round: u32) -> Vec<KeptCommand> {
    let rows = tables.commands.range((game, 0)..=(game, u64::MAX)).map(|(_, row)| row);
    rows.filter(|row| row.command.round == round && !row.replaced).map(|row| kept(tables, row)).collect()
}

fn kept(tables: &Tables, row: &CommandRow) -> KeptCommand {
    let command = (*row.command).clone();
    let batch = BatchId { game: command.game, round: command.round, kind: command.order.kind() };
    let batch = tables.batches.get(&batch).copied();
    KeptCommand { command, replaced: row.replaced, batch, result: row.result.clone() }
}

pub(crate) fn round(tables: &Tables, game: GameId, round: u32) -> Option<KeptRound> {
    let id = *tables.rounds.get(&(game, round))?;
    let rows = tables.commands.range((game, 0)..=(game, u64::MAX)).map(|(_, row)| row);
    let kept = rows.filter(|row| row.command.round == round && !row.replaced);
    Some(KeptRound { id, commands: kept.map(|row| (*row.command).clone()).collect() })
}

pub(crate) fn players(tables: &Tables, searches: &[PlayerSearch]) -> Vec<Player> {
    let found = searches.iter().filter_map(|search| tables.players.find(search));
    found.map(|player| (**player).clone()).collect()
}

pub(crate) fn robots(tables: &Tables, ids: &[RobotId]) -> Vec<(RobotId, Robot)> {
    ids.iter().filter_map(|id| Some((*id, *tables.robots.get(id)?))).collect()
}
