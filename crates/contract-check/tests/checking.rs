//! What the check refuses: each test plants one fault in an exchange that otherwise conforms to the contract.
//! The document here is small; the services' own documents are compared by their tests.

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};
use starkeep_contract_check::{ContractCheck, Exchange};

fn document() -> Value {
    let thing =
        json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Placed" } } } });
    let mut made = thing.clone();
    made["headers"] =
        json!({ "Location": { "schema": { "type": "string" } }, "Link": { "schema": { "type": "string" } } });
    let limit = json!({ "name": "limit", "in": "query", "required": true,
                        "schema": { "type": "integer", "minimum": 1 } });
    json!({
        "paths": {
            "/things": { "post": {
                "requestBody": { "required": true, "content": { "application/json": {
                    "schema": { "$ref": "#/components/schemas/Thing" } } } },
                "responses": { "201": made, "204": { "description": "nothing" } },
            } },
            "/things/{id}": { "get": { "parameters": [limit], "responses": { "200": thing } } },
            "/things/all": { "get": { "responses": { "204": { "description": "nothing" } } } },
        },
        "components": { "schemas": {
            "Thing": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string", "format": "uuid" } } },
            "Placed": { "allOf": [
                { "$ref": "#/components/schemas/Thing" },
                { "type": "object", "required": ["x"], "properties": { "x": { "type": "integer" } } },
            ] },
            "Problem": { "type": "object", "required": ["code"], "properties": { "code": { "type": "string" } } },
        } },
    })
}

struct Case {
    method: Method,
    path: &'static str,
    asked: String,
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
    is_request_documented: bool,
}

const ID: &str = "5eed0000-0000-4000-8000-000000000001";

fn line(body: &Value) -> String {
    format!("{body}\n")
}

fn made() -> Case {
    Case {
        method: Method::POST,
        path: "/things",
        asked: json!({ "id": ID, "ignored": 1 }).to_string(),
        status: 201,
        headers: vec![("content-type", "application/json; charset=utf-8"), ("location", "/things/1")],
        body: line(&json!({ "id": ID, "x": 1 })),
        is_request_documented: true,
    }
}

fn shown() -> Case {
    Case { method: Method::GET, path: "/things/1?limit=5", asked: String::new(), status: 200, ..made() }
        .with_headers(&[("content-type", "application/json")])
}

impl Case {
    fn with_headers(self, headers: &[(&'static str, &'static str)]) -> Self {
        Self { headers: headers.to_vec(), ..self }
    }

    fn faults(&self) -> Vec<String> {
        let pairs = self
            .headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        ContractCheck::new(document()).faults(&Exchange {
            method: &self.method,
            path: self.path,
            request_headers: &HeaderMap::new(),
            request_body: self.asked.as_bytes(),
            status: self.status,
            headers: &pairs.collect::<HeaderMap>(),
            body: self.body.as_bytes(),
            is_request_documented: self.is_request_documented,
        })
    }

    #[track_caller]
    fn is_refused(&self, why: &str) {
        let faults = self.faults();
        assert!(faults.iter().any(|fault| fault.contains(why)), "{faults:?} does not say {why:?}");
    }
}

#[test]
fn what_is_as_documented_passes() {
    for case in [made(), shown()] {
        assert_eq!(case.faults(), Vec::<String>::new());
    }
}

#[test]
fn an_answer_is_refused_for_a_wrong_type_a_wrong_form_a_missing_and_a_further_field() {
    for (body, why) in [
        (json!({ "id": ID, "x": "1" }), "not of type \"integer\""),
        (json!({ "id": "one", "x": 1 }), "not a \"uuid\""),
        (json!({ "x": 1 }), "required property"),
        (json!({ "id": ID, "x": 1, "y": 2 }), "Unevaluated properties"),
    ] {
        Case { body: line(&body), ..made() }.is_refused(why);
    }
    Case { body: "{".to_owned(), ..made() }.is_refused("not JSON");
}

#[test]
fn an_answer_or_a_problem_without_a_newline_at_its_end_is_refused() {
    Case { body: made().body.trim_end().to_owned(), ..made() }.is_refused("end with a newline");
    let refused =
        Case { path: "/nothing", status: 404, body: r#"{"code":"no-such-route"}"#.to_owned(), ..made() };
    refused.with_headers(&[("content-type", "application/problem+json")]).is_refused("end with a newline");
}

#[test]
fn a_status_a_content_type_or_a_body_that_is_not_documented_is_refused() {
    Case { status: 202, ..made() }.is_refused("the status is not documented");
    made().with_headers(&[("content-type", "text/plain")]).is_refused("\"text/plain\" is not documented");
    Case { status: 204, ..made() }.with_headers(&[]).is_refused("no body is documented");
}

#[test]
fn headers_are_sent_where_they_are_documented_and_nowhere_else() {
    made().with_headers(&[("content-type", "application/json")]).is_refused("Location is missing");
    let further = [("content-type", "application/json"), ("retry-after", "1")];
    shown().with_headers(&further).is_refused("Retry-After is not documented");
}

#[test]
fn a_request_that_was_taken_is_as_documented_unless_the_test_says_otherwise() {
    let wrong = Case { asked: json!({ "id": 7 }).to_string(), ..made() };
    wrong.is_refused("request: 7 is not of type");
    Case { asked: String::new(), ..made() }.is_refused("a body is documented as required");
    Case { path: "/things/1?limit=0", ..shown() }.is_refused("limit: 0 is less than");
    Case { path: "/things/1", ..shown() }.is_refused("the parameter limit is required");
    assert_eq!(Case { is_request_documented: false, ..wrong }.faults(), Vec::<String>::new());
}

#[test]
fn where_nothing_is_documented_the_answer_says_so() {
    Case { path: "/nothing", ..made() }.is_refused("not 404 no-such-route");
    Case { method: Method::DELETE, ..made() }.is_refused("not 405 method-not-allowed");
    let problem = [("content-type", "application/problem+json")];
    let refused =
        |code: &str| Case { path: "/nothing", status: 404, body: line(&json!({ "code": code })), ..made() };
    assert_eq!(refused("no-such-route").with_headers(&problem).faults(), Vec::<String>::new());
    refused("unknown-game").with_headers(&problem).is_refused("the code is not");
}

#[test]
fn a_literal_path_is_not_taken_for_an_id() {
    Case { path: "/things/all", ..shown() }.is_refused("the status is not documented");
}
