//! The socket at which the trading service reaches the robot service. Every exchange goes through to the service under test,
//! which compares it with its contract; those that change something are noted.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode, header};
use serde_json::Value;
use starkeep_test_harness::{Harness, Reply, request};

use crate::both_services::RobotsUnderTest;
use crate::outputs::call;

pub(crate) struct RobotWire {
    robots: Arc<Harness<RobotsUnderTest>>,
    calls: Mutex<Vec<Value>>,
}

impl RobotWire {
    pub(crate) fn new(robots: Arc<Harness<RobotsUnderTest>>) -> Arc<Self> {
        Arc::new(Self { robots, calls: Mutex::default() })
    }

    pub(crate) fn router(self: &Arc<Self>) -> Router {
        Router::new().fallback(pass_on).with_state(self.clone())
    }

    /// The calls since the last time this was asked. The existing trading service only writes; ours looks at the robot first, and
    /// asks once how the robot service is.
    pub(crate) fn take_calls(&self) -> Vec<Value> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

async fn pass_on(State(wire): State<Arc<RobotWire>>, received: Request) -> Response {
    let (parts, body) = received.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let path = parts.uri.path_and_query().unwrap().as_str();
    let mut passed = request(parts.method.clone(), path);
    if !body.is_empty() {
        passed = passed.text(body.to_vec());
    }
    for (name, value) in &parts.headers {
        passed = passed.header(name.as_str(), value.to_str().unwrap());
    }
    let reply = wire.robots.ask(passed).await;
    if parts.method != Method::GET {
        let request = std::str::from_utf8(&body).unwrap();
        let noted = call(parts.method.as_str(), path, request, reply.status, &text_of(&reply));
        wire.calls.lock().unwrap().push(noted);
    }
    let content_type = reply.header("content-type").unwrap_or_default().to_owned();
    let status = StatusCode::from_u16(reply.status).unwrap();
    (status, [(header::CONTENT_TYPE, content_type)], reply.bytes).into_response()
}

/// A refusal is a problem here; its detail is the text that the existing services say.
pub(crate) fn text_of(reply: &Reply) -> String {
    if reply.status < 400 {
        return reply.text();
    }
    reply.refusal();
    reply.body["detail"].as_str().unwrap().to_owned()
}
