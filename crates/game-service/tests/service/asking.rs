//! Requests as a client writes them, and replies as it reads them.
//! What a reply ought to be is for the tests to say; that it is as the contract has it is compared here, for all of them.

use std::sync::OnceLock;

use axum::body::Body;
use http::{HeaderMap, Method, Request, header};
use serde_json::Value;
use starkeep_contract_check::{ContractCheck, Exchange};
use starkeep_game_service::GameService;

pub(crate) struct Ask {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_documented: bool,
    is_of_earlier_version: bool,
}

pub(crate) fn ask(method: Method, path: impl Into<String>) -> Ask {
    Ask {
        method,
        path: path.into(),
        headers: Vec::new(),
        body: Vec::new(),
        is_documented: true,
        is_of_earlier_version: false,
    }
}

pub(crate) fn get(path: impl Into<String>) -> Ask {
    ask(Method::GET, path)
}

pub(crate) fn post(path: impl Into<String>) -> Ask {
    ask(Method::POST, path)
}

pub(crate) fn patch(path: impl Into<String>) -> Ask {
    ask(Method::PATCH, path)
}

pub(crate) fn put(path: impl Into<String>) -> Ask {
    ask(Method::PUT, path)
}

pub(crate) fn delete(path: impl Into<String>) -> Ask {
    ask(Method::DELETE, path)
}

impl Ask {
    pub(crate) fn json(self, body: &Value) -> Self {
        self.text(body.to_string())
    }

    /// A body that is declared as JSON, whatever it is.
    pub(crate) fn text(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header(header::CONTENT_TYPE.as_str(), "application/json")
    }

    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        let mut ask = self.without(name);
        ask.headers.push((name.to_owned(), value.to_owned()));
        ask
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// For a request that is taken although the contract does not describe it so. The answer is compared all the same.
    pub(crate) fn undocumented(self) -> Self {
        Self { is_documented: false, ..self }
    }

    /// For an answer that an earlier version stored: it is repeated as it was, also where answers have more fields today.
    pub(crate) fn answered_by_earlier_version(self) -> Self {
        Self { is_of_earlier_version: true, ..self }
    }

    pub(crate) fn request(&self) -> Request<Body> {
        let mut request = Request::builder().method(&self.method).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(Body::from(self.body.clone())).expect("a test's request is well-formed")
    }

    /// Everything that a test asks and is answered is as the contract has it.
    pub(crate) fn compare_with_contract(&self, reply: &Reply) {
        static CONTRACT: OnceLock<ContractCheck> = OnceLock::new();
        if self.is_of_earlier_version {
            return;
        }
        let contract = CONTRACT.get_or_init(|| {
            let document = serde_json::to_value(GameService::contract()).expect("a contract is plain data");
            ContractCheck::new(document)
        });
        contract.check(&Exchange {
            method: &self.method,
            path: &self.path,
            request_headers: self.request().headers(),
            request_body: &self.body,
            status: reply.status,
            headers: &reply.headers,
            body: &reply.body,
            is_request_documented: self.is_documented,
        });
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: bytes::Bytes,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("headers are plain text"))
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    /// The body of a success of this status.
    #[track_caller]
    pub(crate) fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// A problem as RFC 9457 has it, whole; its detail is returned.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str, field: Option<&str>) -> String {
        let problem = self.json();
        assert_eq!(
            (self.status, problem["code"].as_str(), problem["field"].as_str()),
            (status, Some(code), field),
            "{self:?}"
        );
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(problem["type"], format!("/docs#problem-{code}"));
        assert_eq!(problem["status"], status);
        assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
        assert_eq!(self.header("retry-after").is_some(), status == 503, "{self:?}");
        assert_eq!(self.header("www-authenticate").is_some(), status == 401, "{self:?}");
        problem["detail"].as_str().expect("a problem has a detail").to_owned()
    }
}
