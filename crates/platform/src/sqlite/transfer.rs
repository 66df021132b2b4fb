//! Carrying the rows of SQLite files: read as they were at one moment (`cut`), or written into new files (`fill`).
//! Here is what both ask of a file: which tables and columns it has.

mod cut;
mod fill;

use rusqlite::Connection;

pub use self::cut::SqliteCut;
pub use self::fill::SqliteFiller;
use crate::sql::transfer::{CarryFault, Column, ColumnKind, Table};

/// A table, and the columns of its key in their order.
struct KnownTable {
    /// Its rows are not counted.
    table: Table,
    key: Vec<String>,
}

/// In the order of their names.
fn tables_of(connection: &Connection) -> Result<Vec<KnownTable>, CarryFault> {
    let mut names = connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
        )
        .map_err(failed)?;
    let names = names.query_map([], |row| row.get(0)).and_then(Iterator::collect::<Result<Vec<String>, _>>);
    names.map_err(failed)?.into_iter().map(|name| table(connection, name)).collect()
}

fn table(connection: &Connection, name: String) -> Result<KnownTable, CarryFault> {
    let mut found = connection
        .prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY name")
        .map_err(failed)?;
    let found = found.query_map([&name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let found: Vec<(String, String, u32)> = found.and_then(Iterator::collect).map_err(failed)?;
    let mut key: Vec<_> = found.iter().filter(|(.., place)| *place > 0).collect();
    key.sort_by_key(|(.., place)| *place);
    let key = key.into_iter().map(|(column, ..)| column.clone()).collect();
    let columns = found.iter().map(|(column, kind, _)| {
        let kind = kind_of(kind).ok_or_else(|| {
            CarryFault::Database(format!("{name}.{column} is of the kind {kind}, which is not carried"))
        })?;
        Ok(Column { name: column.clone(), kind })
    });
    let columns = columns.collect::<Result<_, CarryFault>>()?;
    Ok(KnownTable { table: Table { name, rows: 0, columns }, key })
}

/// All tables are strict.
fn kind_of(declared: &str) -> Option<ColumnKind> {
    match declared {
        "INTEGER" => Some(ColumnKind::Integer),
        "TEXT" => Some(ColumnKind::Text),
        "BLOB" => Some(ColumnKind::Bytes),
        _ => None,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(fault: rusqlite::Error) -> CarryFault {
    CarryFault::Database(fault.to_string())
}
