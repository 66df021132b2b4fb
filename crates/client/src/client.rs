//! What the clients of both services have in common: where the service is, the token, the patience, and its health.
//! Which endpoints there are stands in `game` and `map`.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use starkeep_contract::health::Health;
use starkeep_platform::clock::Clock;

use crate::error::ClientError;
use crate::http::Caller;

/// A client of one of the services; the type says of which.
#[derive(Clone)]
pub struct Client<Service> {
    pub(crate) caller: Caller,
    service: PhantomData<Service>,
}

impl<Service> Client<Service> {
    /// `url` as in `http://127.0.0.1:8080`. Nothing is sent yet.
    pub fn new(url: &str) -> Result<Self, ClientError> {
        Ok(Self { caller: Caller::new(url)?, service: PhantomData })
    }

    /// Shows the admin token with every request.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.caller.show(token);
        self
    }

    /// How long an answer is waited for; 30 s unless told.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.caller.patience = patience;
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.caller.clock = clock;
        self
    }

    /// Answers also when the service is unwell.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.caller.health().await
    }
}
