//! What a stream asks a service for: the stream itself from a position on, and where the log ends.
//! It also decides which failures are worth another attempt.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, header};
use serde::Deserialize;
use starkeep_clock::Clock;
use starkeep_contract::events::KEEP_ALIVE_MILLIS;

use super::StartFrom;
use crate::call::Call;
use crate::caller::{Caller, Connections, Timeout};
use crate::failure::Failure;
use crate::network::AnswerBody;
use crate::query::encode_query;
use crate::service_url::ServiceUrl;
use crate::token::Token;

/// An attempt that got no answer for so long is given up.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The end of the log is asked for with the one event before it.
const LARGEST_PAGE: usize = 32 * 1024 * 1024;
const STREAM: &str = "text/event-stream";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) struct Source {
    caller: Caller,
    clock: Arc<dyn Clock>,
    from: StartFrom,
    path: String,
}

pub(super) enum ConnectFailure {
    /// Worth another attempt.
    Transient(String),
    Permanent(Failure),
}

impl Source {
    pub(super) fn new(url: ServiceUrl, clock: Arc<dyn Clock>, from: StartFrom, channels: &[&str]) -> Self {
        let timeout = Timeout { clock: clock.clone(), after: TIMEOUT };
        let caller = Caller::new(url, Connections::Pooled).with_timeout(timeout);
        let after = match &from {
            StartFrom::Start => "start".to_owned(),
            StartFrom::End => "end".to_owned(),
            StartFrom::After(position) => encode_query(position),
        };
        let channels = match channels {
            [] => String::new(),
            names => format!("&channels={}", encode_query(&names.join(","))),
        };
        let path = format!("/events?after={after}{channels}");
        Self { caller, clock, from, path }
    }

    pub(super) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        let timeout = Timeout { clock: clock.clone(), after: TIMEOUT };
        self.caller = self.caller.clone().with_timeout(timeout);
        self.clock = clock;
    }

    pub(super) fn set_token(&mut self, token: Token) {
        self.caller = self.caller.clone().with_token(Some(token));
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(super) fn from(&self) -> &StartFrom {
        &self.from
    }

    pub(super) fn url(&self) -> &str {
        self.caller.url()
    }

    /// The position of the newest event.
    pub(super) async fn end(&self) -> Result<String, ConnectFailure> {
        let call = Call::get(format!("{}&limit=1", self.path))
            .header(header::ACCEPT, HeaderValue::from_static("application/json"))
            .largest_answer(LARGEST_PAGE);
        let page = self.caller.send(&call).await.and_then(|answer| answer.json::<Page>());
        Ok(page.map_err(|failure| classify(&call, failure))?.next)
    }

    /// The stream after the position, or from where it shall begin; and how long it is silent at most, if the service says so.
    pub(super) async fn connect(
        &self,
        position: Option<&str>,
    ) -> Result<(AnswerBody, Option<Duration>), ConnectFailure> {
        let mut call = Call::get(&self.path).header(header::ACCEPT, HeaderValue::from_static(STREAM));
        if let Some(position) = position {
            let position = HeaderValue::from_bytes(position.as_bytes());
            let position = position.map_err(|_| permanent("its position cannot be sent back"))?;
            call = call.header(LAST_EVENT_ID, position);
        }
        let answer = self.caller.open(&call).await.map_err(|failure| classify(&call, failure))?;
        let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default();
        if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case(STREAM)) {
            return Err(permanent(&format!("`{}` is no event stream", kind.escape_debug())));
        }
        let silent =
            answer.headers().get(KEEP_ALIVE_MILLIS).and_then(|millis| millis.to_str().ok()?.parse().ok());
        Ok((answer.into_body(), silent.map(Duration::from_millis)))
    }
}

fn classify(call: &Call, failure: Failure) -> ConnectFailure {
    if failure.may_retry(call) {
        ConnectFailure::Transient(failure.to_string())
    } else {
        ConnectFailure::Permanent(failure)
    }
}

fn permanent(reason: &str) -> ConnectFailure {
    ConnectFailure::Permanent(Failure::Unreadable(reason.to_owned()))
}

/// All that is needed of a page.
#[derive(Deserialize)]
struct Page {
    next: String,
}
