//! The mistakes that can be planted: each must be found, or the checks are worth nothing.

use starkeep_simulation::PlantedBug;

use crate::args::Args;
use crate::child::{again, simulate_in_child};

/// Whether each is found by one of the seeds.
pub(crate) fn find_all(args: &Args) -> bool {
    let mut are_found = true;
    for bug in PlantedBug::ALL {
        let found = args.seeds.clone().find_map(|seed| {
            let report = simulate_in_child(seed, &[], Some(bug));
            report.violations.into_iter().next().map(|sentence| (seed, sentence))
        });
        if let Some((seed, sentence)) = found {
            let sentence: String = sentence.lines().next().unwrap_or_default().chars().take(160).collect();
            println!("{bug:?}: found with {}: {sentence}", again(seed, &[], Some(bug)).join(" "));
        } else {
            are_found = false;
            println!("{bug:?}: NOT FOUND by any of the seeds {:?}", args.seeds);
        }
    }
    are_found
}
