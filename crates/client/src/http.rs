//! The common HTTP caller with the contract's types: JSON in and out, lists with all of their pages.
//! Which paths there are is known to the clients of each service.

mod link;

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Method, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use starkeep_clock::{Clock, SystemClock};
use starkeep_http_client::{Answer, Call, Caller, Connections, Failure, Timeout, Token};

use self::link::next_page;
use crate::error::{ClientError, parse_url};

/// The planets of a world for 10,000 players come as one answer.
const LARGEST_ANSWER: usize = 256 * 1024 * 1024;
/// Creating a large game takes a while: its world is made meanwhile.
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(crate) struct JsonCaller {
    caller: Caller,
    timeout: Timeout,
}

impl JsonCaller {
    pub(crate) fn new(url: &str) -> Result<Self, ClientError> {
        let timeout = Timeout { clock: SystemClock::start(), after: TIMEOUT };
        let caller = Caller::new(parse_url(url)?, Connections::Pooled).with_timeout(timeout.clone());
        Ok(Self { caller, timeout })
    }

    pub(crate) fn set_token(&mut self, token: &str) {
        self.caller = self.caller.clone().with_token(Some(Token::new(token)));
    }

    pub(crate) fn set_timeout(&mut self, after: Duration) {
        self.timeout.after = after;
        self.caller = self.caller.clone().with_timeout(self.timeout.clone());
    }

    pub(crate) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.timeout.clock = clock;
        self.caller = self.caller.clone().with_timeout(self.timeout.clone());
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        // Events come as a stream otherwise.
        let json = HeaderValue::from_static("application/json");
        self.read(&self.call(Call::get(path).header(header::ACCEPT, json)).await?)
    }

    pub(crate) async fn exchange<T: DeserializeOwned>(&self, call: Call) -> Result<T, ClientError> {
        self.read(&self.call(call).await?)
    }

    /// What is no JSON document.
    pub(crate) async fn text(&self, path: &str) -> Result<String, ClientError> {
        let answer = self.call(Call::get(path)).await?;
        let text = String::from_utf8(answer.body.to_vec());
        text.map_err(|fault| self.error(Failure::Unreadable(fault.to_string())))
    }

    /// The list with all of its pages.
    pub(crate) async fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, ClientError> {
        let mut items: Vec<T> = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next.take() {
            let answer = self.call(Call::get(path)).await?;
            let page: Vec<T> = self.read(&answer)?;
            // An empty page is the last one, whatever its links are.
            next = next_page(&answer.headers).filter(|_| !page.is_empty());
            items.extend(page);
        }
        Ok(items)
    }

    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.read(&self.call(Call::once(Method::POST, path)).await?)
    }

    pub(crate) async fn put<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.read(&self.call(Call::once(Method::PUT, path)).await?)
    }

    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.read(&self.call(Call::once(method, path).json(body)).await?)
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), ClientError> {
        self.call(Call::once(Method::DELETE, path)).await.map(drop)
    }

    pub(crate) async fn health<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        let call = Call::get("/health").largest_answer(LARGEST_ANSWER);
        let answer = self.caller.exchange(&call).await.map_err(|failure| self.error(failure))?;
        // A failing service answers 503, with its health as the body all the same.
        answer.json().or_else(|_| {
            let success = answer.into_success().map_err(|failure| self.error(failure))?;
            self.read(&success)
        })
    }

    async fn call(&self, call: Call) -> Result<Answer, ClientError> {
        let call = call.largest_answer(LARGEST_ANSWER);
        self.caller.send(&call).await.map_err(|failure| self.error(failure))
    }

    fn read<T: DeserializeOwned>(&self, answer: &Answer) -> Result<T, ClientError> {
        answer.json().map_err(|failure| self.error(failure))
    }

    fn error(&self, failure: Failure) -> ClientError {
        ClientError::new(self.caller.url(), failure)
    }
}
