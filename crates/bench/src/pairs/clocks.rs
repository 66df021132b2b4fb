//! What runs by the clock: boundaries of games, and starts on what is there already.
//! Of many games each turn is a process of its own, so that neither side keeps time while the other is measured.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use tempfile::TempDir;

use super::{Measure, Pair};
use crate::failure::Failure;
use crate::lateness::{Deadlines, shifted};
use crate::long_log::{lengthen, read_up_to};
use crate::prepare::{await_retirements, end_games, get_json, start_games};
use crate::program::{Server, home};
use crate::sample::{Sample, Slice};
use crate::several::WORKERS;
use crate::starting::Starting;

/// One game has so few boundaries that several programs keep one each, on both sides, for as long as the path is measured: all of
/// them together are next to nothing for the machine, and what disturbs it disturbs both sides. Each turn looks back on all of them
/// so far.
pub(crate) fn lateness_of_one(
    executable: &Path,
    deadlines: Deadlines,
    programs: usize,
) -> Result<Pair, Failure> {
    let started = (0..programs).map(|_| {
        let starkeep = Server::starkeep_game(executable, &home()?, deadlines.games)?;
        start_games(&starkeep, deadlines)?;
        Ok(starkeep)
    });
    let starkeeps = started.collect::<Result<Vec<_>, Failure>>()?;
    let bare = (0..programs).map(|_| Server::bare_deadlines(deadlines)).collect::<Result<Vec<_>, _>>()?;
    Ok(Pair {
        ours: Box::new(move |slice| met_by_starkeep(&starkeeps, deadlines, slice)),
        bare: Box::new(move |slice| deadlines.met_by(&bare, slice)),
    })
}

/// The games are made and started once; each turn is a process that goes on with them.
pub(crate) fn lateness_of_many(executable: &Path, deadlines: Deadlines) -> Result<Pair, Failure> {
    let mut ours = boundaries(executable, deadlines)?;
    Ok(Pair {
        // Long enough to look back on nothing of the start.
        ours: Box::new(move |slice| ours(slice.times(3))),
        bare: Box::new(move |slice| deadlines.met_by(&[Server::bare_deadlines(deadlines)?], slice)),
    })
}

fn boundaries(executable: &Path, deadlines: Deadlines) -> Result<Measure, Failure> {
    let executable = executable.to_owned();
    let start = move |home: &Arc<TempDir>| Server::starkeep_game(&executable, home, deadlines.games);
    let home = home()?;
    start_games(&start(&home)?, deadlines)?;
    Ok(Box::new(move |slice| met_by_starkeep(&[start(&home)?], deadlines, slice)))
}

fn met_by_starkeep(servers: &[Server], deadlines: Deadlines, slice: Slice) -> Result<Sample, Failure> {
    let mut met = deadlines.met_by(servers, slice)?;
    for server in servers {
        met = met.at_least_as_late_as(shifted(server.address)?);
    }
    Ok(met)
}

/// What boundaries cost: so many in a second of CPU time.
pub(crate) fn boundaries_by_cpu(executable: &Path, deadlines: Deadlines) -> Result<Measure, Failure> {
    let mut boundaries = boundaries(executable, deadlines)?;
    Ok(Box::new(move |slice| {
        // One game has few boundaries, and their time is known only to a hundredth of a second.
        let met = boundaries(slice.times(4))?;
        // A turn may be shorter than a tick of the process's time.
        let seconds = met.cpu_seconds.unwrap_or_default().max(0.01);
        Ok(Sample { per_second: f64::from(met.done) / seconds, p50_micros: 0.0, p99_micros: 0.0, ..met })
    }))
}

/// As much of an answer to `GET /events` as is read here.
#[derive(Deserialize)]
struct EndOfLog {
    next: String,
}

/// A game service with so many ended games, and a log of so many events that everybody has read.
pub(crate) fn starts(executable: &Path, games: u32, log: u32) -> Result<Measure, Failure> {
    let home = home()?;
    let starkeep = Server::starkeep_game(executable, &home, WORKERS)?;
    end_games(&starkeep, games)?;
    await_retirements(&starkeep)?;
    drop(starkeep);
    lengthen(&home, "game", log)?;
    let starkeep = Server::starkeep_game(executable, &home, WORKERS)?;
    let end: EndOfLog = get_json(&starkeep, "/events?after=end&limit=1")?;
    drop(starkeep);
    read_up_to(&home, &end.next)?;
    let starting = Starting { executable: executable.to_owned(), home };
    Ok(Box::new(move |slice| starting.run(slice)))
}
