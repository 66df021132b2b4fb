//! A map service that knows some planets, and gives of their deposits what is left. It notes who asked for what.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::outputs::call;

#[derive(Default)]
pub(crate) struct FakeMap {
    /// By their paths, as they are shown.
    planets: Mutex<BTreeMap<String, Value>>,
    calls: Mutex<Vec<Value>>,
}

impl FakeMap {
    pub(crate) fn new(planets: BTreeMap<String, Value>) -> Arc<Self> {
        Arc::new(Self { planets: Mutex::new(planets), calls: Mutex::default() })
    }

    pub(crate) fn router(self: &Arc<Self>) -> Router {
        Router::new().fallback(answer).with_state(self.clone())
    }

    /// The calls since the last time this was asked.
    pub(crate) fn take_calls(&self) -> Vec<Value> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    fn answer(&self, method: &Method, path: &str, request: &str) -> (u16, Value) {
        let mut planets = self.planets.lock().unwrap();
        let Some(mined) = path.strip_suffix("/minings").filter(|_| method == Method::POST) else {
            return planets.get(path).map_or((404, Value::Null), |planet| (200, planet.clone()));
        };
        let Some(planet) = planets.get_mut(mined) else { return (404, Value::Null) };
        let request: Value = serde_json::from_str(request).unwrap();
        let asked = request["mining"]["amount_requested"].as_u64().unwrap();
        let left = planet["resource"]["current_amount"].as_u64().unwrap();
        let given = asked.min(left);
        planet["resource"]["current_amount"] = json!(left - given);
        (201, json!({"planet_id": planet["id"], "amount_requested": asked, "amount_mined": given}))
    }
}

async fn answer(State(map): State<Arc<FakeMap>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let (path, request) = (parts.uri.path(), std::str::from_utf8(&body).unwrap());
    let (status, response) = map.answer(&parts.method, path, request);
    let noted = call(parts.method.as_str(), path, request, status, &response.to_string());
    map.calls.lock().unwrap().push(noted);
    (StatusCode::from_u16(status).unwrap(), axum::Json(response)).into_response()
}
