//! What a stream asks a service for: the stream itself from a position on, and where the log ends.
//! It also decides which failures pass by themselves.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Method, StatusCode, header};
use hyper::body::Incoming;
use serde::Deserialize;
use starkeep_platform::clock::Clock;

use super::From;
use crate::error::ClientError;
use crate::http::{Answer, Caller, encoded};

/// An attempt that got no answer for so long is given up.
const PATIENCE: Duration = Duration::from_secs(10);
const STREAM: &str = "text/event-stream";

pub(super) struct Source {
    caller: Caller,
    from: From,
    url: String,
    path: String,
}

pub(super) enum Failure {
    /// Worth another attempt.
    Passing(String),
    Lasting(ClientError),
}

impl Source {
    pub(super) fn new(url: &str, from: From, channels: &[&str]) -> Result<Self, ClientError> {
        let mut caller = Caller::new(url)?;
        caller.patience = PATIENCE;
        let after = match &from {
            From::Start => "start".to_owned(),
            From::End => "end".to_owned(),
            From::After(position) => encoded(position),
        };
        let channels = match channels {
            [] => String::new(),
            names => format!("&channels={}", encoded(&names.join(","))),
        };
        let path = format!("/events?after={after}{channels}");
        Ok(Self { caller, from, url: url.to_owned(), path })
    }

    pub(super) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.caller.clock = clock;
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.caller.clock
    }

    pub(super) fn from(&self) -> &From {
        &self.from
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn unreadable(&self, reason: &str) -> ClientError {
        self.caller.unreadable(reason)
    }

    /// The position of the newest event.
    pub(super) async fn end(&self) -> Result<String, Failure> {
        let request = self.caller.request(Method::GET, &format!("{}&limit=1", self.path));
        let request = request.header(header::ACCEPT, "application/json");
        let answer = self.caller.exchange(request, None).await.map_err(passing)?;
        if answer.status != StatusCode::OK {
            return Err(self.refusal(&answer));
        }
        let page: Page = self.caller.read(&answer).map_err(Failure::Lasting)?;
        Ok(page.next)
    }

    /// The stream after the position, or from where it shall begin.
    pub(super) async fn connect(&self, position: Option<&str>) -> Result<Incoming, Failure> {
        let mut request = self.caller.request(Method::GET, &self.path).header(header::ACCEPT, STREAM);
        if let Some(position) = position {
            let position = HeaderValue::from_bytes(position.as_bytes());
            let position = position.map_err(|_| self.lasting("its position cannot be sent back"))?;
            request = request.header("last-event-id", position);
        }
        let answer = async {
            let answer = self.caller.begin(request, None).await?;
            match answer.status() {
                StatusCode::OK => Ok(Ok(answer)),
                _ => Ok(Err(self.caller.rest(answer).await?)),
            }
        };
        let answer = match self.caller.in_time(answer).await.map_err(passing)? {
            Ok(answer) => answer,
            Err(refusal) => return Err(self.refusal(&refusal)),
        };
        let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default();
        if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case(STREAM)) {
            return Err(self.lasting(&format!("`{}` is no event stream", kind.escape_debug())));
        }
        Ok(answer.into_body())
    }

    /// A service that is at fault, or a proxy before one that is away, may be well again; a request that is wrong stays wrong.
    fn refusal(&self, answer: &Answer) -> Failure {
        let error = self.caller.refusal(answer);
        let passes = answer.status.is_server_error()
            || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&answer.status);
        if passes { passing(error) } else { Failure::Lasting(error) }
    }

    fn lasting(&self, reason: &str) -> Failure {
        Failure::Lasting(self.unreadable(reason))
    }
}

fn passing(error: ClientError) -> Failure {
    Failure::Passing(match error {
        ClientError::Unreachable { reason, .. } | ClientError::Unreadable { reason, .. } => reason,
        ClientError::Refused(problem) => problem.detail,
    })
}

/// All that is needed of a page.
#[derive(Deserialize)]
struct Page {
    next: String,
}
