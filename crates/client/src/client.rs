//! What the clients of both services have in common: where the service is, the token, the time-out, and its health.
//! The endpoints are in `game` and `map`.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde::Serialize;
use serde_json::value::RawValue;
use starkeep_clock::Clock;
use starkeep_contract::GameId;
use starkeep_contract::events::EventPage;
use starkeep_contract::health::Health;
use starkeep_http_client::encode_query;

use crate::error::ClientError;
use crate::http::JsonCaller;

/// So many events come at once, as long as there are as many.
pub const LARGEST_PAGE: usize = 1000;

/// A client of one of the services; the type says of which.
#[derive(Clone)]
pub struct Client<Service> {
    pub(crate) caller: JsonCaller,
    service: PhantomData<Service>,
}

impl<Service> Client<Service> {
    /// `url` as in `http://127.0.0.1:8080`. Nothing is sent yet.
    pub fn new(url: &str) -> Result<Self, ClientError> {
        Ok(Self { caller: JsonCaller::new(url)?, service: PhantomData })
    }

    /// Sends the admin token with every request.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.caller.set_token(token);
        self
    }

    /// How long an answer is waited for. Default: 30 s.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.caller.set_timeout(timeout);
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.caller.set_clock(clock);
        self
    }

    /// Up to [`LARGEST_PAGE`] events of a game after the position, or after `start` or `end`, of these channels.
    pub async fn events_after(
        &self,
        position: &str,
        game: GameId,
        channels: &[&str],
    ) -> Result<EventPage, ClientError> {
        let (position, channels) = (encode_query(position), encode_query(&channels.join(",")));
        let path = format!("/events?after={position}&gameId={game}&channels={channels}&limit={LARGEST_PAGE}");
        self.caller.get(&path).await
    }

    /// The answer as the service wrote it, with what this version does not know: for who hands it on.
    pub async fn get_raw(&self, path: &str) -> Result<Box<RawValue>, ClientError> {
        self.caller.get(path).await
    }

    /// The elements of a list with all of its pages, as the service wrote them.
    pub async fn list_raw(&self, path: &str) -> Result<Vec<Box<RawValue>>, ClientError> {
        self.caller.list(path).await
    }

    /// Sends a body and gives back the answer as the service wrote it.
    pub async fn send_raw(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Box<RawValue>, ClientError> {
        self.caller.send(method, path, body).await
    }

    /// The same without a body.
    pub async fn post_raw(&self, path: &str) -> Result<Box<RawValue>, ClientError> {
        self.caller.post(path).await
    }

    /// Also answered by a service that is failing.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.caller.health().await
    }
}
