//! The same work at a larger and at a smaller size, both done by the real program.
//! What a unit costs is to stay the same, within half as much again.

use std::path::Path;

use super::reads::{READERS, looks_up};
use super::rounds::large_round;
use super::streams::{SHORT, resumes};
use super::{Measure, Pair, clocks, streams};
use crate::failure::Failure;
use crate::lateness::Deadlines;
use crate::prepare::{self, create_world};
use crate::program::{Server, home};

/// The least that can be asked for.
const SHORTEST_ROUND: u32 = 100;

/// Look-ups in worlds for so many players, a tenth of their planets.
pub(crate) fn planets(executable: &Path, large: u32, small: u32) -> Result<Pair, Failure> {
    let world = |players| -> Result<Measure, Failure> {
        let starkeep = Server::starkeep_map(executable, &home()?)?;
        let world = create_world(&starkeep, players, 1)?;
        let planets = prepare::planets(&starkeep, &world)?;
        Ok(looks_up(starkeep, &planets, &[], READERS))
    };
    Ok(Pair { ours: world(large)?, bare: world(small)? })
}

/// Boundaries of so many games, beside those of one.
pub(crate) fn games(executable: &Path, many: Deadlines) -> Result<Pair, Failure> {
    let one = Deadlines { games: 1, round_millis: SHORTEST_ROUND };
    let [ours, bare] = [many, one].map(|deadlines| clocks::boundaries_by_cpu(executable, deadlines));
    Ok(Pair { ours: ours?, bare: bare? })
}

/// Events delivered to so many readers, beside those to one.
pub(crate) fn readers(executable: &Path, many: usize) -> Result<Pair, Failure> {
    streams::readers(executable, many, 1)
}

pub(crate) fn log(executable: &Path, events: u32) -> Result<Pair, Failure> {
    Ok(Pair { ours: resumes(executable, events)?, bare: resumes(executable, SHORT)? })
}

/// A hundred players with so many robots each, beside one each.
pub(crate) fn robots(executable: &Path, of_each: usize) -> Result<Pair, Failure> {
    Ok(Pair { ours: large_round(executable, of_each)?, bare: large_round(executable, 1)? })
}
