//! Single values: those of a statement, borrowed, and those of a row.
//! Ids are UUIDs, instants are milliseconds since 1970, truths are 0 and 1, and numbers without a sign keep their bits.

use jiff::Timestamp;
use uuid::Uuid;

/// A value of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    Null,
    Integer(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Uuid(Uuid),
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredValue {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid(Uuid),
}

impl StoredValue {
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(number) => Value::Integer(*number),
            Self::Text(text) => Value::Text(text),
            Self::Bytes(bytes) => Value::Bytes(bytes),
            Self::Uuid(id) => Value::Uuid(*id),
        }
    }
}

macro_rules! integers {
    ($($number:ty),*) => { $(
        impl From<$number> for Value<'_> {
            fn from(number: $number) -> Self {
                Self::Integer(i64::from(number))
            }
        }
    )* };
}
integers!(i64, i32, u32, u16, u8, bool);

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Self::Integer(number.cast_signed())
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(instant: Timestamp) -> Self {
        Self::Integer(instant.as_millisecond())
    }
}

impl From<Uuid> for Value<'_> {
    fn from(id: Uuid) -> Self {
        Self::Uuid(id)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Value<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, const LENGTH: usize> From<&'a [u8; LENGTH]> for Value<'a> {
    fn from(bytes: &'a [u8; LENGTH]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
