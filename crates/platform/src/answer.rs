//! A successful answer as bytes: what a handler sends, and what is kept for a repeated request.
//! Refusals are problems and live in `http::error_response`.

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Bytes,
    /// `Location` of what was made, `Link` to the next page, or `Content-Type` of what is no JSON.
    pub header: Option<(HeaderName, HeaderValue)>,
}

impl Answer {
    pub fn json(status: StatusCode, body: &impl Serialize) -> Self {
        Self { status, body: json_line(body).into(), header: None }
    }

    pub fn ok(body: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, body)
    }

    pub fn created(body: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, body)
    }

    /// A sentence for a person.
    pub fn text(status: StatusCode, body: impl Into<String>) -> Self {
        let body = Bytes::from(body.into());
        Self { status, body, header: None }.with(header::CONTENT_TYPE, "text/plain;charset=utf-8")
    }

    pub fn nothing() -> Self {
        Self { status: StatusCode::NO_CONTENT, body: Bytes::new(), header: None }
    }

    #[must_use]
    pub fn at(self, path: &str) -> Self {
        self.with(header::LOCATION, path)
    }

    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &str) -> Self {
        self.header = HeaderValue::from_str(value).ok().map(|value| (name, value));
        self
    }
}

/// The body as JSON that ends with a newline, so that a terminal's prompt begins on a line of its own.
pub fn json_line(body: &impl Serialize) -> Vec<u8> {
    let mut line = starkeep_json_writer::to_string(body).expect("the contract's types are plain data");
    line.push('\n');
    line.into_bytes()
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = Response::new(self.body.into());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if self.status != StatusCode::NO_CONTENT {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some((name, value)) = self.header {
            headers.insert(name, value);
        }
        response
    }
}
