//! A server that a test plays: a function answers each request, and what was asked is kept.

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
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A request that has come.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: Method,
    pub path: String,
    /// Empty where there is none.
    pub query: String,
    pub headers: HeaderMap,
    /// Null where it is no JSON.
    pub body: Value,
}

impl FakeServer {
    pub async fn start(answer: impl Fn(&Asked) -> Response + Send + Sync + 'static) -> Self {
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (kept, answer) = (asked.clone(), Arc::new(answer));
        let routes = Router::new().fallback(move |request: Request| async move {
            let request = Asked::read(request).await;
            kept.lock().unwrap().push(request.clone());
            answer(&request)
        });
        Self { server: LocalServer::start(routes).await, asked }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Everything, in the order in which it came.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// What was asked at this path.
    pub fn asked_at(&self, path: &str) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.path == path).collect()
    }
}

impl Asked {
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
