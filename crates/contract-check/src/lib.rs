//! Compares requests and answers of a service with its OpenAPI document; the test harness calls it for every exchange.
//! Dev-only. A crate of its own, because a feature of the contract crate would bring a schema validator to all who share a build
//! with the tests; it imports no crate of the workspace.

mod operation;
mod parameters;
mod schemas;

use http::{HeaderMap, Method};
use serde_json::Value;

use crate::operation::{Found, find};
use crate::parameters::check_query;
use crate::schemas::Schemas;

/// Headers that an answer has only in some cases; all others that are documented are always sent.
const OPTIONAL: &[&str] = &["Link", "Idempotency-Replayed"];

/// Headers that are not sent where they are not documented.
const DOCUMENTED: &[&str] = &["Location", "Link", "Retry-After", "Idempotency-Replayed", "WWW-Authenticate"];

const PROBLEM: &str = "#/components/schemas/Problem";

/// A service's contract. Schemas are compiled when they are first needed, and kept.
pub struct ContractCheck {
    document: Value,
    schemas: Schemas,
}

/// A request and its answer.
pub struct Exchange<'a> {
    pub method: &'a Method,
    /// With the query, if there is one.
    pub path: &'a str,
    pub request_headers: &'a HeaderMap,
    pub request_body: &'a [u8],
    pub status: u16,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
    /// Whether a request that was accepted has to conform to the contract. Services accept more than they document; tests of
    /// that set this to false.
    pub is_request_documented: bool,
}

impl ContractCheck {
    pub fn new(document: Value) -> Self {
        Self { schemas: Schemas::new(&document), document }
    }

    /// Panics if the exchange does not conform to the contract.
    #[track_caller]
    pub fn check(&self, exchange: &Exchange<'_>) {
        let faults = self.faults(exchange);
        let Exchange { method, path, status, body, .. } = exchange;
        let body = String::from_utf8_lossy(body);
        assert!(
            faults.is_empty(),
            "{method} {path} {status} does not conform to the contract: {faults:#?}\nanswer: {body}"
        );
    }

    pub fn faults(&self, exchange: &Exchange<'_>) -> Vec<String> {
        // CORS answers a preflight before any route is looked for.
        if exchange.method == Method::OPTIONS {
            return Vec::new();
        }
        let path = exchange.path.split('?').next().unwrap_or_default();
        match find(&self.document, exchange.method, path) {
            Found::Operation(operation) => self.compare(operation, exchange),
            Found::OtherMethods => self.refusal(exchange, 405, "method-not-allowed"),
            Found::Nothing => self.refusal(exchange, 404, "no-such-route"),
        }
    }

    fn compare(&self, operation: &Value, exchange: &Exchange<'_>) -> Vec<String> {
        let answer = &operation["responses"][exchange.status.to_string()];
        if answer.is_null() {
            return vec!["the status is not documented".to_owned()];
        }
        let mut faults = self.answer(answer, exchange);
        if (200..300).contains(&exchange.status) && exchange.is_request_documented {
            faults.extend(check_query(operation, exchange, &self.schemas));
            faults.extend(self.request(operation, exchange));
        }
        faults
    }

    fn answer(&self, answer: &Value, exchange: &Exchange<'_>) -> Vec<String> {
        let mut faults = self.headers(answer, exchange.headers);
        let content = &answer["content"];
        let Some(content) = content.as_object() else {
            faults.extend((!exchange.body.is_empty()).then(|| "no body is documented".to_owned()));
            return faults;
        };
        let kind = essence(exchange.headers);
        let Some(documented) = content.get(&kind) else {
            faults.push(format!("the content type {kind:?} is not documented"));
            return faults;
        };
        if (kind == "application/json" || kind.ends_with("+json")) && exchange.method != Method::HEAD {
            faults.extend(self.json_answer(&documented["schema"], exchange.body));
        }
        faults
    }

    fn headers(&self, answer: &Value, sent: &HeaderMap) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, header) in answer["headers"].as_object().into_iter().flatten() {
            match sent.get(name).and_then(|value| value.to_str().ok()) {
                Some(text) => faults.extend(self.schemas.text_faults(name, &header["schema"], text)),
                None if OPTIONAL.contains(&name.as_str()) => {}
                None => faults.push(format!("the header {name} is missing")),
            }
        }
        let undocumented =
            DOCUMENTED.iter().filter(|name| sent.contains_key(**name) && answer["headers"][**name].is_null());
        faults.extend(undocumented.map(|name| format!("the header {name} is not documented")));
        faults
    }

    fn request(&self, operation: &Value, exchange: &Exchange<'_>) -> Vec<String> {
        let body = &operation["requestBody"];
        if exchange.request_body.is_empty() {
            let is_missing = body["required"] == true;
            return is_missing.then(|| "a body is documented as required".to_owned()).into_iter().collect();
        }
        // A body that is not documented is not read.
        match &body["content"]["application/json"]["schema"] {
            Value::Null => Vec::new(),
            schema => self.json("request", schema, exchange.request_body, Schemas::request_faults),
        }
    }

    /// Every answer in JSON is a line, so that it ends where a terminal expects it.
    fn json_answer(&self, schema: &Value, body: &[u8]) -> Vec<String> {
        let mut faults = self.json("answer", schema, body, Schemas::answer_faults);
        faults.extend((!body.ends_with(b"\n")).then(|| "the answer does not end with a newline".to_owned()));
        faults
    }

    fn json(
        &self,
        what: &str,
        schema: &Value,
        body: &[u8],
        faults: fn(&Schemas, &Value, &Value) -> Vec<String>,
    ) -> Vec<String> {
        match serde_json::from_slice(body) {
            Ok(value) => faults(&self.schemas, schema, &value)
                .into_iter()
                .map(|fault| format!("{what}: {fault}"))
                .collect(),
            Err(fault) => vec![format!("{what}: not JSON: {fault}")],
        }
    }

    /// What is refused before any operation is found.
    fn refusal(&self, exchange: &Exchange<'_>, status: u16, code: &str) -> Vec<String> {
        if exchange.status != status || essence(exchange.headers) != "application/problem+json" {
            return vec![format!("there is no such operation, and the answer is not {status} {code}")];
        }
        if exchange.method == Method::HEAD {
            return Vec::new();
        }
        let schema = serde_json::json!({ "$ref": PROBLEM });
        let mut faults = self.json_answer(&schema, exchange.body);
        let problem: Value = serde_json::from_slice(exchange.body).unwrap_or_default();
        faults.extend((problem["code"] != code).then(|| format!("the code is not {code}")));
        faults
    }
}

/// The content type without its parameters.
fn essence(headers: &HeaderMap) -> String {
    let kind = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
