//! The events of a service as they happen: connects, reconnects by itself, and resumes where it was.
//! A gap is an item of the stream; only a failure that reconnecting cannot solve is an error.

mod outage;
mod request;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use serde::Deserialize;
use starkeep_clock::{Chance, Clock, Monotonic, error_chain};
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, Gap, PublishedEvent};
use tokio::sync::watch;

use self::outage::{End, Outage};
use self::request::{ConnectFailure, Source};
use crate::failure::Failure;
use crate::network::AnswerBody;
use crate::service_url::ServiceUrl;
use crate::sse::{Parser, SseItem};
use crate::token::Token;

/// A service sends at least a comment as often as it says, or every 15 s.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A connection that is silent for so many times as long is given up.
const MISSED: u32 = 3;

/// Where a stream begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartFrom {
    /// Before the oldest kept event.
    Start,
    /// Now: when the service is first reached, which is when `ready` returns.
    End,
    /// After this position, as `EventStream::position` gave it.
    After(String),
}

#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all items are events, which would be boxed for nothing"
)]
pub enum Item {
    Event(PublishedEvent),
    /// Between the items before and after it events may be missing.
    Gap(Gap),
}

impl Item {
    /// After which a stream goes on that has seen this item.
    pub fn position(&self) -> &str {
        match self {
            Self::Event(event) => &event.id,
            Self::Gap(gap) => &gap.resumes_after,
        }
    }
}

/// Every event from where it begins, in order, none twice.
pub struct EventStream {
    source: Source,
    /// Of the last item that was given out.
    position: Option<String>,
    connection: Option<Connection>,
    /// Received and not given out yet.
    received: VecDeque<SseItem>,
    outage: Outage,
    /// False from the loss of a connection, or a failed attempt, until the next one.
    is_reached: watch::Sender<bool>,
}

struct Connection {
    body: AnswerBody,
    parser: Parser,
    /// After which it is given up.
    longest_silence: Duration,
    /// Since when `next` waits without a byte having come. Time in which nobody calls `next` does not count.
    silent_since: Option<Monotonic>,
}

impl EventStream {
    /// Without channels: all of them. It connects with `ready` or the first `next`.
    pub fn open(url: ServiceUrl, clock: Arc<dyn Clock>, from: StartFrom, channels: &[&str]) -> Self {
        let outage = Outage::new(&*clock);
        let source = Source::new(url, clock, from, channels);
        let (received, is_reached) = (VecDeque::new(), watch::Sender::new(true));
        Self { source, position: None, connection: None, received, outage, is_reached }
    }

    #[must_use]
    pub fn with_token(mut self, token: Token) -> Self {
        self.source.set_token(token);
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.outage = self.outage.with_clock(&*clock);
        self.source.set_clock(clock);
        self
    }

    /// Draws how long it waits between two attempts, so that many clients do not come back at once.
    #[must_use]
    pub fn with_chance(mut self, chance: Arc<dyn Chance>) -> Self {
        self.outage = self.outage.with_chance(chance);
        self
    }

    /// Logs nothing of lost connections: for who watches the service in another way and tells of it there.
    #[must_use]
    pub fn unlogged(mut self) -> Self {
        self.outage = self.outage.unlogged();
        self
    }

    /// What to store, to go on with `StartFrom::After` another time; nothing while nothing is known.
    pub fn position(&self) -> Option<&str> {
        match (&self.position, self.source.from()) {
            (Some(position), _) | (None, StartFrom::After(position)) => Some(position),
            (None, _) => None,
        }
    }

    /// False while the service cannot be reached, for who wants to tell its user.
    pub fn is_reached(&self) -> watch::Receiver<bool> {
        self.is_reached.subscribe()
    }

    /// Returns once it is connected: whatever happens after this is not missed.
    pub async fn ready(&mut self) -> Result<(), Failure> {
        while self.connection.is_none() {
            self.outage.pass(self.source.clock()).await;
            match self.connect().await {
                Ok((body, keep_alive)) => {
                    let longest_silence = keep_alive.unwrap_or(KEEP_ALIVE).saturating_mul(MISSED);
                    let parser = Parser::default();
                    self.connection = Some(Connection { body, parser, longest_silence, silent_since: None });
                    self.is_reached.send_replace(true);
                }
                Err(ConnectFailure::Transient(reason)) => self.disconnect(End::Broken, &reason),
                Err(ConnectFailure::Permanent(failure)) => {
                    self.outage.rest(self.source.clock());
                    return Err(failure);
                }
            }
        }
        Ok(())
    }

    /// The next item, however long it takes. Nothing is lost where this is dropped before it has ended.
    pub async fn next(&mut self) -> Result<Item, Failure> {
        loop {
            while let Some(item) = self.received.pop_front() {
                if let Some(item) = self.interpret(item)? {
                    return Ok(item);
                }
            }
            self.ready().await?;
            self.receive().await?;
        }
    }

    async fn connect(&mut self) -> Result<(AnswerBody, Option<Duration>), ConnectFailure> {
        if self.position.is_none() && *self.source.from() == StartFrom::End {
            // A stream that breaks before its first event would otherwise begin at another end.
            self.position = Some(self.source.end().await?);
        }
        self.source.connect(self.position.as_deref()).await
    }

    /// Waits for some bytes, or for the end of the connection.
    async fn receive(&mut self) -> Result<(), Failure> {
        let Some(connection) = &mut self.connection else { return Ok(()) };
        let clock = self.source.clock();
        let longest = connection.longest_silence;
        let deadline = connection.silent_since.get_or_insert_with(|| clock.monotonic()).after(longest);
        let frame = tokio::select! {
            biased;
            frame = connection.body.frame() => frame,
            () = clock.sleep_until(deadline) => {
                self.disconnect(End::Broken, &format!("nothing was received for {longest:?}"));
                return Ok(());
            }
        };
        match frame {
            None => self.disconnect(End::Closed, "it was closed"),
            Some(Err(fault)) => self.disconnect(End::Broken, &error_chain(&*fault)),
            Some(Ok(frame)) => {
                connection.silent_since = None;
                let bytes = frame.into_data().unwrap_or_default();
                let outcome = connection.parser.push(&bytes, &mut self.received);
                self.outage.is_over(self.source.url());
                if outcome.is_err() {
                    self.disconnect(End::Broken, "an event was too large");
                    return Err(Failure::Unreadable("an event was too large".to_owned()));
                }
            }
        }
        Ok(())
    }

    fn interpret(&mut self, item: SseItem) -> Result<Option<Item>, Failure> {
        let (name, id, data) = match item {
            SseItem::Retry(wait) => {
                self.outage.wait_at_least(wait);
                return Ok(None);
            }
            SseItem::Id(id) => {
                self.position = Some(id);
                return Ok(None);
            }
            SseItem::Event { name, id, data } => (name, id, data),
        };
        let bad = |fault: serde_json::Error| Failure::Unreadable(format!("event `{name}`: {fault}"));
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
        let Data { headers, payload, about } = read?;
        let id = self.position.clone().unwrap_or_default();
        Ok(Some(Item::Event(PublishedEvent { id, channel, headers, payload, about })))
    }

    fn disconnect(&mut self, end: End, reason: &str) {
        self.connection = None;
        self.is_reached.send_replace(false);
        self.outage.begin(self.source.clock(), self.source.url(), end, reason);
    }
}

/// What stands in the `data` of an event.
#[derive(Deserialize)]
struct Data {
    headers: EventHeaders,
    payload: serde_json::Value,
    #[serde(default)]
    about: EventAbout,
}
