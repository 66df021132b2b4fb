//! Carrying the rows of all services in a database: read as they were at one moment (`reader`), or written into an empty
//! database (`writer`), in one session that keeps services away meanwhile (`hold`). Here is what both ask of the catalogue.

mod hold;
mod reader;
mod writer;

use starkeep_platform::sql::transfer::{CarryFault, Column, ColumnKind, Table, quoted};
use starkeep_platform::sql::{Row, SqlFault};
use tokio_postgres::types::Type;

pub use self::reader::PostgresReader;
pub use self::writer::PostgresWriter;
use crate::connection::Session;
use crate::values::Parameter;

/// Of the processes that run on a schema. They are not carried: whoever starts next begins anew with them.
const OF_PROCESSES: [&str; 3] = ["change_log", "lease", "replica"];

/// SQLite keeps it beside its tables, and a file before them.
const VERSION: (&str, &str) = ("installation", "format");

const COLUMNS: &str = "SELECT relname, attname, pg_type.typname, (attidentity <> '')::int AS is_identity,
        coalesce(array_position(indkey::int2[], attnum), -1) AS place
    FROM pg_catalog.pg_attribute
    JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
    JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
    JOIN pg_catalog.pg_type AS declared ON declared.oid = atttypid
    JOIN pg_catalog.pg_type ON pg_type.oid = CASE declared.typtype WHEN 'd' THEN declared.typbasetype ELSE declared.oid END
    LEFT JOIN pg_catalog.pg_index ON indrelid = attrelid AND indisprimary
    WHERE nspname = ?1 AND relkind = 'r' AND attnum > 0 AND NOT attisdropped";

/// Where a service's tables are.
#[derive(Clone, Debug)]
pub struct ServiceSchema {
    pub service: &'static str,
    /// Lower-case letters, digits and underscores.
    pub schema: String,
}

/// A table, and what only PostgreSQL knows of it.
struct KnownTable {
    /// Its rows are not counted.
    table: Table,
    /// In the order of its columns.
    types: Vec<Type>,
    /// The columns of its key in their order.
    key: Vec<String>,
    /// The column that PostgreSQL numbers by itself.
    identity: Option<String>,
}

/// All tables of the schema whose rows are carried.
async fn tables_of(session: &Session, schema: &str) -> Result<Vec<KnownTable>, CarryFault> {
    let rows = session.rows(COLUMNS, vec![Parameter::Text(schema.to_owned())]).await.map_err(failed)?;
    let mut found = rows.iter().map(FoundColumn::read).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    found.retain(|column| !OF_PROCESSES.contains(&&*column.table) && !column.is(VERSION));
    // By bytes, whatever the order of the database's locale is.
    found.sort_by(|one, other| (&one.table, &one.column).cmp(&(&other.table, &other.column)));
    found.chunk_by(|one, other| one.table == other.table).map(known_table).collect()
}

struct FoundColumn {
    table: String,
    column: String,
    kind: String,
    is_identity: bool,
    /// In the key; -1 where it is not part of it.
    place: i32,
}

impl FoundColumn {
    fn read(row: &Row) -> Result<Self, SqlFault> {
        Ok(Self {
            table: row.get("relname")?,
            column: row.get("attname")?,
            kind: row.get("typname")?,
            is_identity: row.get("is_identity")?,
            place: row.get("place")?,
        })
    }

    fn is(&self, (table, column): (&str, &str)) -> bool {
        self.table == table && self.column == column
    }

    fn kinds(&self) -> Result<(ColumnKind, Type), CarryFault> {
        Ok(match &*self.kind {
            "int8" => (ColumnKind::Integer, Type::INT8),
            "text" => (ColumnKind::Text, Type::TEXT),
            "bytea" => (ColumnKind::Bytes, Type::BYTEA),
            "uuid" => (ColumnKind::Bytes, Type::UUID),
            other => {
                let text =
                    format!("{}.{} is of the type {other}, which is not carried", self.table, self.column);
                return Err(CarryFault::Database(text));
            }
        })
    }
}

/// Of all columns of one table.
fn known_table(found: &[FoundColumn]) -> Result<KnownTable, CarryFault> {
    let (mut columns, mut types) = (Vec::new(), Vec::new());
    for column in found {
        let (kind, of) = column.kinds()?;
        columns.push(Column { name: column.column.clone(), kind });
        types.push(of);
    }
    let mut key: Vec<_> = found.iter().filter(|column| column.place >= 0).collect();
    key.sort_by_key(|column| column.place);
    let key = key.into_iter().map(|column| column.column.clone()).collect();
    let identity = found.iter().find(|column| column.is_identity).map(|column| column.column.clone());
    let name = found.first().map(|column| column.table.clone()).unwrap_or_default();
    Ok(KnownTable { table: Table { name, rows: 0, columns }, types, key, identity })
}

/// With its schema.
fn full_name(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(fault: SqlFault) -> CarryFault {
    CarryFault::Database(fault.to_string())
}
