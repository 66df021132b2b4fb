//! How a call can fail, and which failures allow to send it again.
//! The classes differ in what is known about the request: whether it has arrived, and whether it took effect.

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use starkeep_contract::Problem;

use crate::call::Call;

/// So much is shown of a body that is not a problem of the contract.
const LONGEST_EXCERPT: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No connection came about: the request has certainly not arrived.
    #[error("{0}")]
    NotSent(String),
    /// No whole answer: the request may have arrived, and may have taken effect.
    #[error("{0}")]
    NoAnswer(String),
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// A success whose content is not what was expected.
    #[error("{0}")]
    Unreadable(String),
}

impl Failure {
    /// May the call be sent again after this failure?
    ///
    /// - `NotSent`: always, as nothing has arrived.
    /// - `NoAnswer`: only a call that is repeatable (it reads, or has an idempotency key); any other might take effect twice.
    /// - `Refused`: only a repeatable call, and only if the refusal is transient: the service is at fault, overloaded, or
    ///   not reached by a proxy. A request that is wrong stays wrong.
    /// - `Unreadable`: never, as the answer would be the same.
    pub fn may_retry(&self, call: &Call) -> bool {
        match self {
            Self::NotSent(_) => true,
            Self::NoAnswer(_) => call.is_repeatable(),
            Self::Refused(refusal) => call.is_repeatable() && refusal.is_transient(),
            Self::Unreadable(_) => false,
        }
    }
}

/// An answer whose status is no success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: StatusCode,
    /// The problem that the service answered. None if something else answered, such as a proxy.
    pub problem: Option<Problem>,
    /// As it came; empty where it could not be read to its end.
    pub body: Bytes,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, body: Bytes) -> Self {
        let mut problem = serde_json::from_slice::<Problem>(&body).ok();
        if let Some(problem) = &mut problem {
            let seconds = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
            problem.retry_after_seconds = seconds.and_then(|seconds| seconds.parse().ok());
        }
        Self { status, problem, body }
    }

    /// The body as text, whatever it is.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The beginning of the body, for a message.
    pub fn excerpt(&self) -> String {
        self.text().chars().take(LONGEST_EXCERPT).collect()
    }

    fn is_transient(&self) -> bool {
        self.status.is_server_error()
            || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&self.status)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.problem {
            Some(problem) => f.write_str(&problem.detail),
            None => write!(f, "{} `{}`", self.status, self.excerpt().escape_debug()),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    fn refused(status: u16) -> Failure {
        let status = StatusCode::from_u16(status).unwrap();
        Failure::Refused(Box::new(Refusal { status, problem: None, body: Bytes::new() }))
    }

    #[test]
    fn only_what_cannot_take_effect_twice_may_be_sent_again() {
        let (reads, keyed) = (Call::get("/games"), Call::keyed(Method::POST, "/gameworlds", "key"));
        let once = [Method::POST, Method::PUT, Method::DELETE].map(|method| Call::once(method, "/games"));
        let text = || "reason".to_owned();
        for (failure, repeatable, other) in [
            (Failure::NotSent(text()), true, true),
            (Failure::NoAnswer(text()), true, false),
            (Failure::Unreadable(text()), false, false),
            (refused(500), true, false),
            (refused(503), true, false),
            (refused(408), true, false),
            (refused(429), true, false),
            (refused(404), false, false),
            (refused(302), false, false),
        ] {
            assert_eq!(failure.may_retry(&reads), repeatable, "{failure:?}");
            assert_eq!(failure.may_retry(&keyed), repeatable, "{failure:?}");
            for once in &once {
                assert_eq!(failure.may_retry(once), other, "{failure:?}");
            }
        }
    }
}
