//! What of a scenario is counted: everything between entering and leaving one function.
//! callgrind writes down its counts when that function is entered and when it is left, and knows it by its name.

use std::hint::black_box;

/// How callgrind is told which function it is, whatever a compiler adds to the name.
pub(crate) const PATTERN: &str = "*counted_part*";

/// Runs `work` so often that what happens once, or by chance, hardly weighs. Called once in a scenario.
pub(crate) fn count(times: u32, mut work: impl FnMut()) {
    counted_part(times, &mut work);
}

/// A function of its own in the executable: never inlined, and left only when all is done.
#[inline(never)]
fn counted_part(times: u32, work: &mut dyn FnMut()) -> u32 {
    for _ in 0..times {
        work();
    }
    black_box(times)
}
