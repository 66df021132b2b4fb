//! The value at a path of a JSON text, found without reading the rest into memory: a text may have many megabytes.
//! Of a list or an object only that it is one is told.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use serde_path_to_error::Segment;

/// What stands at the path of a text that is JSON.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    Value(Value),
    /// A number that no type holds: it can be skipped, and not be read.
    TooLarge,
    /// The path leads nowhere.
    Nothing,
}

pub(super) fn at(path: &[&Segment], body: &str) -> Found {
    match At(path).deserialize(&mut serde_json::Deserializer::from_str(body)) {
        Ok(Some(value)) => Found::Value(value),
        Ok(None) => Found::Nothing,
        Err(_) => Found::TooLarge,
    }
}

struct At<'a>(&'a [&'a Segment]);

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let Some((first, rest)) = self.0.split_first() else {
            while elements.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Some(json!([])));
        };
        let Segment::Seq { index } = first else { return Ok(None) };
        for _ in 0..*index {
            elements.next_element::<IgnoredAny>()?;
        }
        let found = elements.next_element_seed(At(rest))?.flatten();
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let Some((first, rest)) = self.0.split_first() else {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Some(json!({})));
        };
        let Segment::Map { key: wanted } = first else { return Ok(None) };
        let mut found = None;
        while let Some(key) = fields.next_key::<String>()? {
            if key == *wanted && found.is_none() {
                found = fields.next_value_seed(At(rest))?;
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
