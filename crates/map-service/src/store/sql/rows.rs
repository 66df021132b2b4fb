//! Values of a row from what the database has to what the core has.
//! A value that no version of ours wrote is an error that names its column.

use jiff::Timestamp;
use starkeep_map_core::{Book, Deposit, DepositId, Nonce, Origin, ResourceKind};
use starkeep_platform::sql::{Row, SqlFault};
use uuid::Uuid;

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

pub(super) fn deposit(row: &Row) -> Result<DepositRow, SqlFault> {
    let (id, added) = (row.get::<Option<Uuid>>("id")?.map(DepositId), row.get("added")?);
    match (id, added, row.get::<Option<String>>("kind")?) {
        (None, None, None) => Ok(DepositRow::Vacated),
        (Some(id), Some(added), None) => {
            Ok(DepositRow::AsMade { id, added, updated_at: row.get("updated_at_millis")? })
        }
        (Some(id), None, Some(_)) => Ok(DepositRow::Later(Deposit {
            id,
            kind: row.word("kind", ResourceKind::parse)?,
            max_amount: row.get("max_amount")?,
            current_amount: row.get("current_amount")?,
            created_at: row.get("created_at_millis")?,
            updated_at: row.get("updated_at_millis")?,
        })),
        (id, added, kind) => Err(SqlFault::unreadable(format_args!(
            "a deposit has id {id:?}, added {added:?} and kind {kind:?}, which do not go together"
        ))),
    }
}

pub(super) fn book(row: &Row) -> Result<(ResourceKind, Book), SqlFault> {
    let book =
        Book { initial: row.get("initial")?, replenished: row.get("replenished")?, mined: row.get("mined")? };
    Ok((row.word("kind", ResourceKind::parse)?, book))
}

pub(super) fn origin(row: &Row) -> Result<Origin, SqlFault> {
    let version = row.get("generator_version")?;
    row.word("style", |style| Origin::parse(style, version))
}

pub(super) fn nonce(row: &Row) -> Result<Option<Nonce>, SqlFault> {
    let Some(text) = row.get::<Option<String>>("nonce")? else { return Ok(None) };
    let nonce = Nonce::parse(&text);
    nonce.map(Some).ok_or_else(|| SqlFault::unreadable(format_args!("nonce is `{text}`, which is none")))
}
