//! A bare axum server whose every answer is the same bytes.
//! It has the routes of the real one, so that both match a path; the body is shared and never copied.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::routing::get;

use crate::failure::{During, Failure};

#[derive(Clone)]
struct Body {
    bytes: Bytes,
    content_type: HeaderValue,
}

pub(crate) fn router(bytes: Vec<u8>, content_type: &str) -> Result<Router, Failure> {
    let content_type = HeaderValue::from_str(content_type).during("the content type")?;
    Ok(Router::new()
        .route("/planets/{id}", get(answer))
        .route("/games", get(answer))
        .route("/games/{id}/time", get(answer))
        .with_state(Body { bytes: bytes.into(), content_type }))
}

async fn answer(State(body): State<Body>) -> ([(HeaderName, HeaderValue); 1], Bytes) {
    ([(CONTENT_TYPE, body.content_type)], body.bytes)
}
