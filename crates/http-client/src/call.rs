//! One request as its caller describes it: method, path, body, how large an answer may be, and whether it may be sent again.
//! The last one cannot be left out: there are three constructors, one for each case.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::Serialize;

/// For answers whose caller names no other limit.
const LARGEST_ANSWER: usize = 1024 * 1024;

#[derive(Clone)]
pub struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) repeat: Repeat,
    pub(crate) body: Option<Bytes>,
    pub(crate) headers: HeaderMap,
    pub(crate) largest_answer: usize,
}

/// What happens if the request arrives twice.
#[derive(Clone)]
pub(crate) enum Repeat {
    /// Nothing: it only reads.
    Safe,
    /// Nothing: the service knows the idempotency key and answers as it did the first time.
    Keyed(String),
    /// Its effect, twice.
    Once,
}

impl Call {
    /// A request that only reads.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path.into(), Repeat::Safe)
    }

    /// A request with an effect that takes place once, however often the request with this idempotency key is sent.
    pub fn keyed(method: Method, path: impl Into<String>, key: impl Into<String>) -> Self {
        Self::new(method, path.into(), Repeat::Keyed(key.into()))
    }

    /// A request that must not arrive twice.
    pub fn once(method: Method, path: impl Into<String>) -> Self {
        Self::new(method, path.into(), Repeat::Once)
    }

    fn new(method: Method, path: String, repeat: Repeat) -> Self {
        let headers = HeaderMap::new();
        Self { method, path, repeat, body: None, headers, largest_answer: LARGEST_ANSWER }
    }

    #[must_use]
    pub fn json(self, body: &impl Serialize) -> Self {
        self.json_bytes(serde_json::to_vec(body).expect("the contract's types are plain data"))
    }

    /// A body that is JSON already.
    #[must_use]
    pub fn json_bytes(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body.into());
        self
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// An answer with more bytes than these is not read. Default: 1 MiB.
    #[must_use]
    pub fn largest_answer(mut self, bytes: usize) -> Self {
        self.largest_answer = bytes;
        self
    }

    /// Whether its effect is the same if it arrives twice.
    pub fn is_repeatable(&self) -> bool {
        match self.repeat {
            Repeat::Safe | Repeat::Keyed(_) => true,
            Repeat::Once => false,
        }
    }
}
