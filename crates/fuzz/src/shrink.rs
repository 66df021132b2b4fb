//! Makes an input that goes wrong smaller: piece after piece is left out, as long as it still goes wrong without it.

/// No more than so many attempts: each may open a service.
const MOST_ATTEMPTS: usize = 5_000;

/// Pieces up to here are left out wherever they begin: a field of JSON goes only together with its comma.
const SMALL: usize = 16;

/// An input from which no small piece can be left out, or what was reached within the attempts.
pub fn smallest(input: &[u8], goes_wrong: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut shrinking = Shrinking { best: input.to_vec(), goes_wrong, attempts: 0 };
    let mut size = input.len();
    while size > 0 {
        shrinking.leave_out(size, size);
        size /= 2;
    }
    // What could not be left out before may be once other things are gone.
    while (1..=SMALL).rev().any(|size| shrinking.leave_out(size, 1)) {}
    shrinking.best
}

struct Shrinking<F> {
    best: Vec<u8>,
    goes_wrong: F,
    attempts: usize,
}

impl<F: FnMut(&[u8]) -> bool> Shrinking<F> {
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
