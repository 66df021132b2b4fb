//! Requests as a client writes them.

use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct TestRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) is_documented: bool,
    pub(crate) is_answered_by_earlier_version: bool,
}

pub fn request(method: Method, path: impl Into<String>) -> TestRequest {
    TestRequest {
        method,
        path: path.into(),
        headers: HeaderMap::new(),
        body: Vec::new(),
        is_documented: true,
        is_answered_by_earlier_version: false,
    }
}

pub fn get(path: impl Into<String>) -> TestRequest {
    request(Method::GET, path)
}

pub fn post(path: impl Into<String>) -> TestRequest {
    request(Method::POST, path)
}

pub fn patch(path: impl Into<String>) -> TestRequest {
    request(Method::PATCH, path)
}

pub fn put(path: impl Into<String>) -> TestRequest {
    request(Method::PUT, path)
}

pub fn delete(path: impl Into<String>) -> TestRequest {
    request(Method::DELETE, path)
}

impl TestRequest {
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.text(body.to_string())
    }

    /// A body that is declared as JSON, whatever it is.
    #[must_use]
    pub fn text(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header(header::CONTENT_TYPE.as_str(), "application/json")
    }

    /// Replaces an earlier value of the header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().expect("a test's header has a valid name");
        self.headers.insert(name, HeaderValue::from_str(value).expect("a test's header has a valid value"));
        self
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// With an `Idempotency-Key`.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// For a request that is accepted although the contract does not describe it so. The response is compared all the same.
    #[must_use]
    pub fn undocumented(self) -> Self {
        Self { is_documented: false, ..self }
    }

    /// For a response that an earlier version stored: it is repeated as it was, also where responses have more fields today.
    #[must_use]
    pub fn answered_by_earlier_version(self) -> Self {
        Self { is_answered_by_earlier_version: true, ..self }
    }

    pub(crate) fn to_http(&self) -> Request<Body> {
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.path.parse().expect("a test's path is well-formed");
        request.headers_mut().clone_from(&self.headers);
        request
    }
}
