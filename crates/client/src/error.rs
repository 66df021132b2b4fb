//! How a request can fail: it was refused, the service cannot be reached, or its answer cannot be read.
//! Only after the first of them is it certain that nothing was changed.

use http::StatusCode;
use starkeep_contract::Problem;
use starkeep_contract::problem::Kind;
use starkeep_http_client::{Failure, ServiceUrl};

const GATEWAY: [StatusCode; 3] =
    [StatusCode::BAD_GATEWAY, StatusCode::SERVICE_UNAVAILABLE, StatusCode::GATEWAY_TIMEOUT];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The problem that the service answered; `code` is what a program branches on.
    #[error("{}", .0.detail)]
    Refused(Problem),
    /// No answer: whether the request took effect is not known.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable { url: String, reason: String },
    /// An answer that does not conform to the contract.
    #[error("{url} gave an answer that cannot be read: {reason}")]
    Unreadable { url: String, reason: String },
}

impl ClientError {
    /// Whether the same request may be answered otherwise after a while.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused(problem) => {
                matches!(problem.code.kind(), Kind::Away | Kind::TooMany | Kind::TooSlow)
            }
            Self::Unreadable { .. } => false,
        }
    }

    pub(crate) fn new(url: &str, failure: Failure) -> Self {
        let url = url.to_owned();
        match failure {
            Failure::NotSent(reason) | Failure::NoAnswer(reason) => Self::Unreachable { url, reason },
            Failure::Unreadable(reason) => Self::Unreadable { url, reason },
            Failure::Refused(refusal) => match refusal.problem {
                Some(problem) => Self::Refused(problem),
                // A proxy says that its service is away.
                None if GATEWAY.contains(&refusal.status) => {
                    Self::Unreachable { url, reason: refusal.to_string() }
                }
                None => Self::Unreadable { url, reason: refusal.to_string() },
            },
        }
    }
}

pub(crate) fn parse_url(url: &str) -> Result<ServiceUrl, ClientError> {
    ServiceUrl::parse(url).map_err(|_| ClientError::Unreachable {
        url: format!("`{}`", url.escape_debug()),
        reason: if url.starts_with("https:") {
            "TLS is not spoken here, so an address must look like http://127.0.0.1:8080".to_owned()
        } else {
            "an address must look like http://127.0.0.1:8080".to_owned()
        },
    })
}
