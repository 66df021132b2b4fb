//! A caller of one service: sends a request over a real socket and gives back the whole answer.
//! It follows nothing and repeats nothing; what a client of the services would see is what a test sees.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, header};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::reply::Reply;
use crate::time_limit::within_limit;

#[derive(Clone)]
pub struct Caller {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
    headers: HeaderMap,
}

impl Caller {
    pub fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { address, client, headers: HeaderMap::new() }
    }

    /// The same caller, who shows a token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        self.with(header::AUTHORIZATION, &format!("Bearer {token}"))
    }

    /// The same caller, who names every request.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        self.with(header::HeaderName::from_static("idempotency-key"), key)
    }

    /// The same caller, who wants pages of events and no stream.
    #[must_use]
    pub fn wanting_json(&self) -> Self {
        self.with(header::ACCEPT, "application/json")
    }

    fn with(&self, name: header::HeaderName, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.insert(name, value.parse().unwrap());
        caller
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, &Value::Null).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.call(Method::POST, path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Reply {
        self.call(Method::PUT, path, body).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Reply {
        self.call(Method::PATCH, path, body).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.call(Method::DELETE, path, &Value::Null).await
    }

    /// A request with any text for a body, which is called JSON; none where it is empty.
    pub async fn ask(&self, method: Method, path: &str, text: String) -> Reply {
        let awaited = format!("the answer to {method} {path}");
        let answer = within_limit(&awaited, self.try_ask(method, path, text)).await;
        answer.unwrap_or_else(|fault| panic!("{awaited}: {fault}"))
    }

    /// Sends the request now, whatever becomes of it; the task ends with the answer, or without one.
    pub fn post_meanwhile(&self, path: &str, body: &Value) -> JoinHandle<Option<Reply>> {
        let (caller, path, body) = (self.clone(), path.to_owned(), body.clone());
        tokio::spawn(async move {
            within_limit("an answer or its absence", caller.try_call(Method::POST, &path, &body)).await.ok()
        })
    }

    /// The answer, or none where the service is gone.
    pub async fn get_unless_gone(&self, path: &str) -> Option<Reply> {
        within_limit("an answer or its absence", self.try_call(Method::GET, path, &Value::Null)).await.ok()
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Reply {
        self.ask(method, path, text_of(body)).await
    }

    async fn try_call(&self, method: Method, path: &str, body: &Value) -> Result<Reply, String> {
        self.try_ask(method, path, text_of(body)).await
    }

    async fn try_ask(&self, method: Method, path: &str, text: String) -> Result<Reply, String> {
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        request.headers_mut().unwrap().extend(self.headers.clone());
        if !text.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(Full::from(Bytes::from(text))).unwrap();
        let answer = self.client.request(request).await.map_err(|fault| format!("{fault:?}"))?;
        Reply::read(answer).await.map_err(|fault| fault.to_string())
    }
}

fn text_of(body: &Value) -> String {
    if body.is_null() { String::new() } else { body.to_string() }
}
