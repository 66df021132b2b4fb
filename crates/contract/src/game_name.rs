//! The name of a game: a line of text of bounded length, for people.
//! White space around it is taken off before it is counted.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct GameName(String);

impl GameName {
    /// In characters.
    pub const LEAST: usize = 1;
    pub const MOST: usize = 80;

    /// What is wrong with the text, if it is no name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = text.trim();
        let length = name.chars().count();
        if !(Self::LEAST..=Self::MOST).contains(&length) {
            return Err(format!(
                "a name has {} to {} characters, not counting white space around them; this one has {length}",
                Self::LEAST,
                Self::MOST
            ));
        }
        if name.chars().any(|character| character.is_control() || turns_the_text(character)) {
            return Err("control characters are not allowed".to_owned());
        }
        if name.chars().all(|character| character.is_whitespace() || is_invisible(character)) {
            return Err("a name has at least one character that can be seen".to_owned());
        }
        Ok(Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Changes the direction of the text after it, also of what stands beside the name.
fn turns_the_text(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Has no width. Between letters or emojis some of them have a meaning, by themselves none.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{fe0f}' | '\u{feff}')
}

impl<'de> Deserialize<'de> for GameName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

impl PartialSchema for GameName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(Self::LEAST))
            .max_length(Some(Self::MOST))
            .into()
    }
}

impl ToSchema for GameName {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("GameName")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let name = serde_json::from_value::<GameName>(text.into());
        name.map(|name| name.as_str().to_owned()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn white_space_around_a_name_does_not_count() {
        let longest = "ü".repeat(80);
        for (text, name) in [
            ("x", "x"),
            (" \t Final, hall 3\n", "Final, hall 3"),
            ("\u{a0}two  words\u{2003}", "two  words"),
            ("👩\u{200d}🚀", "👩\u{200d}🚀"),
            (&longest, &longest),
            (&format!("  {longest}  "), &longest),
        ] {
            assert_eq!(read(text), Ok(name.to_owned()));
        }
    }

    #[test]
    fn a_name_has_1_to_80_characters_of_one_line() {
        let range = "a name has 1 to 80 characters, not counting white space around them";
        for (text, length) in [("", 0), ("   \n", 0), (&"ü".repeat(81), 81)] {
            assert_eq!(read(text), Err(format!("{range}; this one has {length}")));
        }
        for text in ["one\ntwo", "a\u{7f}b", "a\0b", "\u{1b}[31mred", "a\u{202e}b", "\u{2066}a\u{2069}"] {
            assert_eq!(read(text), Err("control characters are not allowed".to_owned()));
        }
        for text in ["\u{200b}", "\u{feff}\u{2060} \u{ad}\u{200d}"] {
            assert_eq!(read(text), Err("a name has at least one character that can be seen".to_owned()));
        }
    }
}
