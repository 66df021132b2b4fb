//! A caller of one service: sends a request over a real socket and gives back the whole answer.
//! It follows nothing and repeats nothing; what a client of the services would see is what a test sees.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::time_limit::within_limit;

#[derive(Clone)]
pub(crate) struct Caller {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
    headers: HeaderMap,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// Null where there is no body, and a string where it is no JSON.
    pub(crate) body: Value,
}

impl Answer {
    /// The answer's body, given that it has this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }
}

impl Caller {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { address, client, headers: HeaderMap::new() }
    }

    /// The same caller, who shows a token.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        self.with(header::AUTHORIZATION, &format!("Bearer {token}"))
    }

    /// The same caller, who names every request.
    pub(crate) fn with_key(&self, key: &str) -> Self {
        self.with(header::HeaderName::from_static("idempotency-key"), key)
    }

    /// The same caller, who wants pages of events and no stream.
    pub(crate) fn wanting_json(&self) -> Self {
        self.with(header::ACCEPT, "application/json")
    }

    fn with(&self, name: header::HeaderName, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.insert(name, value.parse().unwrap());
        caller
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, &Value::Null).await
    }

    /// The body of a success exactly as it came.
    pub(crate) async fn get_text(&self, path: &str) -> String {
        let mut request =
            Request::builder().method(Method::GET).uri(format!("http://{}{path}", self.address));
        request.headers_mut().unwrap().extend(self.headers.clone());
        let answer = self.client.request(request.body(Full::default()).unwrap());
        let answer = within_limit("an answer", answer).await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let body = within_limit("its body", answer.into_body().collect()).await.unwrap();
        String::from_utf8(body.to_bytes().into()).unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::POST, path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::PUT, path, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::PATCH, path, body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.call(Method::DELETE, path, &Value::Null).await
    }

    /// A request with any text for a body, which is called JSON; none where it is empty.
    pub(crate) async fn ask(&self, method: Method, path: &str, text: String) -> Answer {
        let awaited = format!("the answer to {method} {path}");
        let answer = within_limit(&awaited, self.try_ask(method, path, text)).await;
        answer.unwrap_or_else(|fault| panic!("{awaited}: {fault}"))
    }

    /// Sends the request now, whatever becomes of it; the task ends with the answer, or without one.
    pub(crate) fn post_meanwhile(&self, path: &str, body: &Value) -> JoinHandle<Option<Answer>> {
        let (caller, path, body) = (self.clone(), path.to_owned(), body.clone());
        tokio::spawn(async move {
            within_limit("an answer or its absence", caller.try_call(Method::POST, &path, &body)).await.ok()
        })
    }

    /// The answer, or none where the service is gone.
    pub(crate) async fn get_unless_gone(&self, path: &str) -> Option<Answer> {
        within_limit("an answer or its absence", self.try_call(Method::GET, path, &Value::Null)).await.ok()
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Answer {
        self.ask(method, path, text_of(body)).await
    }

    async fn try_call(&self, method: Method, path: &str, body: &Value) -> Result<Answer, String> {
        self.try_ask(method, path, text_of(body)).await
    }

    async fn try_ask(&self, method: Method, path: &str, text: String) -> Result<Answer, String> {
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        request.headers_mut().unwrap().extend(self.headers.clone());
        if !text.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = Bytes::from(text);
        let answer = self.client.request(request.body(Full::from(body)).unwrap()).await;
        let (head, body) = answer.map_err(|fault| format!("{fault:?}"))?.into_parts();
        let body = body.collect().await.map_err(|fault| fault.to_string())?.to_bytes();
        let is_json = |kind: &header::HeaderValue| kind.to_str().unwrap().contains("json");
        let body = match head.headers.get(header::CONTENT_TYPE) {
            _ if body.is_empty() => Value::Null,
            Some(kind) if !is_json(kind) || kind == "application/x-ndjson" => {
                String::from_utf8(body.into()).unwrap().into()
            }
            _ => serde_json::from_slice(&body).unwrap(),
        };
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }
}

fn text_of(body: &Value) -> String {
    if body.is_null() { String::new() } else { body.to_string() }
}
