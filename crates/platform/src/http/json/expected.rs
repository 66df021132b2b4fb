//! What the parser says of a fault, translated: its reason, and what it expected, in the words of JSON.
//! The phrases are serde's and serde_json's; the tests compare with what they say today.

use serde_json::{Error, Value};

/// Why a value was refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reason {
    /// A field of this name is not there.
    Missing(String),
    /// A field of this name is there more than once.
    Twice(String),
    Expected(String),
    TooDeep,
    /// The parser did not say what it expects; it does if this value stands there.
    NotSaid(Value),
    /// A text that a type of the contract has for it.
    Other(String),
}

impl Reason {
    pub(super) fn of(fault: &Error) -> Self {
        let text = fault.to_string();
        Self::of_text(text.rfind(" at line ").map_or(&*text, |place| &text[..place]))
    }

    pub(super) fn of_text(text: &str) -> Self {
        let named = |phrase: &str| text.strip_prefix(phrase)?.split('`').next().map(str::to_owned);
        if let Some(name) = named("missing field `") {
            return Self::Missing(name);
        }
        if let Some(name) = named("duplicate field `") {
            return Self::Twice(name);
        }
        match text {
            // A word out of a list is expected, and what stands there is no text.
            "expected value" => return Self::NotSaid(Value::String(String::new())),
            "number out of range" => return Self::NotSaid(1e300.into()),
            "recursion limit exceeded" => return Self::TooDeep,
            _ if names_no_character(text) => return Self::Other(format!("{NO_CHARACTER} in this text")),
            _ if text.starts_with("UUID parsing failed") => return Self::Expected("a UUID".to_owned()),
            _ => {}
        }
        // What stands before may repeat a text of the body, also one with this word in it.
        match text.rfind("expected ") {
            Some(place) => Self::Expected(plain(&text[place + "expected ".len()..])),
            None => Self::Other(text.to_owned()),
        }
    }
}

const NO_CHARACTER: &str = "`\\u` does not name a character";

/// Half of a pair of `\u`, which is noticed only where the text is read.
fn names_no_character(text: &str) -> bool {
    ["lone leading surrogate", "hex escape", "code point"].iter().any(|phrase| text.contains(phrase))
}

/// A type of Rust as a kind of JSON value.
fn plain(expected: &str) -> String {
    match expected {
        "a string" | "string" | "a borrowed string" | "a character" => "text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a formatted UUID string" => "a UUID".to_owned(),
        "u8" => whole_number(u8::MAX),
        "u16" => whole_number(u16::MAX),
        "u32" => whole_number(u32::MAX),
        "u64" | "usize" => whole_number(u64::MAX),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a map" => "an object".to_owned(),
        _ if expected.starts_with("struct ") => "an object".to_owned(),
        _ if expected.starts_with("a sequence") => "a list".to_owned(),
        _ => expected.to_owned(),
    }
}

fn whole_number(most: impl std::fmt::Display) -> String {
    format!("a whole number from 0 to {most}")
}

/// What makes a text no JSON, and where.
pub(super) fn unreadable(fault: &Error) -> String {
    if (fault.line(), fault.column()) == (1, 0) {
        return "the body is empty; expected JSON".to_owned();
    }
    let text = fault.to_string();
    let text = text.rfind(" at line ").map_or(&*text, |place| &text[..place]);
    let why = match text {
        "EOF while parsing a list" => "the body ends within a list",
        "EOF while parsing an object" => "the body ends within an object",
        "EOF while parsing a string" => "the body ends within a text",
        "EOF while parsing a value" => "the body ends where a value is expected",
        "expected value" => {
            "expected a value: an object, a list, a text in quotation marks, a number, true, false or null"
        }
        "expected ident" => "expected true, false or null",
        "expected `:`" => "expected `:` after the name of a field",
        "expected `,` or `}`" => "expected `,` or `}` after a field",
        "expected `,` or `]`" => "expected `,` or `]` after an element",
        "key must be a string" => "the name of a field must be a text in quotation marks",
        "trailing comma" => "nothing follows the comma",
        "trailing characters" => "something follows the end of the JSON value",
        "invalid number" => "this is no number of JSON",
        "invalid escape" => "in a text `\\` is followed by one of `\"\\/bfnrtu`",
        text if text.starts_with("control character") => "a text must not contain line breaks; write `\\n`",
        text if names_no_character(text) => NO_CHARACTER,
        _ => "this is no JSON",
    };
    format!("line {}, column {}: {why}", fault.line(), fault.column())
}
