//! JSON texts read as the contract's types. What is wrong with one is said in JSON's words, with the field or the place.
//! The parser's own words are for those who know it, and are never sent.

mod expected;
pub mod ignored;
mod place;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Deserializer, Value, json};
use serde_path_to_error::Segment;
use starkeep_contract::did_you_mean::suggestion;
use starkeep_contract::found::found;

use self::expected::Reason;
use self::ignored::Ignored;
use self::place::Found;

type ParserFault = serde_path_to_error::Error<serde_json::Error>;

/// Why a text was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is no JSON.
    Unreadable(String),
    /// It is JSON, and this field of it is not allowed; `body` is the whole.
    Field { field: String, text: String },
}

pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    let body = text(body)?;
    let mut deserializer = Deserializer::from_str(body);
    let value =
        serde_path_to_error::deserialize(&mut deserializer).map_err(|fault| refuse::<T>(&fault, body))?;
    deserializer.end().map_err(|fault| unreadable(&fault))?;
    Ok(value)
}

/// The same, with the fields that nobody asked for.
pub fn read_noting<T: DeserializeOwned>(body: &[u8]) -> Result<(T, Ignored), Fault> {
    let body = text(body)?;
    let mut deserializer = Deserializer::from_str(body);
    let mut ignored = Ignored::default();
    let mut note = |path: serde_ignored::Path<'_>| ignored.note(&path);
    let noting = serde_ignored::Deserializer::new(&mut deserializer, &mut note);
    let value = serde_path_to_error::deserialize(noting).map_err(|fault| refuse::<T>(&fault, body))?;
    deserializer.end().map_err(|fault| unreadable(&fault))?;
    Ok((value, ignored))
}

fn text(body: &[u8]) -> Result<&str, Fault> {
    let at = |fault: std::str::Utf8Error| fault.valid_up_to() + 1;
    let words = |fault| format!("the body is not UTF-8: byte {} does not belong there", at(fault));
    std::str::from_utf8(body).map_err(|fault| Fault::Unreadable(words(fault)))
}

fn refuse<T: DeserializeOwned>(fault: &ParserFault, body: &str) -> Fault {
    // A wrong type early in a body that breaks off later is still unreadable JSON.
    if let Err(fault) = serde_json::from_str::<IgnoredAny>(body) {
        return unreadable(&fault);
    }
    let path: Vec<&Segment> = fault.path().iter().collect();
    let reason = match Reason::of(fault.inner()) {
        Reason::NotSaid(tried) => asked::<T>(&path, &tried).unwrap_or(Reason::NotSaid(tried)),
        reason => reason,
    };
    let place = fault.path().to_string();
    let (field, text) = match reason {
        Reason::Missing(name) => (below(&place, &name), "required field is missing".to_owned()),
        Reason::Twice(name) => (below(&place, &name), "the field is there twice".to_owned()),
        Reason::TooDeep => (place, "the lists and objects in it are nested too deeply".to_owned()),
        Reason::NotSaid(tried) if tried.is_number() => (place, "a number in it is too large".to_owned()),
        Reason::NotSaid(_) => (place, "this value is not allowed".to_owned()),
        Reason::Other(text) => (place, text),
        Reason::Expected(expected) => {
            let text = expectation(&expected, &place::at(&path, body));
            (place, text)
        }
    };
    Fault::Field { field: if field == "." { "body".to_owned() } else { field }, text }
}

/// The path of a field that the parser names beside the path of its object.
fn below(place: &str, name: &str) -> String {
    if place == "." { name.to_owned() } else { format!("{place}.{name}") }
}

/// Some faults come before the parser has told what it expects: it is asked again with a body that holds nothing but a value
/// at this path which it refuses with its words.
fn asked<T: DeserializeOwned>(path: &[&Segment], tried: &Value) -> Option<Reason> {
    let body = path.iter().rev().fold(tried.clone(), |inner, segment| match segment {
        Segment::Map { key } => json!({ key: inner }),
        _ => json!([inner]),
    });
    let refusal = serde_json::from_value::<T>(body).err()?;
    Some(Reason::of(&refusal)).filter(|reason| matches!(reason, Reason::Expected(_)))
}

fn expectation(expected: &str, at_place: &Found) -> String {
    let value = match at_place {
        Found::Value(value) => value,
        Found::TooLarge => return format!("expected {expected}, found a number that is too large"),
        Found::Nothing => return format!("expected {expected}"),
    };
    let Value::String(text) = value else { return format!("expected {expected}, found {}", found(value)) };
    let kinds_of_text = ["text", "a text", "a UUID", "one of", "`"];
    if kinds_of_text.iter().any(|kind| expected.starts_with(kind)) {
        let other = if text.is_empty() { "an empty text" } else { "another text" };
        return format!("expected {expected}, found {other}{}", suggestion(text, words_in(expected)));
    }
    let is_number = expected.contains("number") && text.trim().parse::<f64>().is_ok();
    let hint = if is_number { "; write the number without quotation marks" } else { "" };
    format!("expected {expected}, found {}{hint}", found(value))
}

/// What stands between backticks.
fn words_in(expected: &str) -> impl Iterator<Item = &str> {
    expected.split('`').skip(1).step_by(2)
}

/// A reason of another parser, which names no place: of a query's parameter.
pub(super) fn plain_reason(text: &str) -> String {
    match Reason::of_text(text) {
        Reason::Expected(expected) => format!("expected {expected}"),
        Reason::Missing(_) => "required parameter is missing".to_owned(),
        Reason::Twice(_) => "the parameter is there twice".to_owned(),
        Reason::Other(text) => text,
        Reason::TooDeep | Reason::NotSaid(_) => "this value is not allowed".to_owned(),
    }
}

fn unreadable(fault: &serde_json::Error) -> Fault {
    Fault::Unreadable(expected::unreadable(fault))
}

#[cfg(test)]
mod tests;
