//! A row as a line: a JSON list of its values in the order of its table's columns. Bytes are hexadecimal digits.
//! Numbers and texts are exactly as they were: 64 bits with a sign, and any Unicode.

use std::io;

use serde_json::Value as Json;
use starkeep_platform::sql::transfer::{Column, ColumnKind, Table};
use starkeep_platform::sql::{StoredValue, Value};

/// Appends the line, with its end.
pub(crate) fn append(line: &mut Vec<u8>, values: &[Value<'_>]) -> io::Result<()> {
    line.push(b'[');
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            line.push(b',');
        }
        match value {
            Value::Null => line.extend_from_slice(b"null"),
            Value::Integer(number) => serde_json::to_writer(&mut *line, number)?,
            Value::Text(text) => serde_json::to_writer(&mut *line, text)?,
            Value::Bytes(bytes) => append_hex(line, bytes),
            Value::Uuid(id) => append_hex(line, id.as_bytes()),
        }
    }
    line.extend_from_slice(b"]\n");
    Ok(())
}

fn append_hex(line: &mut Vec<u8>, bytes: &[u8]) {
    line.push(b'"');
    line.extend(digits(bytes));
    line.push(b'"');
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    digits(bytes).map(char::from).collect()
}

fn digits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
}

/// The values of a line, or what is wrong with it.
pub(crate) fn read(line: &[u8], table: &Table) -> Result<Vec<StoredValue>, String> {
    let values: Vec<Json> = serde_json::from_slice(line).map_err(|fault| fault.to_string())?;
    if values.len() != table.columns.len() {
        return Err(format!("{} values for {} columns", values.len(), table.columns.len()));
    }
    values.into_iter().zip(&table.columns).map(|(value, column)| stored(value, column)).collect()
}

fn stored(value: Json, column: &Column) -> Result<StoredValue, String> {
    let of_kind = match (value, column.kind) {
        (Json::Null, _) => Some(StoredValue::Null),
        (Json::Number(number), ColumnKind::Integer) => number.as_i64().map(StoredValue::Integer),
        (Json::String(text), ColumnKind::Text) => Some(StoredValue::Text(text)),
        (Json::String(digits), ColumnKind::Bytes) => bytes(&digits).map(StoredValue::Bytes),
        _ => None,
    };
    of_kind.ok_or_else(|| format!("the value of {} is not of its kind ({:?})", column.name, column.kind))
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    if rest.is_empty() { bytes } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(kinds: &[ColumnKind]) -> Table {
        let columns = kinds.iter().map(|kind| Column { name: "column".to_owned(), kind: *kind }).collect();
        Table { name: "table".to_owned(), rows: 1, columns }
    }

    fn value() -> impl Strategy<Value = (ColumnKind, StoredValue)> {
        prop_oneof![
            any::<i64>().prop_map(|number| (ColumnKind::Integer, StoredValue::Integer(number))),
            any::<String>().prop_map(|text| (ColumnKind::Text, StoredValue::Text(text))),
            any::<Vec<u8>>().prop_map(|bytes| (ColumnKind::Bytes, StoredValue::Bytes(bytes))),
            Just((ColumnKind::Text, StoredValue::Null)),
            Just((ColumnKind::Text, StoredValue::Text("a\0b\n\"\u{2028}\u{fffd}".to_owned()))),
        ]
    }

    proptest! {
        #[test]
        fn values_are_read_exactly_as_they_were(row in prop::collection::vec(value(), 0..8)) {
            let (kinds, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
            let mut line = Vec::new();
            append(&mut line, &values.iter().map(StoredValue::borrowed).collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1), "one line");
            prop_assert_eq!(read(&line, &table(&kinds)), Ok(values));
        }
    }

    #[test]
    fn an_id_is_sixteen_bytes() {
        let mut line = Vec::new();
        append(&mut line, &[Value::Uuid(uuid::Uuid::from_u128(0xab))]).unwrap();
        assert_eq!(line, b"[\"000000000000000000000000000000ab\"]\n");
    }

    #[test]
    fn what_is_no_row_of_the_table_is_refused() {
        let table = table(&[ColumnKind::Integer, ColumnKind::Bytes]);
        for line in [
            "",
            "[",
            "[1]",
            "[1,\"00\",2]",
            "{}",
            "[1.5,\"00\"]",
            "[9223372036854775808,\"00\"]",
            "[\"1\",\"00\"]",
            "[1,\"0\"]",
            "[1,\"0G\"]",
            "[1,\"AB\"]",
            "[1,0]",
            "[true,\"00\"]",
        ] {
            assert!(read(line.as_bytes(), &table).is_err(), "{line}");
        }
    }
}
