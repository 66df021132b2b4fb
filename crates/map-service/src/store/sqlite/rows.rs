//! Single values of a row: ids, instants, words and numbers, from what SQLite has to what the core has.
//! A value that no version of ours wrote is an error that names its column.

use std::fmt;

use jiff::Timestamp;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Error, Result, Row};
use starkeep_map_core::{Book, Deposit, DepositId, Nonce, Origin, ResourceKind};
use starkeep_platform::sqlite::uuid_column;

/// What a row says about the deposit of a slot.
pub(super) enum DepositRow {
    Vacated,
    /// The deposit that the world was made with has changed.
    AsMade {
        id: DepositId,
        added: i64,
        updated_at: Timestamp,
    },
    /// It appeared later.
    Later(Deposit),
}

pub(super) fn deposit(row: &Row<'_>) -> Result<DepositRow> {
    if row.get_ref("id")? == ValueRef::Null {
        return Ok(DepositRow::Vacated);
    }
    let id = DepositId(uuid_column(row, "id")?);
    let updated_at = instant(row, "updated_at_millis")?;
    if let Some(added) = row.get("added")? {
        return Ok(DepositRow::AsMade { id, added, updated_at });
    }
    Ok(DepositRow::Later(Deposit {
        id,
        kind: word(row, "kind", ResourceKind::parse)?,
        max_amount: row.get("max_amount")?,
        current_amount: row.get("current_amount")?,
        created_at: instant(row, "created_at_millis")?,
        updated_at,
    }))
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

pub(super) fn origin(row: &Row<'_>) -> Result<Origin> {
    let version = row.get("generator_version")?;
    word(row, "style", |style| Origin::parse(style, version))
}

pub(super) fn nonce(row: &Row<'_>) -> Result<Option<Nonce>> {
    match row.get_ref("nonce")? {
        ValueRef::Null => Ok(None),
        _ => word(row, "nonce", Nonce::parse).map(Some),
    }
}

/// A stored value that no version of ours wrote.
pub(super) fn invalid(text: impl fmt::Display) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, text.to_string().into())
}
