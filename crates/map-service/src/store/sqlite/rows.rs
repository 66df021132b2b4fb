//! Single values of a row: ids, instants, words and numbers, from what SQLite has to what the core has.
//! A value that no version of ours wrote is an error that names its column.

use std::fmt;

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Error, Result, Row};
use starkeep_map_core::{Book, Deposit, DepositId, Planet, PlanetId, PlanetKind, ResourceKind};
use starkeep_platform::sqlite::uuid_column;

pub(super) fn planet(row: &Row<'_>) -> Result<Planet> {
    Ok(Planet {
        id: PlanetId(uuid_column(row, "id")?),
        x: row.get("x")?,
        y: row.get("y")?,
        kind: word(row, "kind", PlanetKind::parse)?,
    })
}

pub(super) fn deposit(row: &Row<'_>) -> Result<Deposit> {
    Ok(Deposit {
        id: DepositId(uuid_column(row, "id")?),
        kind: word(row, "kind", ResourceKind::parse)?,
        max_amount: row.get("max_amount")?,
        current_amount: row.get("current_amount")?,
        created_at: instant(row, "created_at_millis")?,
        updated_at: instant(row, "updated_at_millis")?,
    })
}

pub(super) fn book(row: &Row<'_>) -> Result<(ResourceKind, Book)> {
    let book =
        Book { initial: row.get("initial")?, replenished: row.get("replenished")?, mined: row.get("mined")? };
    Ok((word(row, "kind", ResourceKind::parse)?, book))
}

pub(super) fn instant(row: &Row<'_>, column: &str) -> Result<Timestamp> {
    Timestamp::from_millisecond(row.get(column)?).map_err(|_| invalid(format_args!("{column} is no instant")))
}

pub(super) fn word<T>(row: &Row<'_>, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|_| invalid(format_args!("{column} is no text")))?;
    parse(text).ok_or_else(|| invalid(format_args!("{column} is `{text}`, which this version does not know")))
}

/// A stored value that no version of ours wrote.
pub(super) fn invalid(text: impl fmt::Display) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, text.to_string().into())
}
