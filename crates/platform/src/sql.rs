//! Statements and rows, whichever database they are for. A service's row code is written once and runs on SQLite and on
//! PostgreSQL; only the migrations, which make the tables, are written for each.
//!
//! The text of a statement is SQL that both databases understand, with `?1` for the first value (PostgreSQL is given `$1`). It is
//! a constant: statements are prepared once, and nothing that a client sent can become part of one.
//!
//! Reading waits: a question to PostgreSQL is answered after a round trip, and several that are asked at once share it. With
//! SQLite the same futures are ready when they are first polled ([`at_once`]). Writing a batch does not wait: its statements
//! are handed to [`Statements`] in their order, and the database says at the end whether all of them succeeded.

pub mod answers;
mod common;
mod documents;
mod fault;
mod intents;
pub mod log;
mod row;
mod store;
pub mod transfer;
mod value;
mod writer_status;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};

pub use self::fault::SqlFault;
pub use self::intents::{begin_intent, load_intents, remove_intent, take_over_intent};
pub use self::row::{FromColumn, Row, RowColumns};
pub use self::store::{Database, Isolation, SqlStore, Work};
pub use self::value::{StoredValue, Value};
pub use self::writer_status::WriterStatus;
use crate::document_writes::DocumentWrites;
use crate::domain::{ChangeCodec, Domain};

/// The values of a statement, in the order of their numbers: `values![id, name]`.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*] };
}

/// A connection to a database.
pub trait SqlConnection: Send + Sync {
    fn query<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlFault>>;

    /// How many rows were changed.
    fn execute<'a>(&'a self, sql: &'static str, values: &[Value<'_>])
    -> BoxFuture<'a, Result<u64, SqlFault>>;
}

impl<'d> dyn SqlConnection + 'd {
    /// The only row, if there is one.
    pub fn query_one<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Option<Row>, SqlFault>> + Send + use<'a, 'd> {
        self.query(sql, values).map(|rows| Ok(rows?.pop()))
    }

    /// The only row of an answer that always has one.
    pub fn query_row<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Row, SqlFault>> + Send + use<'a, 'd> {
        let missing = move || SqlFault::unreadable(format_args!("there is no row: {sql}"));
        self.query(sql, values).map(move |rows| rows?.pop().ok_or_else(missing))
    }

    pub fn exists<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<bool, SqlFault>> + Send + use<'a, 'd> {
        self.query(sql, values).map(|rows| Ok(!rows?.is_empty()))
    }
}

/// Takes the statements of a batch, in their order.
pub trait Statements {
    fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), SqlFault>;

    /// The batch fails if it does not change exactly one row.
    fn run_on_one_row(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), SqlFault>;
}

/// Tables that every service has in SQLite, part of its first migration.
pub const PLATFORM_TABLES: &str = include_str!("sql/platform.sql");

/// The pieces of SQL that make one version of a schema from the one before.
pub type Migration = &'static [&'static str];

/// What was found in the database, on its way into an image.
pub type Load<I> = Box<dyn FnOnce(&mut I) -> Result<(), SqlFault> + Send>;

/// Puts what was found into the image.
pub fn into_image<I>(load: impl FnOnce(&mut I) + Send + 'static) -> Load<I> {
    Box::new(|image| {
        load(image);
        Ok(())
    })
}

/// A domain's rows in a database.
pub trait SqlTables: Domain {
    /// In order; a schema's version is how many have been made.
    const SQLITE_MIGRATIONS: &'static [Migration];

    /// What this process has at hand that `find` need not read; `()` where that is nothing.
    type Cache: Default + Send + Sync + 'static;

    /// Everything that is kept in memory.
    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Self::Image, SqlFault>>;

    /// Is what the key names to be asked for, because memory does not hold it? Never where everything is in memory.
    fn lacks(_image: &Self::Image, _key: &Self::Key) -> bool {
        false
    }

    /// Finds what the key names. What the running batch knows already goes before it: that is saved later.
    fn find<'a>(
        _connection: &'a dyn SqlConnection,
        _cache: &'a Self::Cache,
        _key: &'a Self::Key,
    ) -> BoxFuture<'a, Result<Load<Self::Image>, SqlFault>> {
        ready(Ok(into_image(|_| {}))).boxed()
    }

    /// Writes a batch of changes in their order. Where two touch the same row, the last may stand for both.
    fn save(
        rows: &mut dyn Statements,
        changes: &[Self::Change],
        documents: &DocumentWrites,
    ) -> Result<(), SqlFault>;
}

/// A domain's tables in PostgreSQL. Its migrations have the same numbers as those of SQLite: the first one there makes all tables
/// as they are after so many.
pub trait PostgresTables: SqlTables + ChangeCodec {
    const FIRST_VERSION: usize;
    const POSTGRES_MIGRATIONS: &'static [Migration];

    /// All tables of its own, in both databases; a table stands behind those that it refers to. What every service has beside them
    /// is in [`transfer::COMMON_TABLES`].
    const TABLES: &'static [&'static str];
    /// Tables and columns that hold positions in the event logs of services.
    const POSITIONS: &'static [(&'static str, &'static str)];
}

/// What a database has answered that never waits.
pub fn at_once<T>(answer: impl Future<Output = T>) -> T {
    answer.now_or_never().expect("an embedded database answers at once")
}
