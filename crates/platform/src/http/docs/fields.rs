//! Tables of fields: what each is called, what it may be, and what it means; those of an object in it below, by their path.
//! Types are named in the words of JSON.

use std::fmt::Write;

use serde_json::Value;

use super::html::{escape, inline};

/// Whether a reader has to send the fields or gets them.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    Sent,
    Answered,
}

/// Deeper than this only a schema that contains itself would go.
const DEEPEST: usize = 4;

/// Nothing where the schema has no fields.
pub(super) fn table(schema: &Value, document: &Value, direction: Direction) -> String {
    let mut html = String::new();
    rows(&mut html, schema, document, direction, &mut Vec::new());
    if html.is_empty() {
        return html;
    }
    format!(
        "<table><thead><tr><th scope=\"col\">Field</th><th scope=\"col\">Type</th><th scope=\"col\">What it is</th></tr></thead>\
         <tbody>{html}</tbody></table>"
    )
}

fn rows(
    html: &mut String,
    schema: &Value,
    document: &Value,
    direction: Direction,
    parents: &mut Vec<String>,
) {
    if parents.len() > DEEPEST {
        return;
    }
    let schema = resolve(schema, document);
    if schema["type"] == "array" {
        let is_in_field = match parents.last_mut() {
            Some(parent) => {
                parent.push_str("[]");
                true
            }
            None => false,
        };
        rows(html, &schema["items"], document, direction, parents);
        if is_in_field && let Some(parent) = parents.last_mut() {
            parent.truncate(parent.len() - 2);
        }
        return;
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        rows(html, part, document, direction, parents);
    }
    for alternative in alternatives(schema).filter(|alternative| alternative["properties"].is_object()) {
        let when = inline(alternative["description"].as_str().unwrap_or("Or:"));
        let _ = write!(html, "<tr><td colspan=\"3\">{when}</td></tr>");
        rows(html, alternative, document, direction, parents);
    }
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
    if direction == Direction::Sent {
        fields.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
    }
    for (name, field) in fields {
        let target = resolve(field, document);
        let description =
            field["description"].as_str().or(target["description"].as_str()).unwrap_or_default();
        let note = match (direction, required.contains(&name.as_str())) {
            (Direction::Sent, true) => " <span class=\"note\">required</span>",
            (Direction::Answered, false) => " <span class=\"note\">may be absent</span>",
            _ => "",
        };
        let path: String = parents.iter().flat_map(|parent| [parent.as_str(), "."]).collect();
        let _ = write!(
            html,
            "<tr><td><code><span class=\"path\">{}</span>{}</code>{note}</td><td>{}</td><td>{}</td></tr>",
            escape(&path),
            escape(name),
            escape(&type_of(field, document)),
            inline(description)
        );
        parents.push(name.clone());
        rows(html, target, document, direction, parents);
        parents.pop();
    }
}

/// What a reference means; of what may be null or empty, what it is otherwise.
pub(super) fn resolve<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let named = |schema: &'a Value| {
        schema["$ref"].as_str().and_then(|name| document.pointer(name.strip_prefix('#')?))
    };
    if let Some(target) = named(schema) {
        return resolve(target, document);
    }
    alternatives(schema).find_map(named).map_or(schema, |target| resolve(target, document))
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    [&schema["oneOf"], &schema["anyOf"]].into_iter().filter_map(Value::as_array).flatten()
}

/// What a value may be, with its bounds.
pub(super) fn type_of(schema: &Value, document: &Value) -> String {
    let meant = resolve(schema, document);
    let is_null = |schema: &Value| {
        schema["type"] == "null"
            || schema["type"].as_array().is_some_and(|names| names.iter().any(|name| name == "null"))
    };
    let or_null =
        is_null(schema) || is_null(meant) || alternatives(schema).chain(alternatives(meant)).any(is_null);
    // The first alternative is what is meant; the others say how it is left out.
    let plain = alternatives(meant).next().unwrap_or(meant);
    let mut text = kind(plain, document);
    text.push_str(&bounds(plain));
    if let Some(words) = plain["enum"].as_array() {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).filter(|word| !word.is_empty()).collect();
        text = format!("one of {}", words.join(", "));
    }
    if or_null && text != "null" {
        text.push_str(", or null");
    }
    text
}

fn kind(schema: &Value, document: &Value) -> String {
    let name = match &schema["type"] {
        Value::String(name) => name.as_str(),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or_default()
        }
        _ => "object",
    };
    match (name, schema["format"].as_str()) {
        ("string", Some("uuid")) => "UUID".to_owned(),
        ("string", Some("date-time")) => "time (RFC 3339)".to_owned(),
        ("string", _) => "text".to_owned(),
        ("integer", _) => "whole number".to_owned(),
        ("boolean", _) => "true or false".to_owned(),
        ("array", _) => format!("list of: {}", type_of(&schema["items"], document)),
        (other, _) => other.to_owned(),
    }
}

fn bounds(schema: &Value) -> String {
    let pair = |least: &str, most: &str, of_what: &str| match (schema[least].as_u64(), schema[most].as_u64())
    {
        (Some(least), Some(most)) if least == most => format!(", {least}{of_what}"),
        (Some(least), Some(most)) => format!(", {least} to {most}{of_what}"),
        (None, Some(most)) => format!(", at most {most}{of_what}"),
        (Some(least), None) if least > 0 => format!(", at least {least}{of_what}"),
        _ => String::new(),
    };
    pair("minimum", "maximum", "")
        + &pair("minLength", "maxLength", " characters")
        + &pair("minItems", "maxItems", " of them")
}
