//! How a request can fail: the service said no, is not there, or is no such service.
//! Only the first of them tells for certain that nothing was changed.

use starkeep_contract::Problem;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The service's own words; `code` is what a program branches on.
    #[error("{}", .0.detail)]
    Refused(Problem),
    /// No answer: whether the request took effect is not known.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable { url: String, reason: String },
    /// An answer that is not of the contract.
    #[error("{url} gave an answer that cannot be read: {reason}")]
    Unreadable { url: String, reason: String },
}
