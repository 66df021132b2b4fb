//! Requests made of a contract: every operation that takes anything, with each of its parameters and each body that is an example.
//! A route that is added to a service is tried without a word here.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::contracts::Contract;
use crate::mutator::Dictionary;
use crate::names::Names;
use crate::samples::Samples;

/// Headers that somebody in between adds, spoils or repeats.
const ODD_HEADERS: &[&[u8]] = &[
    b"Idempotency-Key: key",
    b"Idempotency-Key:",
    b"Idempotency-Key: two words",
    b"Idempotency-Key: \xc3\xa9",
    b"Authorization: Bearer {playerToken}",
    b"Authorization: Bearer \xff",
    b"Authorization: Bearer",
    b"Authorization: Basic dTpw",
    b"X-Forwarded-For: 1.2.3.4, 2001:db8::1",
    b"X-Forwarded-For: ,\xff",
    b"Content-Type: application/json; charset=utf-8",
    b"Content-Type: application/problem+json",
    b"Content-Type: text/plain",
    b"Content-Type: \xff",
    b"Content-Length: 0",
    b"Accept: application/json",
    b"Accept: text/event-stream;q=0, */*",
    b"Accept-Encoding: gzip",
    b"If-None-Match: *",
    b"Host: [::1]:8080",
    b"Host: \xff",
    b"Origin: null",
    b"Last-Event-ID: start",
    b"Last-Event-ID: \xff",
    b"Starkeep-Game: {gameId}",
    b"Starkeep-Round: 1",
    b"Starkeep-Seed: 18446744073709551615",
    b"Starkeep-Timeout-Millis: 0",
];

/// What operations have as methods; a path item has other fields, too.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub(crate) fn requests(contract: &Contract, names: &Names) -> Vec<Vec<u8>> {
    let samples = Samples { document: &contract.document, names };
    let mut requests = Vec::new();
    for (path, item) in contract.document["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                add_requests(
                    &mut requests,
                    &samples,
                    &format!("{} {path}", method.to_uppercase()),
                    operation,
                );
            }
        }
    }
    requests
}

fn add_requests(requests: &mut Vec<Vec<u8>>, samples: &Samples<'_>, first: &str, operation: &Value) {
    let given = |place: &str| -> Vec<(String, String)> {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters = parameters.filter(|parameter| parameter["in"] == place);
        let text = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
        parameters.map(|parameter| (text(parameter), samples.parameter(parameter))).collect()
    };
    let (query, headers) = (given("query"), given("header"));
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    let headers = headers.concat();
    let bodies: Vec<String> = samples.bodies(operation).iter().map(Value::to_string).collect();
    let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut queries = vec![String::new()];
    queries.extend(query.iter().map(|one| format!("?{one}")));
    queries.push(format!("?{}", query.join("&")));
    for query in &queries {
        requests.push(format!("{first}{query}\n").into_bytes());
    }
    let json = "Content-Type: application/json";
    for body in &bodies {
        requests.push(format!("{first}\n{json}\n\n{body}").into_bytes());
        requests.push(format!("{first}\n{headers}{json}\n\n{body}").into_bytes());
    }
    if bodies.is_empty() && !headers.is_empty() {
        requests.push(format!("{first}\n{headers}\n").into_bytes());
    }
}

pub(crate) fn dictionary(contract: &Contract, names: &Names) -> Dictionary {
    let mut words = BTreeSet::new();
    add_words(&contract.document["components"]["schemas"], &mut words);
    add_words(&contract.document["paths"], &mut words);
    words.extend(names.in_braces());
    words.extend(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"].map(str::to_owned));
    let words = words.into_iter().map(String::into_bytes).collect();
    Dictionary { words, lines: ODD_HEADERS.iter().map(|line| line.to_vec()).collect() }
}

/// Names of fields and of parameters, and what a field may be one of.
fn add_words(document: &Value, words: &mut BTreeSet<String>) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (&**name, value) {
                    ("properties", Value::Object(fields)) => words.extend(fields.keys().cloned()),
                    ("enum", Value::Array(allowed)) => {
                        words.extend(allowed.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    ("name", Value::String(name)) => drop(words.insert(name.clone())),
                    _ => {}
                }
                add_words(value, words);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_words(item, words)),
        _ => {}
    }
}
