//! Makes an input that goes wrong smaller: piece after piece is left out, as long as it still goes wrong without it.
//! Whole parts first, where it has several: they take longest to try.

use crate::judged::parts;
use crate::target::SEPARATOR;

/// No more than so many attempts: each may open a service.
const MOST_ATTEMPTS: usize = 5_000;

/// Pieces up to here are left out wherever they begin: a field of JSON goes only together with its comma.
const SMALL: usize = 16;

/// An input from which no small piece can be left out, or what was reached within the attempts.
pub fn smallest(input: &[u8], mut goes_wrong: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let with = |parts: &[&[u8]]| goes_wrong(&parts.join(SEPARATOR));
    let mut of_parts = Shrinking { best: parts(input), goes_wrong: with, attempts: 0 };
    of_parts.halve();
    let (input, attempts) = (of_parts.best.join(SEPARATOR), of_parts.attempts);
    let mut of_bytes = Shrinking { best: input, goes_wrong, attempts };
    of_bytes.halve();
    // What could not be left out before may be once other things are gone.
    while (1..=SMALL).rev().any(|size| of_bytes.leave_out(size, 1)) {}
    of_bytes.best
}

struct Shrinking<T, F> {
    best: Vec<T>,
    goes_wrong: F,
    attempts: usize,
}

impl<T: Clone, F: FnMut(&[T]) -> bool> Shrinking<T, F> {
    /// Leaves out large pieces, then smaller ones.
    fn halve(&mut self) {
        let mut size = self.best.len();
        while size > 0 {
            self.leave_out(size, size);
            size /= 2;
        }
    }

    /// Tries to do without each piece of this size that begins where a step leads. Whether there was one.
    fn leave_out(&mut self, size: usize, step: usize) -> bool {
        let mut has_shrunk = false;
        let mut place = 0;
        while place < self.best.len() && self.attempts < MOST_ATTEMPTS {
            self.attempts += 1;
            let end = self.best.len().min(place + size);
            let without = [&self.best[..place], &self.best[end..]].concat();
            if (self.goes_wrong)(&without) {
                self.best = without;
                has_shrunk = true;
            } else {
                place += step;
            }
        }
        has_shrunk
    }
}
