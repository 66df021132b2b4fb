//! One exchange with a service: sends a request, waits so long and no longer, and reads the answer or the refusal.
//! Which paths there are is known to the clients of the two services.

mod link;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header, request};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use starkeep_contract::Problem;
use starkeep_platform::clock::{Clock, SystemClock, within};
use starkeep_platform::error_chain::error_chain;

use self::link::next_page;
use crate::error::ClientError;

/// The planets of a world for 10,000 players come as one answer.
const LARGEST_ANSWER: usize = 256 * 1024 * 1024;
/// Creating a large game takes a while: its world is made meanwhile.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(crate) struct Caller {
    url: String,
    client: Client<HttpConnector, Full<Bytes>>,
    token: Option<String>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) patience: Duration,
}

/// An answer that has come to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Caller {
    pub(crate) fn new(url: &str) -> Result<Self, ClientError> {
        let parsed = url.parse::<Uri>().ok();
        let usable = parsed.is_some_and(|uri| {
            uri.scheme_str() == Some("http") && uri.host().is_some() && uri.query().is_none()
        });
        if !usable {
            let reason = "an address must look like http://127.0.0.1:8080".to_owned();
            return Err(ClientError::Unreachable { url: format!("`{}`", url.escape_debug()), reason });
        }
        let client = Client::builder(TokioExecutor::new()).build_http();
        let url = url.trim_end_matches('/').to_owned();
        Ok(Self { url, client, token: None, clock: SystemClock::start(), patience: PATIENCE })
    }

    pub(crate) fn show(&mut self, token: &str) {
        self.token = Some(format!("Bearer {token}"));
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let answer = self.exchange(self.request(Method::GET, path), None).await?;
        self.read(&answer)
    }

    /// The list with all of its pages.
    pub(crate) async fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, ClientError> {
        let mut items: Vec<T> = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next.take() {
            let answer = self.exchange(self.request(Method::GET, &path), None).await?;
            let page: Vec<T> = self.read(&answer)?;
            // A page without an item leads nowhere, whatever it says.
            next = next_page(&answer.headers).filter(|_| !page.is_empty());
            items.extend(page);
        }
        Ok(items)
    }

    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let answer = self.exchange(self.request(Method::POST, path), None).await?;
        self.read(&answer)
    }

    pub(crate) async fn put<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let answer = self.exchange(self.request(Method::PUT, path), None).await?;
        self.read(&answer)
    }

    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).expect("the contract's types are plain data");
        let answer = self.exchange(self.request(method, path), Some(body)).await?;
        self.read(&answer)
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), ClientError> {
        let answer = self.exchange(self.request(Method::DELETE, path), None).await?;
        if answer.status.is_success() { Ok(()) } else { Err(self.refusal(&answer)) }
    }

    pub(crate) async fn health<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        let answer = self.exchange(self.request(Method::GET, "/health"), None).await?;
        // A service that is unwell says so with a 503 and tells how it is all the same.
        serde_json::from_slice(&answer.body).or_else(|_| self.read(&answer))
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> request::Builder {
        let request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        match &self.token {
            Some(bearer) => request.header(header::AUTHORIZATION, bearer),
            None => request,
        }
    }

    /// The whole answer, whatever its status.
    pub(crate) async fn exchange(
        &self,
        request: request::Builder,
        body: Option<Vec<u8>>,
    ) -> Result<Answer, ClientError> {
        self.in_time(async { self.rest(self.begin(request, body).await?).await }).await
    }

    /// The answer's head; its body is still to come.
    pub(crate) async fn begin(
        &self,
        request: request::Builder,
        body: Option<Vec<u8>>,
    ) -> Result<Response<Incoming>, ClientError> {
        let request = match &body {
            Some(_) => request.header(header::CONTENT_TYPE, "application/json"),
            None => request,
        };
        let request = request
            .body(Full::from(body.unwrap_or_default()))
            .map_err(|fault| self.unreachable(&format!("the request cannot be made: {fault}")))?;
        self.client.request(request).await.map_err(|fault| self.unreachable(&error_chain(&fault)))
    }

    pub(crate) async fn rest(&self, answer: Response<Incoming>) -> Result<Answer, ClientError> {
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, LARGEST_ANSWER).collect().await;
        let body = body.map_err(|fault| self.unreachable(&format!("its answer broke off: {fault}")))?;
        Ok(Answer { status: head.status, headers: head.headers, body: body.to_bytes() })
    }

    pub(crate) async fn in_time<T>(
        &self,
        exchange: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        let outcome = within(&*self.clock, self.patience, exchange).await;
        outcome.unwrap_or_else(|| Err(self.unreachable(&format!("no answer within {:?}", self.patience))))
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, answer: &Answer) -> Result<T, ClientError> {
        if !answer.status.is_success() {
            return Err(self.refusal(answer));
        }
        serde_json::from_slice(&answer.body).map_err(|fault| self.unreadable(&fault.to_string()))
    }

    /// The problem in the answer; what is none comes from something else, such as a proxy.
    pub(crate) fn refusal(&self, answer: &Answer) -> ClientError {
        if let Ok(mut problem) = serde_json::from_slice::<Problem>(&answer.body) {
            let seconds = answer.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
            problem.retry_after_seconds = seconds.and_then(|seconds| seconds.parse().ok());
            return ClientError::Refused(problem);
        }
        let body: String = String::from_utf8_lossy(&answer.body).chars().take(200).collect();
        self.unreadable(&format!("{} `{}`", answer.status, body.escape_debug()))
    }

    pub(crate) fn unreachable(&self, reason: &str) -> ClientError {
        ClientError::Unreachable { url: self.url.clone(), reason: reason.to_owned() }
    }

    pub(crate) fn unreadable(&self, reason: &str) -> ClientError {
        ClientError::Unreadable { url: self.url.clone(), reason: reason.to_owned() }
    }
}

/// A text as it stands in a query.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let shown = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(shown).collect()
}
