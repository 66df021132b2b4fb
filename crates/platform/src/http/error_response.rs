//! A refused request as a response: the problem's body, and the headers that go with its code.
//! What is refused, and in which words, is decided where it is noticed.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use starkeep_contract::{Code, Problem};

use crate::answer::json_line;
use crate::decision::{Failure, StoreFault};

/// Handlers end with this where they do not end with an answer.
#[derive(Debug)]
pub struct ErrorResponse {
    problem: Box<Problem>,
    is_answered_elsewhere: bool,
}

/// Marks the response to a request that another replica has answered meanwhile: that answer is to be given instead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnsweredElsewhere;

impl ErrorResponse {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Problem::new(code, detail).into()
    }

    /// The storage could not be read. Why is for the log: it may name files of this machine.
    pub fn unreadable(fault: &str) -> Self {
        tracing::error!(%fault, "the storage could not be read");
        Self::new(Code::StorageUnavailable, "the storage could not be read; the service's log says why")
    }

    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

/// A failed write; what the rules refused has been put into words already.
impl From<Failure<Problem>> for ErrorResponse {
    fn from(failure: Failure<Problem>) -> Self {
        match failure {
            Failure::Rejected(problem) => problem.into(),
            Failure::Store(fault @ StoreFault::Refused(_)) => {
                tracing::error!(%fault, "a request failed");
                Self::new(Code::Internal, "the service is at fault, its log says why; nothing was changed")
            }
            Failure::Expired => {
                Self::new(Code::StorageUnavailable, "the storage was busy for too long; nothing was changed")
            }
            Failure::AnsweredElsewhere => {
                let detail = "another replica answered this request meanwhile; nothing was changed";
                Self { is_answered_elsewhere: true, ..Self::new(Code::StorageUnavailable, detail) }
            }
            Failure::Store(fault @ StoreFault::Unavailable(_)) => {
                tracing::warn!(%fault, "a change could not be made durable");
                Self::new(
                    Code::StorageUnavailable,
                    "the change could not be made durable; nothing was changed",
                )
            }
            Failure::Store(StoreFault::DiskFull(_)) => Self::new(
                Code::DiskFull,
                "the server's disk is full; nothing was changed. As soon as it has space again this works again",
            ),
            Failure::Store(fault @ StoreFault::Unknown(_)) => {
                tracing::error!(%fault, "the answer to a commit was lost");
                Self::new(
                    Code::OutcomeUnknown,
                    "the storage did not answer: it is not known whether the change was made",
                )
            }
        }
    }
}

impl From<Problem> for ErrorResponse {
    fn from(problem: Problem) -> Self {
        Self { problem: Box::new(problem), is_answered_elsewhere: false }
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let Self { problem, is_answered_elsewhere } = self;
        let mut response = Response::new(json_line(&problem).into());
        if is_answered_elsewhere {
            response.extensions_mut().insert(AnsweredElsewhere);
        }
        *response.status_mut() =
            StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if problem.status == StatusCode::UNAUTHORIZED.as_u16() {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // A service that cannot answer now is worth another try soon.
        let is_away = problem.status == StatusCode::SERVICE_UNAVAILABLE.as_u16();
        if let Some(seconds) = problem.retry_after_seconds.or(is_away.then_some(1)) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
