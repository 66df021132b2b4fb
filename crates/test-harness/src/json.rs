//! The shortest ways to a value in a JSON object.

use serde_json::Value;
use uuid::Uuid;

#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text")).to_owned()
}

#[track_caller]
pub fn uuid_in(object: &Value, field: &str) -> Uuid {
    let text = object[field].as_str().unwrap_or_else(|| panic!("no {field} in {object}"));
    text.parse().expect("a UUID")
}
