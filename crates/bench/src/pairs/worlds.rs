//! Worlds: how the work grows with them, what the largest takes over HTTP, and who waits for it.
//! Both sides of the first are the generator in this process.

use std::path::Path;

use super::{Measure, Pair};
use crate::failure::Failure;
use crate::sample::Sample;
use crate::worlds::{Generating, LARGEST, LargestWorlds, Work, longest_allowed};

/// A large and a small world.
pub(crate) fn drawing(large: u32, small: u32) -> Pair {
    Pair { ours: generates(large, Work::Draw), bare: generates(small, Work::Draw) }
}

pub(crate) fn balancing(players: u32) -> Pair {
    Pair { ours: generates(players, Work::Generate), bare: generates(players, Work::Draw) }
}

/// Worlds with fewer than 1,000 planets: there is little to draw, so they have a limit of their own.
pub(crate) fn balancing_small(players: u32) -> Pair {
    Pair { ours: generates(players, Work::Generate), bare: Box::new(|_| Ok(longest_allowed())) }
}

fn generates(players: u32, work: Work) -> Measure {
    let mut generating = Generating { players, work, next_seed: 0 };
    Box::new(move |slice| generating.run(slice))
}

/// One world a turn, beside worlds in a second.
pub(crate) fn largest_world(executable: &Path) -> Result<Pair, Failure> {
    let worlds = LargestWorlds::prepare(executable)?;
    let mut drawing = Generating { players: LARGEST, work: Work::Draw, next_seed: 0 };
    Ok(Pair {
        ours: Box::new(move |_| worlds.make()),
        bare: Box::new(move |slice| {
            let drawn = drawing.run(slice)?;
            Ok(Sample { per_second: 1_000_000.0 / drawn.p50_micros, ..drawn })
        }),
    })
}

pub(crate) fn waits_for_largest_world(executable: &Path) -> Result<Pair, Failure> {
    let worlds = LargestWorlds::prepare(executable)?;
    Ok(Pair { ours: Box::new(move |_| worlds.wait_for()), bare: Box::new(|_| Ok(longest_allowed())) })
}
