//! The HTTP caller: sends a call to one service, waits for a limited time, and returns how it failed.
//! It never sends a request twice by itself; `Failure::may_retry` returns whether its user may.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use starkeep_clock::{Clock, within};

use crate::answer::Answer;
use crate::call::{Call, Repeat};
use crate::failure::{Failure, Refusal};
use crate::network::{AnswerBody, Transport};
use crate::service_url::ServiceUrl;
use crate::token::Token;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

#[derive(Clone)]
pub struct Caller {
    url: ServiceUrl,
    transport: Transport,
    token: Option<Token>,
    timeout: Option<Timeout>,
}

/// How a caller connects.
#[derive(Clone, Copy, Debug)]
pub enum Connections {
    /// Connections are kept and used again. One that was closed meanwhile, before a byte of the request was written to it,
    /// is replaced by another: such a request has certainly not arrived.
    Pooled,
    /// Each call has a connection of its own and is written to no other. One that is kept may be closed by the other side
    /// at any instant, and then nobody knows what arrived. A connection that does not come about in time is `NotSent`.
    OnePerCall { connect_timeout: Duration },
}

/// A call without a whole answer after this long is given up.
#[derive(Clone)]
pub struct Timeout {
    pub clock: Arc<dyn Clock>,
    pub after: Duration,
}

impl Caller {
    /// Without a token; without a time-out, which is for callers whose user has one around each call.
    pub fn new(url: ServiceUrl, connections: Connections) -> Self {
        let transport = match url.network() {
            Some(network) => Transport::Other(network.clone()),
            None => Transport::Machine(connections.client()),
        };
        Self { url, transport, token: None, timeout: None }
    }

    #[must_use]
    pub fn with_token(mut self, token: Option<Token>) -> Self {
        self.token = token;
        self
    }

    #[must_use]
    pub fn with_timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The whole answer, whatever its status.
    pub async fn exchange(&self, call: &Call) -> Result<Answer, Failure> {
        self.in_time(async { read(self.begin(call).await?, call.largest_answer).await }).await
    }

    /// The whole answer if it is a success; any other is `Refused`.
    pub async fn send(&self, call: &Call) -> Result<Answer, Failure> {
        self.exchange(call).await?.into_success()
    }

    /// The head of a success, whose body is still to come. Any other answer is `Refused` by its status, also if its body is
    /// too large or breaks off: that body is only for a message.
    pub async fn open(&self, call: &Call) -> Result<Response<AnswerBody>, Failure> {
        self.in_time(async {
            let answer = self.begin(call).await?;
            if answer.status().is_success() {
                return Ok(answer);
            }
            let (status, headers) = (answer.status(), answer.headers().clone());
            let body = read(answer, call.largest_answer).await.map(|answer| answer.body);
            Err(Failure::Refused(Box::new(Refusal::new(status, &headers, body.unwrap_or_default()))))
        })
        .await
    }

    async fn begin(&self, call: &Call) -> Result<Response<AnswerBody>, Failure> {
        let request = self
            .request(call)
            .map_err(|fault| Failure::NotSent(format!("the request cannot be built: {fault}")))?;
        self.transport.exchange(request).await
    }

    fn request(&self, call: &Call) -> Result<Request<Full<Bytes>>, http::Error> {
        let mut request = Request::builder().method(&call.method).uri(self.url.path(&call.path));
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token.header()?);
        }
        if let Repeat::Keyed(key) = &call.repeat {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        if call.body.is_some() {
            request = request.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        request.body(Full::new(call.body.clone().unwrap_or_default()))
    }

    async fn in_time<T>(&self, exchange: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let Some(Timeout { clock, after }) = &self.timeout else { return exchange.await };
        let outcome = within(&**clock, *after, exchange).await;
        outcome.unwrap_or_else(|| Err(Failure::NoAnswer(format!("no answer within {after:?}"))))
    }
}

impl Connections {
    fn client(self) -> Client<HttpConnector, Full<Bytes>> {
        let mut builder = Client::builder(TokioExecutor::new());
        match self {
            Self::Pooled => builder.build_http(),
            Self::OnePerCall { connect_timeout } => {
                let mut connector = HttpConnector::new();
                connector.set_nodelay(true);
                connector.set_connect_timeout(Some(connect_timeout));
                builder.pool_max_idle_per_host(0).retry_canceled_requests(false).build(connector)
            }
        }
    }
}

async fn read(answer: Response<AnswerBody>, largest: usize) -> Result<Answer, Failure> {
    let (head, body) = answer.into_parts();
    let body = Limited::new(body, largest).collect().await;
    let body = body.map_err(|fault| Failure::NoAnswer(format!("its answer broke off: {fault}")))?;
    Ok(Answer { status: head.status, headers: head.headers, body: body.to_bytes() })
}
