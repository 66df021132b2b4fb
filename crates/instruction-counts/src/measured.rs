//! What of a scenario is counted: everything between two calls of one function, in all threads.
//! callgrind writes down what it has counted so far each time when that function is entered, and knows it by its name.

use std::hint::black_box;

/// How callgrind is told which function it is, whatever a compiler adds to the name.
pub(crate) const BORDER: &str = "*border_of_measured_part*";

/// Runs `work` so often that what happens once, or by chance, hardly weighs. Called once in a scenario.
pub(crate) fn count(times: u32, mut work: impl FnMut()) {
    border_of_measured_part(times);
    for _ in 0..times {
        work();
    }
    border_of_measured_part(times);
}

/// A function of its own in the executable.
#[inline(never)]
fn border_of_measured_part(times: u32) {
    black_box(times);
}
