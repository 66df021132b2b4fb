//! A server that a test plays: a function answers each request, and the requests are kept.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, Method};
use serde_json::Value;

use crate::local_server::LocalServer;

const LARGEST_BODY: usize = 1024 * 1024;

pub struct FakeServer {
    server: LocalServer,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// A request that has come.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    pub method: Method,
    pub path: String,
    /// Empty where there is none.
    pub query: String,
    pub headers: HeaderMap,
    /// Null where it is no JSON.
    pub body: Value,
}

impl FakeServer {
    pub async fn start(answer: impl Fn(&ReceivedRequest) -> Response + Send + Sync + 'static) -> Self {
        let requests = Arc::<Mutex<Vec<ReceivedRequest>>>::default();
        let (kept, answer) = (requests.clone(), Arc::new(answer));
        let routes = Router::new().fallback(move |request: Request| async move {
            let request = ReceivedRequest::read(request).await;
            kept.lock().unwrap().push(request.clone());
            answer(&request)
        });
        Self { server: LocalServer::start(routes).await, requests }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Everything, in the order in which it came.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Those at this path.
    pub fn requests_at(&self, path: &str) -> Vec<ReceivedRequest> {
        self.requests().into_iter().filter(|request| request.path == path).collect()
    }
}

impl ReceivedRequest {
    async fn read(request: Request) -> Self {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, LARGEST_BODY).await.unwrap();
        Self {
            method: head.method,
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: head.headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
        }
    }

    /// As in `GET /events`, without the query.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}
