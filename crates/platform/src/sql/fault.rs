//! Why a statement failed, by what the batch has to do about it.

/// The texts are for the log and never reach a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SqlFault {
    /// A constraint of the tables refuses the row.
    #[error("{0}")]
    Constraint(String),
    /// A stored value that no version of ours wrote.
    #[error("{0}")]
    Unreadable(String),
    /// The database cannot be read or written, or is away.
    #[error("{0}")]
    Unavailable(String),
}

impl SqlFault {
    pub fn unreadable(text: impl std::fmt::Display) -> Self {
        Self::Unreadable(text.to_string())
    }
}
