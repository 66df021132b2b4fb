//! Requests with one field spoiled: for every field of every body in a contract, with every kind of value.
//! What is refused names the field in JSON's words; the parser's words are in no answer.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};
use starkeep_platform::service::Service as _;

use crate::harness::Harness;
use crate::requests::{TestRequest, request};
use crate::under_test::ServiceUnderTest;
use starkeep_test_http::Reply;

/// As they stand in the body. The last two are beyond every type.
const VALUES: [&str; 11] = [
    "null",
    "[]",
    "{}",
    "true",
    "\"abc\"",
    "\"\"",
    "-1",
    "2.5",
    "[{}]",
    "99999999999999999999999999",
    "1e400",
];

const PARSERS_WORDS: [&str; 22] = [
    "invalid type",
    "invalid value",
    "invalid length",
    "missing field",
    "unknown variant",
    "duplicate field",
    "variant",
    "untagged",
    "struct",
    "eof",
    "while parsing",
    "at line",
    "sequence",
    "a map",
    "floating point",
    "integer",
    "u8",
    "u32",
    "u64",
    "i64",
    "f64",
    "parsing failed",
];

const WHERE_IT_WAS_TAKEN: [&str; 3] =
    ["required field is missing", "this command needs it", "leave out one of both"];

const MARK: &str = "@spoiled@";

impl<S: ServiceUnderTest> Harness<S> {
    /// Sends every field of every body with every kind of value. What is refused is named in JSON's words; returned are the
    /// fields that take everything.
    pub async fn lenient_fields(&self) -> BTreeSet<String> {
        let contract = serde_json::to_value(self.service().contract()).expect("a contract is plain data");
        let mut answers = Vec::new();
        for spoiled in spoiled_requests(&contract) {
            let reply = self.ask(spoiled.request.clone()).await;
            answers.push((spoiled, reply));
        }
        assert!(answers.len() > 100, "only {} requests", answers.len());
        check_words(&answers)
    }
}

struct Spoiled {
    /// By its path, as in `gameworld.planets[0].x`.
    field: String,
    request: TestRequest,
    operation: String,
}

/// All of them.
fn spoiled_requests(contract: &Value) -> Vec<Spoiled> {
    let mut spoiled = Vec::new();
    for (path, methods) in contract["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let schema = resolve(schema, contract);
            let operation = format!("{} {path}", method.to_uppercase());
            let (base, schema) = if schema["items"].is_object() {
                (json!([example(&schema["items"], contract)]), resolve(&schema["items"], contract))
            } else {
                (example(schema, contract), schema)
            };
            let place = if base.is_array() { "/0" } else { "" };
            let mut fields = Vec::new();
            fields_of(schema, contract, place, &mut fields);
            for field in &fields {
                for value in VALUES {
                    spoiled.push(Spoiled {
                        field: name_of(field),
                        request: sent(method, path, &base, field, value),
                        operation: operation.clone(),
                    });
                }
            }
        }
    }
    spoiled
}

fn sent(method: &str, path: &str, base: &Value, field: &str, value: &str) -> TestRequest {
    let mut body = base.clone();
    let mut place = &mut body;
    for name in field.split('/').skip(1) {
        place = if name == "0" {
            if place.as_array().is_none_or(Vec::is_empty) {
                *place = json!([null]);
            }
            &mut place[0]
        } else {
            if !place.is_object() {
                *place = json!({});
            }
            &mut place[name]
        };
    }
    *place = MARK.into();
    let text = body.to_string().replace(&format!("\"{MARK}\""), value);
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
    let named = path.split('/').map(|part| if part.starts_with('{') { NOBODY } else { part });
    request(method, named.collect::<Vec<_>>().join("/")).text(text).undocumented()
}

const NOBODY: &str = "5eed0000-0000-4000-8000-0000000000ff";

