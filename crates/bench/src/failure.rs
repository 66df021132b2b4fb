//! What stops a run: a sentence for the person at the terminal, with what was being done in front of it.
//! It is only shown; what a path needs and this machine does not have leaves that path out, and nothing else.

use std::fmt;

#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    is_absence: bool,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_absence: false }
    }

    /// It is not there, and nobody has to look for a fault.
    pub(crate) fn into_absence(self) -> Self {
        Self { is_absence: true, ..self }
    }

    pub(crate) fn is_absence(&self) -> bool {
        self.is_absence
    }

    pub(crate) fn during(self, doing: impl fmt::Display) -> Self {
        Self { what: format!("{doing}: {}", self.what), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
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
