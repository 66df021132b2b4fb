//! What the clients of both services have in common: where the service is, the token, the time-out, and its health.
//! The endpoints are in `game` and `map`.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::Clock;
use starkeep_contract::health::Health;

use crate::error::ClientError;
use crate::http::JsonCaller;

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

    /// Also answered by a service that is failing.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.caller.health().await
    }
}
