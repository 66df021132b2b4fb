//! Makes the plan of a violation smaller: whatever can be left out of it without the violation going away is.

use starkeep_simulation::{Plan, PlantedBug};

use crate::child::simulate_in_child;

/// The places of the faults that are not needed.
pub(crate) fn not_needed(seed: u64, planted: Option<PlantedBug>) -> Vec<usize> {
    let mut without = Vec::new();
    for place in 0..Plan::draw(seed).faults.len() {
        without.push(place);
        if simulate_in_child(seed, &without, planted).violations.is_empty() {
            without.pop();
        }
    }
    without
}
