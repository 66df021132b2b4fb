//! Whole numbers that know their bounds: a value outside them, or of another type, is refused with a text
//! that says what is expected. The bounds stand in the generated contract by themselves.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Expected, Unexpected, Visitor};
use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// An integer from `LEAST` to `MOST`, both allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded<const LEAST: i64, const MOST: i64>(i64);

impl<const LEAST: i64, const MOST: i64> Bounded<LEAST, MOST> {
    pub const LEAST: i64 = LEAST;
    pub const MOST: i64 = MOST;

    pub fn new(value: i64) -> Option<Self> {
        (LEAST..=MOST).contains(&value).then_some(Self(value))
    }

    pub fn get(self) -> i64 {
        self.0
    }

    /// The value as `u32`; the bounds of every field that is read this way lie within it.
    pub fn as_u32(self) -> u32 {
        const { assert!(LEAST >= 0 && MOST <= u32::MAX as i64) }
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }

    /// The value as `u64`; the least one is never negative.
    pub fn as_u64(self) -> u64 {
        const { assert!(LEAST >= 0) }
        self.0.unsigned_abs()
    }
}

impl<'de, const LEAST: i64, const MOST: i64> Deserialize<'de> for Bounded<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoundedVisitor)
    }
}

/// For a parameter of a query, where every value is a text: `#[serde(default, deserialize_with = "bounded::from_text")]`.
pub fn from_text<'de, D: Deserializer<'de>, const LEAST: i64, const MOST: i64>(
    deserializer: D,
) -> Result<Option<Bounded<LEAST, MOST>>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let value = text.parse().ok().and_then(Bounded::new);
    value.map(Some).ok_or_else(|| {
        let expected = BoundedVisitor::<LEAST, MOST>;
        // The text is not repeated: it may be a secret in the wrong place.
        D::Error::custom(format!("expected {}", &expected as &dyn Expected))
    })
}

struct BoundedVisitor<const LEAST: i64, const MOST: i64>;

impl<const LEAST: i64, const MOST: i64> Visitor<'_> for BoundedVisitor<LEAST, MOST> {
    type Value = Bounded<LEAST, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MOST {
            i64::MAX => write!(f, "a whole number from {LEAST} on"),
            _ => write!(f, "a whole number from {LEAST} to {MOST}"),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Bounded::new(value).ok_or_else(|| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        i64::try_from(value)
            .ok()
            .and_then(Bounded::new)
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }
}

impl<const LEAST: i64, const MOST: i64> Serialize for Bounded<LEAST, MOST> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

impl<const LEAST: i64, const MOST: i64> PartialSchema for Bounded<LEAST, MOST> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some(LEAST))
            .maximum((MOST < i64::MAX).then_some(MOST))
            .into()
    }
}

impl<const LEAST: i64, const MOST: i64> ToSchema for Bounded<LEAST, MOST> {
    fn name() -> Cow<'static, str> {
        Cow::Owned(format!("IntegerFrom{LEAST}To{MOST}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(json: &str) -> String {
        serde_json::from_str::<Bounded<1, 10>>(json).unwrap_err().to_string()
    }

    #[test]
    fn takes_both_ends_and_nothing_beyond() {
        assert_eq!(serde_json::from_str::<Bounded<1, 10>>("1").unwrap().get(), 1);
        assert_eq!(serde_json::from_str::<Bounded<1, 10>>("10").unwrap().get(), 10);
        for outside in ["0", "11", "-1", "18446744073709551615", "-9223372036854775808"] {
            assert!(refusal(outside).contains("expected a whole number from 1 to 10"), "{outside}");
        }
    }

    #[test]
    fn a_parameter_is_told_its_bounds_and_no_bound_that_is_none() {
        fn refusal<const MOST: i64>(text: &str) -> String {
            from_text::<_, 1, MOST>(serde_json::Value::from(text)).unwrap_err().to_string()
        }
        assert_eq!(refusal::<10>("11"), "expected a whole number from 1 to 10");
        assert_eq!(refusal::<{ i64::MAX }>("0"), "expected a whole number from 1 on");
    }

    #[test]
    fn other_types_are_refused_with_the_same_words() {
        for other in ["\"5\"", "5.0", "1e3", "true", "null", "[]", "{}", "99999999999999999999999"] {
            assert!(refusal(other).contains("expected a whole number from 1 to 10"), "{other}");
        }
    }
}
