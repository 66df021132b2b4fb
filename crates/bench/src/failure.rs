//! What stops a run: a sentence for the person at the terminal, with what was being done in front of it.
//! Nothing here is ever handled, only shown, so one text is all it holds.

use std::fmt;

#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }

    pub(crate) fn during(self, doing: impl fmt::Display) -> Self {
        Self(format!("{doing}: {}", self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Turns any error into a [`Failure`] that says what was being done.
pub(crate) trait During<T> {
    fn during(self, doing: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> During<T> for Result<T, E> {
    fn during(self, doing: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(format!("{doing}: {error}")))
    }
}
