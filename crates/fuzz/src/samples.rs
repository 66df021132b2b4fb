//! Values that a contract allows: its own examples, and of a schema without one something that has all fields.
//! Ids become names where there is something that they can stand for.

use serde_json::{Map, Value, json};

use crate::names::Names;

/// A schema that contains itself is not followed further.
const DEEPEST: usize = 8;

pub(crate) struct Samples<'a> {
    pub(crate) document: &'a Value,
    pub(crate) names: &'a Names,
}

impl Samples<'_> {
    /// The bodies that an operation may be given, if it takes one.
    pub(crate) fn bodies(&self, operation: &Value) -> Vec<Value> {
        let content = &operation["requestBody"]["content"]["application/json"];
        if content.is_null() {
            return Vec::new();
        }
        let schema = self.resolved(&content["schema"]);
        let mut bodies = examples(schema);
        bodies.extend(content.get("example").cloned());
        if schema["items"].is_object() {
            bodies.push(Value::Array(examples(self.resolved(&schema["items"]))));
        }
        bodies.push(self.whole(schema, 0));
        bodies.into_iter().map(|body| self.named(body, "")).collect()
    }

    /// What a parameter may be, as a text.
    pub(crate) fn parameter(&self, parameter: &Value) -> String {
        let name = parameter["name"].as_str().unwrap_or_default();
        if self.names.knows(name) {
            return format!("{{{name}}}");
        }
        match self.whole(&parameter["schema"], 0) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// With all fields that there are.
    fn whole(&self, schema: &Value, depth: usize) -> Value {
        let schema = self.resolved(schema);
        if depth == DEEPEST {
            return Value::Null;
        }
        if let Some(fields) = self.fields(schema) {
            let whole = |(name, field): (String, &Value)| {
                let value = self.whole(field, depth + 1);
                (name, value)
            };
            return Value::Object(fields.into_iter().map(whole).collect::<Map<_, _>>());
        }
        let first = |list: &Value| list.as_array().and_then(|list| list.first().cloned());
        if let Some(value) = first(&schema["enum"]).or_else(|| first(&schema["examples"])) {
            return value;
        }
        if schema["items"].is_object() {
            return json!([self.whole(&schema["items"], depth + 1)]);
        }
        let is = |kind: &str| {
            let of_several = schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)));
            schema["type"] == kind || of_several
        };
        match schema["minimum"].as_i64() {
            _ if is("boolean") => json!(true),
            least if is("integer") || is("number") => json!(least.unwrap_or(1).max(1)),
            _ if schema["format"] == "uuid" => json!("5eed0000-0000-4000-8000-0000000000ff"),
            _ => json!("x"),
        }
    }

    /// Of an object, also of one that is put together.
    fn fields<'b>(&'b self, schema: &'b Value) -> Option<Vec<(String, &'b Value)>> {
        if let Some(parts) = schema["allOf"].as_array() {
            let fields = parts.iter().filter_map(|part| self.fields(self.resolved(part)));
            return Some(fields.flatten().collect());
        }
        let fields = schema["properties"].as_object()?;
        Some(fields.iter().map(|(name, field)| (name.clone(), field)).collect())
    }

    /// What a reference means; of alternatives the first that is not null.
    fn resolved<'b>(&'b self, schema: &'b Value) -> &'b Value {
        if let Some(name) = schema["$ref"].as_str() {
            let named = self.document.pointer(name.trim_start_matches('#'));
            return named.map_or(&Value::Null, |named| self.resolved(named));
        }
        let alternatives = [&schema["oneOf"], &schema["anyOf"]].into_iter().filter_map(Value::as_array);
        let mut alternatives = alternatives.flatten().filter(|alternative| alternative["type"] != "null");
        alternatives.next().map_or(schema, |alternative| self.resolved(alternative))
    }

    /// With names in the place of ids, where the field they stand in is a name.
    fn named(&self, value: Value, key: &str) -> Value {
        match value {
            Value::String(text) if is_id(&text) && self.names.knows(key) => json!(format!("{{{key}}}")),
            Value::Array(items) => items.into_iter().map(|item| self.named(item, key)).collect(),
            Value::Object(fields) => {
                let named = |(name, value): (String, Value)| {
                    let value = self.named(value, &name);
                    (name, value)
                };
                Value::Object(fields.into_iter().map(named).collect())
            }
            other => other,
        }
    }
}

fn examples(schema: &Value) -> Vec<Value> {
    schema["examples"].as_array().cloned().unwrap_or_default()
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.matches('-').count() == 4
}
