//! What runs by the clock: boundaries of games, and starts on what is there already.
//! Each turn is a process of its own, so that neither side keeps time while the other is measured.

use std::path::Path;

use super::{Measure, Pair};
use crate::failure::Failure;
use crate::lateness::{Deadlines, shifted};
use crate::long_log::lengthen;
use crate::prepare::{CLIENTS, end_games, start_games};
use crate::program::{Server, home};
use crate::sample::Sample;
use crate::starting::Starting;

/// The games are made and started once; each turn is a process that goes on with them.
pub(crate) fn lateness(executable: &Path, deadlines: Deadlines) -> Result<Pair, Failure> {
    let ours = boundaries(executable, deadlines)?;
    Ok(Pair {
        ours,
        bare: Box::new(move |slice| {
            let bare = Server::bare_deadlines(deadlines)?;
            bare.metered(|| deadlines.met_at(bare.address, slice))
        }),
    })
}

fn boundaries(executable: &Path, deadlines: Deadlines) -> Result<Measure, Failure> {
    let home = home()?;
    let starkeep = Server::starkeep_game(executable, &home, deadlines.games)?;
    start_games(&starkeep, deadlines)?;
    drop(starkeep);
    let executable = executable.to_owned();
    Ok(Box::new(move |slice| {
        let starkeep = Server::starkeep_game(&executable, &home, deadlines.games)?;
        let met = starkeep.metered(|| deadlines.met_at(starkeep.address, slice))?;
        Ok(met.at_least_as_late_as(shifted(starkeep.address)?))
    }))
}

/// What boundaries cost: so many in a second of CPU time.
pub(crate) fn boundaries_by_cpu(executable: &Path, deadlines: Deadlines) -> Result<Measure, Failure> {
    let mut boundaries = boundaries(executable, deadlines)?;
    Ok(Box::new(move |slice| {
        let met = boundaries(slice)?;
        // A turn may be shorter than a tick of the process's time.
        let seconds = met.cpu_seconds.unwrap_or_default().max(0.01);
        Ok(Sample { per_second: f64::from(met.done) / seconds, p50_micros: 0.0, p99_micros: 0.0, ..met })
    }))
}

/// A game service with so many ended games, and a log of so many events.
pub(crate) fn starts(executable: &Path, games: u32, log: u32) -> Result<Measure, Failure> {
    let home = home()?;
    let starkeep = Server::starkeep_game(executable, &home, CLIENTS)?;
    end_games(&starkeep, games)?;
    drop(starkeep);
    lengthen(&home, "game", log)?;
    let starting = Starting { executable: executable.to_owned(), home };
    Ok(Box::new(move |slice| starting.run(slice)))
}