fn fields_of(schema: &Value, contract: &Value, place: &str, fields: &mut Vec<String>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        fields.push(place.clone());
        let field = resolve(field, contract);
        fields_of(field, contract, &place, fields);
        if field["items"].is_object() {
            let place = format!("{place}/0");
            fields.push(place.clone());
            fields_of(resolve(&field["items"], contract), contract, &place, fields);
        }
    }
}

fn name_of(field: &str) -> String {
    let mut name = String::new();
    for part in field.split('/').skip(1) {
        match (part, name.is_empty()) {
            ("0", true) => {}
            ("0", false) => name.push_str("[0]"),
            (part, true) => name.push_str(part),
            (part, false) => name = format!("{name}.{part}"),
        }
    }
    name
}

fn example(schema: &Value, contract: &Value) -> Value {
    resolve(schema, contract)["examples"][0].clone()
}

/// What a reference means; of alternatives, the one that is an object.
fn resolve<'a>(schema: &'a Value, contract: &'a Value) -> &'a Value {
    if let Some(name) = schema["$ref"].as_str() {
        return contract
            .pointer(name.trim_start_matches('#'))
            .map_or(&Value::Null, |named| resolve(named, contract));
    }
    let alternatives = [&schema["oneOf"], &schema["anyOf"]].into_iter().filter_map(Value::as_array).flatten();
    let mut named = alternatives.filter(|alternative| alternative["$ref"].is_string());
    named.next().map_or(schema, |named| resolve(named, contract))
}

/// Compares the answers, and returns the fields that take everything.
#[track_caller]
fn check_words(answers: &[(Spoiled, Reply)]) -> BTreeSet<String> {
    let mut lenient: BTreeSet<_> = answers.iter().map(|(spoiled, _)| spoiled.key()).collect();
    for (spoiled, reply) in answers {
        let sent = format!("{} {}", spoiled.operation, String::from_utf8_lossy(&spoiled.request.body));
        assert!(reply.status < 500, "{sent}: {reply:?}");
        let problems = if reply.body.is_array() {
            reply.body.as_array().map_or(&[][..], |list| list)
        } else {
            std::slice::from_ref(&reply.body)
        };
        for problem in
            problems.iter().map(|item| if item["problem"].is_object() { &item["problem"] } else { item })
        {
            let Some(detail) = problem["detail"].as_str() else { continue };
            let words = detail.to_lowercase();
            let parsers = PARSERS_WORDS.iter().find(|parsers| words.contains(**parsers));
            assert_eq!(parsers, None, "{sent}: {detail}");
            assert_ne!(problem["code"], "unreadable-json", "{sent}: {detail}");
            if !["invalid-field", "request-not-accepted"].iter().any(|code| problem["code"] == **code) {
                continue;
            }
            // The rules that follow are about no field alone.
            let Some(field) = problem["field"].as_str() else {
                let is_rule =
                    detail.starts_with("The command '") || detail.starts_with("there are fewer planets");
                assert!(is_rule, "{sent}: no field: {detail}");
                continue;
            };
            let field = field.strip_prefix("[0].").unwrap_or(field);
            let is_it = spoiled.field == field || spoiled.field.ends_with(&format!(".{field}"));
            // The value was taken, and it is not all that belongs to it, or does not go with the rest.
            let is_other = WHERE_IT_WAS_TAKEN.iter().any(|end| detail.ends_with(end));
            assert!(is_it || is_other || spoiled.is_beside(field), "{sent}: {field}: {detail}");
            if is_it {
                let is_rule = detail.starts_with("there are fewer planets");
                assert!(is_rule || detail.contains(&format!("{field}`: ")), "{sent}: {detail}");
                lenient.remove(&spoiled.key());
            }
        }
    }
    lenient
}

impl Spoiled {
    fn key(&self) -> String {
        format!("{} {}", self.operation, self.field)
    }

    /// An element of the spoiled list, or the list of the spoiled element.
    fn is_beside(&self, field: &str) -> bool {
        field.starts_with(&self.field) || self.field.starts_with(field)
    }
}
