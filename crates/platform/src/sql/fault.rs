//! Why a statement failed, by what the batch has to do about it.

use crate::decision::StoreFault;

/// The texts are for the log and never reach a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SqlFault {
    /// A constraint of the tables refuses the row.
    #[error("{0}")]
    Constraint(String),
    /// A stored value that no version of ours wrote.
    #[error("{0}")]
    Unreadable(String),
    #[error("the disk is full: {0}")]
    DiskFull(String),
    /// The database cannot be read or written, or is away.
    #[error("{0}")]
    Unavailable(String),
}

/// What it means for the change that the statement belongs to; nothing of it was made.
impl From<SqlFault> for StoreFault {
    fn from(fault: SqlFault) -> Self {
        match fault {
            SqlFault::Constraint(fault) => Self::Refused(fault),
            SqlFault::DiskFull(fault) => Self::DiskFull(fault),
            SqlFault::Unreadable(fault) | SqlFault::Unavailable(fault) => Self::Unavailable(fault),
        }
    }
}

impl SqlFault {
    pub fn unreadable(text: impl std::fmt::Display) -> Self {
        Self::Unreadable(text.to_string())
    }
}
