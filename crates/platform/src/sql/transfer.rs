//! Carrying all rows of an installation from one place to another: what a table looks like in any database, and what a place has
//! to give and to take. What stands in the file between two places is the crate `transfer`'s business.

use std::fmt::Display;
use std::io;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Migration, PostgresTables, StoredValue, Value};

/// Tables that every service has. What PostgreSQL has beside them (the change log, the lease, the replicas) belongs to the processes
/// that run on it.
pub const COMMON_TABLES: [&str; 8] =
    ["installation", "event_log", "event_subject", "answer", "relay", "intent", "document", "lookup"];

/// The tables of a service as data: whoever carries rows need not know what they mean.
#[derive(Clone, Copy)]
pub struct Schema {
    pub sqlite_migrations: &'static [Migration],
    /// The version that the first of PostgreSQL's migrations makes.
    pub first_postgres_version: usize,
    pub postgres_migrations: &'static [Migration],
    /// See [`PostgresTables::TABLES`].
    pub tables: &'static [&'static str],
    /// See [`PostgresTables::POSITIONS`].
    pub positions: &'static [(&'static str, &'static str)],
}

impl Schema {
    pub const fn of<D: PostgresTables>() -> Self {
        assert!(
            D::FIRST_VERSION + D::POSTGRES_MIGRATIONS.len() == D::SQLITE_MIGRATIONS.len() + 1,
            "the newest version is the same in both databases"
        );
        Self {
            sqlite_migrations: D::SQLITE_MIGRATIONS,
            first_postgres_version: D::FIRST_VERSION,
            postgres_migrations: D::POSTGRES_MIGRATIONS,
            tables: D::TABLES,
            positions: D::POSITIONS,
        }
    }

    /// All whose rows are carried.
    pub fn all_tables(&self) -> impl Iterator<Item = &'static str> {
        COMMON_TABLES.into_iter().chain(self.tables.iter().copied())
    }

    /// The newest, which is the same in both databases.
    pub const fn version(&self) -> usize {
        self.sqlite_migrations.len()
    }
}

/// A service whose rows are carried.
#[derive(Clone, Copy)]
pub struct CarriedService {
    pub name: &'static str,
    pub schema: Schema,
}

/// What the values of a column are. Ids are 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    Integer,
    Text,
    Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    pub kind: ColumnKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub name: String,
    pub rows: u64,
    /// In the order of their names: that of the databases differs.
    pub columns: Vec<Column>,
}

/// What there is of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceTables {
    pub name: String,
    /// The version of its schema.
    pub schema: usize,
    /// Tells its event log from every other.
    pub epoch: Uuid,
    /// In the order of [`PostgresTables::TABLES`].
    pub tables: Vec<Table>,
}

/// Takes the rows of a table, one after the other. A failure ends the reading.
pub trait RowSink: Send {
    fn take(&mut self, values: &[Value<'_>]) -> io::Result<()>;
}

/// Gives the rows of a table, one after the other, and then none.
pub trait RowSource: Send {
    fn next(&mut self) -> io::Result<Option<Vec<StoredValue>>>;
}

/// An installation, or what there is of one, as it was at one moment. It stays so until this is dropped.
pub trait InstallationReader: Send {
    fn services(&mut self) -> BoxFuture<'_, Result<Vec<ServiceTables>, CarryFault>>;

    /// All rows of a table in the order of its key, which is the same in every database.
    fn read<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), CarryFault>>;

    /// Fails where it turns out that what was read was changed meanwhile.
    fn finish(&mut self) -> BoxFuture<'_, Result<(), CarryFault>>;
}

/// An empty place that becomes an installation when this is committed, and stays empty where it is dropped before.
pub trait InstallationWriter: Send {
    /// Makes the tables of a service as they were in this version of its schema, and tells what they are like.
    fn begin<'a>(
        &'a mut self,
        service: &'a CarriedService,
        version: usize,
    ) -> BoxFuture<'a, Result<Vec<Table>, CarryFault>>;

    /// Fills one of them. What was in it before is removed: migrations put rows into some.
    fn write<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<(), CarryFault>>;

    /// Brings all schemas up to date and makes everything visible at once. What a person should know of it, in sentences.
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<Vec<String>, CarryFault>>;
}

/// Why nothing, or not everything, was carried. The texts are for a person.
#[derive(Debug, thiserror::Error)]
pub enum CarryFault {
    /// It cannot be done there, or not now.
    #[error("{0}")]
    Refused(String),
    /// The database failed on the way.
    #[error("{0}")]
    Database(String),
    /// The other side failed: rows could not be taken or given.
    #[error(transparent)]
    Rows(#[from] io::Error),
}

impl CarryFault {
    /// Of rows whose schema is not this program's.
    pub fn other_version(place: impl Display, found: usize, known: usize) -> Self {
        Self::Refused(if found > known {
            format!(
                "{place} was written by a newer version (schema {found}, this program knows {known}): use that one"
            )
        } else {
            format!(
                "{place} is of an earlier version (schema {found}, this program has {known}): start this version of \
                 `starkeep serve` on it once, which brings it up to date"
            )
        })
    }
}

/// The name of a table or a column in a statement.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Several of them.
pub fn quoted_list<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}
