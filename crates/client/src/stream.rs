//! The resumable event stream with a URL as text and the client's errors.
//! How it connects, resumes and reads is in `starkeep_http_client`.

use std::sync::Arc;

use starkeep_clock::{Chance, Clock, SystemChance, SystemClock};
use starkeep_http_client::{Failure, Item, StartFrom, Token};
use tokio::sync::watch;

use crate::error::{ClientError, parse_url};

/// Every event from where it begins, in order, none twice.
pub struct EventStream {
    url: String,
    events: starkeep_http_client::EventStream,
}

impl EventStream {
    /// Without channels: all of them. It connects with `ready` or the first `next`.
    pub fn open(url: &str, from: StartFrom, channels: &[&str]) -> Result<Self, ClientError> {
        let url = parse_url(url)?;
        let as_text = url.as_str().to_owned();
        let events = starkeep_http_client::EventStream::open(url, SystemClock::start(), from, channels);
        let events = events.with_chance(Arc::new(SystemChance));
        Ok(Self { url: as_text, events })
    }

    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.events = self.events.with_token(Token::new(token));
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.events = self.events.with_clock(clock);
        self
    }

    /// What draws how long it waits between two attempts.
    #[must_use]
    pub fn with_chance(mut self, chance: Arc<dyn Chance>) -> Self {
        self.events = self.events.with_chance(chance);
        self
    }

    /// What to store, to go on with `StartFrom::After` another time; nothing while nothing is known.
    pub fn position(&self) -> Option<&str> {
        self.events.position()
    }

    /// False while the service cannot be reached, for who wants to tell its user.
    pub fn is_reached(&self) -> watch::Receiver<bool> {
        self.events.is_reached()
    }

    /// Returns once it is connected: whatever happens after this is not missed.
    pub async fn ready(&mut self) -> Result<(), ClientError> {
        let outcome = self.events.ready().await;
        outcome.map_err(|failure| self.error(failure))
    }

    /// The next item, however long it takes. Nothing is lost where this is dropped before it has ended.
    pub async fn next(&mut self) -> Result<Item, ClientError> {
        let outcome = self.events.next().await;
        outcome.map_err(|failure| self.error(failure))
    }

    fn error(&self, failure: Failure) -> ClientError {
        ClientError::new(&self.url, failure)
    }
}
