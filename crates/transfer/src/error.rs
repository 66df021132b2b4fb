//! Why a file could not be written or read, in words for a person.

use std::io;
use std::path::PathBuf;

use starkeep_platform::sql::transfer::CarryFault;

#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("{0} exists already; choose another name, or remove it")]
    Exists(PathBuf),
    #[error("{path} is no file of `starkeep export` or `starkeep backup`: {reason}")]
    Foreign { path: PathBuf, reason: String },
    #[error("{path} was written by a newer version{by}: {what}; use that version")]
    Newer { path: PathBuf, by: String, what: String },
    #[error(
        "{0} was written by an earlier development version, whose files no later one reads; nothing was imported"
    )]
    Development(PathBuf),
    #[error("{path} is damaged and nothing was taken from it: {reason}")]
    Damaged { path: PathBuf, reason: String },
    #[error("{path} does not fit: {reason}; nothing was imported")]
    Unfit { path: PathBuf, reason: String },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("interrupted; nothing was left behind")]
    Stopped,
    #[error(transparent)]
    Carry(CarryFault),
}

impl TransferError {
    /// Whether it was asked for something that cannot be; otherwise something failed on the way.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Exists(_)
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Development(_)
            | Self::Damaged { .. }
            | Self::Unfit { .. } => true,
            Self::Carry(fault) => matches!(fault, CarryFault::Refused(_)),
            Self::Io { .. } | Self::Stopped => false,
        }
    }
}

/// Marks an error of the rows' side that is none of the file: somebody wants no more of it.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(crate) struct StoppedByWatcher;

pub(crate) fn stopped() -> io::Error {
    io::Error::other(StoppedByWatcher)
}

fn is_stopped(fault: &io::Error) -> bool {
    let inner = fault.get_ref();
    inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<StoppedByWatcher>)
}

/// What a fault of a place is, given that rows come from, or go to, the file at this path.
pub(crate) fn carried(fault: CarryFault, path: &std::path::Path) -> TransferError {
    match fault {
        CarryFault::Rows(source) if is_stopped(&source) => TransferError::Stopped,
        CarryFault::Rows(source) if source.kind() == io::ErrorKind::InvalidData => {
            TransferError::Damaged { path: path.to_owned(), reason: source.to_string() }
        }
        CarryFault::Rows(source) => TransferError::Io { path: path.to_owned(), source },
        fault => TransferError::Carry(fault),
    }
}
