//! The events of a service as they happen: connects, comes back by itself, and goes on where it was.
//! What may be missing is told as a value; only what coming back cannot mend is an error.

mod outage;
mod request;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde::Deserialize;
use starkeep_contract::events::{Channel, EventHeaders, Gap, PublishedEvent};
use starkeep_platform::clock::{Clock, Monotonic};
use starkeep_platform::error_chain::error_chain;

use self::outage::Outage;
use self::request::{Failure, Source};
use crate::error::ClientError;
use crate::sse::{Parser, Said};

/// A service says something every 15 s: who is silent for three times as long is not there any longer.
const SILENCE: Duration = Duration::from_secs(45);

/// Where a stream begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// Before the oldest kept event.
    Start,
    /// Now: when the service is first reached, which `ready` tells.
    End,
    /// After this position, as `EventStream::position` gave it.
    After(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Event(PublishedEvent),
    /// Between the items before and after it events may be missing.
    Gap(Gap),
}

/// Every event from where it begins, in order, none twice.
pub struct EventStream {
    source: Source,
    /// Of the last item that was given out.
    position: Option<String>,
    line: Option<Line>,
    /// What was heard and not given out yet.
    heard: VecDeque<Said>,
    outage: Outage,
}

/// A connection.
struct Line {
    body: Incoming,
    parser: Parser,
    /// Since when nothing is heard although somebody listens.
    silent_since: Option<Monotonic>,
}

impl EventStream {
    /// Without channels: all of them. It connects with `ready` or the first `next`.
    pub fn open(url: &str, from: From, channels: &[&str]) -> Result<Self, ClientError> {
        let source = Source::new(url, from, channels)?;
        let outage = Outage::new(source.clock());
        Ok(Self { source, position: None, line: None, heard: VecDeque::new(), outage })
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.outage = Outage::new(&*clock);
        self.source.set_clock(clock);
        self
    }

    /// What to store, to go on with `From::After` another time; nothing while nothing is known.
    pub fn position(&self) -> Option<&str> {
        match (&self.position, self.source.from()) {
            (Some(position), _) | (None, From::After(position)) => Some(position),
            (None, _) => None,
        }
    }

    /// Returns once it is connected: whatever happens after this is not missed.
    pub async fn ready(&mut self) -> Result<(), ClientError> {
        while self.line.is_none() {
            self.outage.pass(self.source.clock()).await;
            match self.connect().await {
                Ok(body) => {
                    self.line = Some(Line { body, parser: Parser::default(), silent_since: None });
                }
                Err(Failure::Passing(reason)) => self.lose(&reason),
                Err(Failure::Lasting(error)) => {
                    self.outage.rest(self.source.clock());
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The next item, however long it takes. Nothing is lost where this is dropped before it has ended.
    pub async fn next(&mut self) -> Result<Item, ClientError> {
        loop {
            while let Some(said) = self.heard.pop_front() {
                if let Some(item) = self.understand(said)? {
                    return Ok(item);
                }
            }
            self.ready().await?;
            self.listen().await?;
        }
    }

    async fn connect(&mut self) -> Result<Incoming, Failure> {
        if self.position.is_none() && *self.source.from() == From::End {
            // A stream that breaks before its first event would otherwise begin at another end.
            self.position = Some(self.source.end().await?);
        }
        self.source.connect(self.position.as_deref()).await
    }

    /// Waits for some bytes, or for the end of the connection.
    async fn listen(&mut self) -> Result<(), ClientError> {
        let Some(line) = &mut self.line else { return Ok(()) };
        let clock = self.source.clock();
        let deadline = line.silent_since.get_or_insert_with(|| clock.monotonic()).after(SILENCE);
        let frame = tokio::select! {
            biased;
            frame = line.body.frame() => frame,
            () = clock.sleep_until(deadline) => {
                self.lose(&format!("nothing was heard for {SILENCE:?}"));
                return Ok(());
            }
        };
        match frame {
            None => self.lose("it was closed"),
            Some(Err(fault)) => self.lose(&error_chain(&fault)),
            Some(Ok(frame)) => {
                line.silent_since = None;
                let bytes = frame.into_data().unwrap_or_default();
                let outcome = line.parser.push(&bytes, &mut self.heard);
                self.outage.is_over(self.source.url());
                if outcome.is_err() {
                    self.lose("an event was too large");
                    return Err(self.source.unreadable("an event was too large"));
                }
            }
        }
        Ok(())
    }

    fn understand(&mut self, said: Said) -> Result<Option<Item>, ClientError> {
        let (name, id, data) = match said {
            Said::Retry(wait) => {
                self.outage.wait_at_least(wait);
                return Ok(None);
            }
            Said::Id(id) => {
                self.position = Some(id);
                return Ok(None);
            }
            Said::Event { name, id, data } => (name, id, data),
        };
        let bad = |fault: serde_json::Error| self.source.unreadable(&format!("event `{name}`: {fault}"));
        if name == "gap" {
            let gap: Gap = serde_json::from_str(&data).map_err(bad)?;
            self.position = Some(gap.resumes_after.clone());
            return Ok(Some(Item::Gap(gap)));
        }
        let read = serde_json::from_str::<Data>(&data).map_err(bad);
        // Also past an event that cannot be read: it would not become readable by reading it again.
        self.position = id.or(self.position.take());
        // A newer service has channels that are not known here; nobody asked for them by name.
        let Some(channel) = Channel::from_name(&name) else { return Ok(None) };
        let Data { headers, payload } = read?;
        let id = self.position.clone().unwrap_or_default();
        Ok(Some(Item::Event(PublishedEvent { id, channel, headers, payload })))
    }

    fn lose(&mut self, reason: &str) {
        self.line = None;
        self.outage.begin(self.source.clock(), self.source.url(), reason);
    }
}

/// What stands in the `data` of an event.
#[derive(Deserialize)]
struct Data {
    headers: EventHeaders,
    payload: serde_json::Value,
}
