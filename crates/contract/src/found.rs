//! What stands in a JSON text, in JSON's words: `null`, a number, text, a list, an object.
//! A text is not repeated: it may be a secret in the wrong place.

use serde_json::Value;

/// For "expected …, found …".
pub fn found(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(_) => "text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_shown_and_texts_are_not() {
        let shown = [json!(null), json!(true), json!(-1), json!(2.0), json!("a b"), json!(""), json!([1])];
        let words = ["null", "true", "-1", "2.0", "text", "an empty text", "a list"];
        assert_eq!(shown.map(|value| found(&value)), words);
        assert_eq!(found(&json!({ "a": 1 })), "an object");
    }
}
