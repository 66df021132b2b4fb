//! Examples of bodies: those of the contract's types, of which a test checks that they are valid.
//! A list is shown with one element.

use serde_json::{Value, json};

use super::fields::resolve;

/// Of a body or an answer of one content type.
pub(super) fn of_content(content: &Value, document: &Value) -> Option<Value> {
    match &content["example"] {
        Value::Null => of_schema(&content["schema"], document),
        example => Some(example.clone()),
    }
}

fn of_schema(schema: &Value, document: &Value) -> Option<Value> {
    let schema = resolve(schema, document);
    match schema["examples"].get(0) {
        Some(example) => Some(example.clone()),
        None if schema["type"] == "array" => Some(json!([of_schema(&schema["items"], document)?])),
        None => None,
    }
}

/// As a person reads it: a text as it is sent, all else as indented JSON.
pub(super) fn shown(example: &Value) -> String {
    match example {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).expect("an example is plain data"),
    }
}
