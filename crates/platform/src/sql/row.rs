//! Rows of an answer: values by the names of their columns.
//! A value that is not what it should be is an error that names its column.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::{SqlFault, StoredValue};

/// The names of an answer's columns, in their order.
pub type RowColumns = Arc<[Box<str>]>;

#[derive(Clone, Debug)]
pub struct Row {
    columns: RowColumns,
    values: Vec<StoredValue>,
}

impl Row {
    pub fn new(columns: RowColumns, values: Vec<StoredValue>) -> Self {
        Self { columns, values }
    }

    /// In the order of the answer's columns.
    pub fn values(&self) -> &[StoredValue] {
        &self.values
    }

    pub fn get<T: FromColumn>(&self, column: &str) -> Result<T, SqlFault> {
        let place = self.columns.iter().position(|name| &**name == column);
        let value = place.and_then(|place| self.values.get(place));
        let value = value.ok_or_else(|| SqlFault::unreadable(format_args!("there is no column {column}")))?;
        T::from_column(value)
            .ok_or_else(|| SqlFault::unreadable(format_args!("{column} is {value:?}, which it cannot be")))
    }

    /// The first value, of answers that have one.
    pub fn first<T: FromColumn>(&self) -> Result<T, SqlFault> {
        self.get(self.columns.first().map_or("", |name| name))
    }

    pub fn text(&self, column: &str) -> Result<&str, SqlFault> {
        self.borrowed(column, |value| match value {
            StoredValue::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    pub fn bytes(&self, column: &str) -> Result<&[u8], SqlFault> {
        self.borrowed(column, |value| match value {
            StoredValue::Bytes(bytes) => Some(bytes.as_slice()),
            _ => None,
        })
    }

    /// One of a set of words.
    pub fn word<T>(&self, column: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, SqlFault> {
        let text = self.text(column)?;
        let unknown = || format!("{column} is `{text}`, which this version does not know");
        parse(text).ok_or_else(|| SqlFault::Unreadable(unknown()))
    }

    fn borrowed<'a, T: ?Sized>(
        &'a self,
        column: &str,
        read: impl FnOnce(&'a StoredValue) -> Option<&'a T>,
    ) -> Result<&'a T, SqlFault> {
        let place = self.columns.iter().position(|name| &**name == column);
        let found = place.and_then(|place| self.values.get(place)).and_then(read);
        found.ok_or_else(|| SqlFault::unreadable(format_args!("{column} is missing or of another kind")))
    }
}

/// What a column's value can be read as.
pub trait FromColumn: Sized {
    fn from_column(value: &StoredValue) -> Option<Self>;
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_column(value: &StoredValue) -> Option<Self> {
        match value {
            StoredValue::Null => Some(None),
            value => T::from_column(value).map(Some),
        }
    }
}

impl FromColumn for i64 {
    fn from_column(value: &StoredValue) -> Option<Self> {
        match value {
            StoredValue::Integer(number) => Some(*number),
            _ => None,
        }
    }
}

/// Keeps its bits, see `Value`.
impl FromColumn for u64 {
    fn from_column(value: &StoredValue) -> Option<Self> {
        i64::from_column(value).map(i64::cast_unsigned)
    }
}

macro_rules! smaller_integers {
    ($($number:ty),*) => { $(
        impl FromColumn for $number {
            fn from_column(value: &StoredValue) -> Option<Self> {
                i64::from_column(value).and_then(|number| number.try_into().ok())
            }
        }
    )* };
}
smaller_integers!(u32, i32, u16, u8);

impl FromColumn for bool {
    fn from_column(value: &StoredValue) -> Option<Self> {
        i64::from_column(value).map(|number| number != 0)
    }
}

impl FromColumn for Timestamp {
    fn from_column(value: &StoredValue) -> Option<Self> {
        i64::from_column(value).and_then(|millis| Self::from_millisecond(millis).ok())
    }
}

impl FromColumn for String {
    fn from_column(value: &StoredValue) -> Option<Self> {
        match value {
            StoredValue::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

/// SQLite keeps an id as 16 bytes.
impl FromColumn for Uuid {
    fn from_column(value: &StoredValue) -> Option<Self> {
        match value {
            StoredValue::Uuid(id) => Some(*id),
            StoredValue::Bytes(bytes) => Self::from_slice(bytes).ok(),
            _ => None,
        }
    }
}

impl<const LENGTH: usize> FromColumn for [u8; LENGTH] {
    fn from_column(value: &StoredValue) -> Option<Self> {
        match value {
            StoredValue::Bytes(bytes) => bytes.as_slice().try_into().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for StoredValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let columns: RowColumns = ["id", "number", "name", "nothing"].map(Box::from).into();
        let values = vec![
            StoredValue::Bytes(vec![7; 16]),
            StoredValue::Integer(-1),
            StoredValue::Text("ada".to_owned()),
            StoredValue::Null,
        ];
        Row::new(columns, values)
    }

    #[test]
    fn a_value_is_read_by_the_name_of_its_column() {
        let row = row();
        assert_eq!(row.get("id"), Ok(Uuid::from_bytes([7; 16])));
        assert_eq!((row.get("number"), row.get("number")), (Ok(-1_i64), Ok(u64::MAX)));
        assert_eq!((row.text("name"), row.get("nothing")), (Ok("ada"), Ok(None::<String>)));
        assert_eq!(row.first(), Ok([7; 16]));
    }

    #[test]
    fn a_value_that_cannot_be_read_names_its_column() {
        let row = row();
        let faults = [
            row.get::<u32>("number").unwrap_err(),
            row.get::<Uuid>("name").unwrap_err(),
            row.get::<i64>("nothing").unwrap_err(),
            row.get::<i64>("missing").unwrap_err(),
            row.word("name", |_| None::<()>).unwrap_err(),
        ];
        for (fault, column) in faults.iter().zip(["number", "name", "nothing", "missing", "name"]) {
            assert!(fault.to_string().contains(column), "{fault}");
        }
    }
}
