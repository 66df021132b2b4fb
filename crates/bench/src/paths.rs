//! The measured paths, one row each: what is measured, beside what, and how good is good enough.
//! A new path is a further row in the file of its subject and, in `pairs`, a function that prepares both of its sides.

mod games;
mod growth;
mod memory;
mod postgres;
mod requests;
mod streams;
mod worlds;

use std::path::Path;

use crate::failure::Failure;
use crate::pairs::Pair;

/// One row of the report.
pub(crate) struct MeasuredPath {
    /// What `--only` takes.
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) beside: &'static str,
    /// The least ratio, ours to bare, that is good enough.
    pub(crate) at_least: f64,
    pub(crate) figure: Figure,
    pub(crate) mode: Mode,
    /// Starts and prepares both sides, given the executable of the real program.
    pub(crate) prepare: fn(&Path) -> Result<Pair, Failure>,
}

/// What a ratio is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    /// How much was done in a second.
    Rate,
    /// By how much the latest hundredth of what has its time came after it.
    Lateness,
    /// How much memory the process has.
    Memory,
}

/// When a path is measured, unless it is asked for by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// In every run.
    Quick,
    /// Only where there is time for it.
    Full,
}

pub(crate) fn all() -> impl Iterator<Item = &'static MeasuredPath> {
    [
        requests::REQUESTS,
        streams::STREAMS,
        games::GAMES,
        memory::MEMORY,
        worlds::WORLDS,
        growth::GROWTH,
        postgres::POSTGRES,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_a_name_of_its_own_and_a_ratio_to_reach() {
        let mut names: Vec<_> = all().map(|path| path.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(all().all(|path| path.at_least > 0.0));
    }
}
