//! Single values, from the row code's terms to PostgreSQL's and back. The type of a parameter or column decides the form.

use std::error::Error;

use bytes::BytesMut;
use starkeep_platform::error_chain::error_chain;
use starkeep_platform::sql::{Row, RowColumns, SqlFault, StoredValue, Value};
use tokio_postgres::types::{FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};
use uuid::Uuid;

/// A value that waits to be sent.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid(Uuid),
    /// Whole columns, of statements that write many rows at once.
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    Uuids(Vec<Option<Uuid>>),
    ByteStrings(Vec<Vec<u8>>),
}

impl From<&Value<'_>> for Parameter {
    fn from(value: &Value<'_>) -> Self {
        match *value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
            Value::Uuid(id) => Self::Uuid(id),
        }
    }
}

impl ToSql for Parameter {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        if let Kind::Domain(of) = of.kind() {
            return self.to_sql(of, out);
        }
        match (self, of) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Integer(number), &Type::INT8) => number.to_sql(of, out),
            (Self::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(of, out),
            (Self::Integer(number), &Type::INT2) => i16::try_from(*number)?.to_sql(of, out),
            (Self::Text(text), &Type::TEXT | &Type::NAME) => text.to_sql(of, out),
            (Self::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(of, out),
            (Self::Uuid(id), &Type::UUID) => id.to_sql(of, out),
            (Self::Integers(numbers), &Type::INT8_ARRAY) => numbers.to_sql(of, out),
            (Self::Texts(texts), &Type::TEXT_ARRAY) => texts.to_sql(of, out),
            (Self::Uuids(ids), &Type::UUID_ARRAY) => ids.to_sql(of, out),
            (Self::ByteStrings(bytes), &Type::BYTEA_ARRAY) => bytes.to_sql(of, out),
            (value, of) => Err(format!("{value:?} is given where PostgreSQL expects {of}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value as it comes.
struct Column(StoredValue);

impl<'a> FromSql<'a> for Column {
    fn from_sql(of: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *of {
            Type::INT8 => StoredValue::Integer(i64::from_sql(of, raw)?),
            Type::INT4 => StoredValue::Integer(i32::from_sql(of, raw)?.into()),
            Type::INT2 => StoredValue::Integer(i16::from_sql(of, raw)?.into()),
            Type::BOOL => StoredValue::Integer(bool::from_sql(of, raw)?.into()),
            Type::TEXT | Type::VARCHAR | Type::NAME => StoredValue::Text(String::from_sql(of, raw)?),
            Type::BYTEA => StoredValue::Bytes(raw.to_vec()),
            // Of functions that are called for their effect.
            Type::VOID => StoredValue::Null,
            Type::UUID => StoredValue::Uuid(Uuid::from_sql(of, raw)?),
            _ => return Err(format!("a column of type {of} is not read anywhere").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(StoredValue::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

pub(crate) fn columns_of(statement: &tokio_postgres::Statement) -> RowColumns {
    statement.columns().iter().map(|column| Box::from(column.name())).collect()
}

pub(crate) fn row(columns: &RowColumns, row: &tokio_postgres::Row) -> Result<Row, SqlFault> {
    let value = |place| row.try_get::<_, Column>(place).map(|Column(value)| value);
    let values = (0..columns.len()).map(value).collect::<Result<_, _>>();
    values
        .map(|values| Row::new(columns.clone(), values))
        .map_err(|fault| SqlFault::Unreadable(error_chain(&fault)))
}
