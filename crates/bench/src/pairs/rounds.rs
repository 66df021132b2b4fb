//! Rounds that take as long as their commands need: large ones, and those of bots that are ready at once.
//! Beside them, a bare server that makes as many commits.

use std::path::Path;

use super::writes::{bare_commits, rows};
use super::{Measure, Pair, under_load};
use crate::bare::Stored;
use crate::failure::Failure;
use crate::http;
use crate::large_round::LargeRounds;
use crate::program::Server;
use crate::turbo::Turbos;

/// Enough that the bare server always has a full batch waiting.
const COMMITTERS: usize = 256;

/// What has to be on the disk before the next can begin, in a round of a move or a mining each: the commands, the players' being
/// ready, the end of the input, the robots' orders and their results, the results in the game, the round's end.
const DEPENDENT_COMMITS: u32 = 7;

pub(crate) fn large_rounds(executable: &Path) -> Result<Pair, Failure> {
    Ok(Pair { ours: large_round(executable, 100)?, bare: bare_commits(Stored::RowAndEvent, COMMITTERS)? })
}

/// Of a hundred players with so many robots each.
pub(crate) fn large_round(executable: &Path, robots_of_each: usize) -> Result<Measure, Failure> {
    let mut rounds = LargeRounds::prepare(executable, robots_of_each)?;
    Ok(Box::new(move |_| rounds.run()))
}

/// A chain of commits for each game, all at once.
pub(crate) fn turbo_beside_commits(executable: &Path, games: u32) -> Result<Pair, Failure> {
    let bare = Server::bare_commit(Stored::RowAndEvent)?;
    let body = format!(r#"{{"commits":{DEPENDENT_COMMITS}}}"#);
    let chain = |row: &String| http::post(bare.address, &format!("/chains/{row}"), &body);
    let chains: Vec<_> = rows(games as usize).iter().map(chain).collect();
    Ok(Pair { ours: turbo(executable, games, true)?, bare: under_load(bare, chains, games as usize, 204) })
}

pub(crate) fn turbo(executable: &Path, games: u32, with_commands: bool) -> Result<Measure, Failure> {
    let mut turbo = Turbos::prepare(executable, games, with_commands)?;
    Ok(Box::new(move |slice| turbo.run(slice)))
}
