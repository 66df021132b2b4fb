//! A connection to an SQLite file, as the row code of services sees it: its futures are ready when they are first polled.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql, params_from_iter};

use crate::sql::{Migration, Row, RowColumns, SqlConnection, SqlFault, Statements, StoredValue, Value};

/// Used by one thread at a time.
pub struct SqliteConnection {
    connection: Mutex<Connection>,
    /// The names of each statement's columns.
    columns: Mutex<HashMap<&'static str, RowColumns>>,
}

impl SqliteConnection {
    pub fn new(connection: Connection) -> Self {
        Self { connection: Mutex::new(connection), columns: Mutex::default() }
    }

    /// Not to be held while the row code runs.
    pub fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A database in memory with these tables, for tests of row code.
    pub fn in_memory(migrations: &[Migration]) -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.pragma_update(None, "foreign_keys", true)?;
        migrations.iter().copied().flatten().try_for_each(|sql| connection.execute_batch(sql))?;
        Ok(Self::new(connection))
    }

    /// Hands the statements of a batch over.
    pub fn batch<T>(&self, write: impl FnOnce(&mut dyn Statements) -> T) -> T {
        write(&mut SqliteStatements(&self.lock()))
    }

    fn rows(&self, sql: &'static str, values: &[Value<'_>]) -> rusqlite::Result<Vec<Row>> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(sql)?;
        let columns = self.columns_of(sql, &statement);
        let mut found = Vec::new();
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let values = (0..columns.len()).map(|place| row.get_ref(place).and_then(stored));
            found.push(Row::new(columns.clone(), values.collect::<rusqlite::Result<_>>()?));
        }
        Ok(found)
    }

    fn columns_of(&self, sql: &'static str, statement: &rusqlite::Statement<'_>) -> RowColumns {
        let mut known = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        let names = || statement.column_names().map(Box::from).collect();
        known.entry(sql).or_insert_with(names).clone()
    }
}

impl SqlConnection for SqliteConnection {
    fn query<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlFault>> {
        ready(self.rows(sql, values).map_err(SqlFault::from)).boxed()
    }

    fn execute<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> BoxFuture<'a, Result<u64, SqlFault>> {
        ready(execute(&self.lock(), sql, values).map_err(SqlFault::from)).boxed()
    }
}

/// Statements of a batch are executed as they come.
pub(super) struct SqliteStatements<'a>(pub(super) &'a Connection);

impl Statements for SqliteStatements<'_> {
    fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), SqlFault> {
        execute(self.0, sql, values)?;
        Ok(())
    }

    fn run_on_one_row(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), SqlFault> {
        match execute(self.0, sql, values)? {
            1 => Ok(()),
            changed => {
                Err(SqlFault::Constraint(format!("{changed} rows were changed instead of one: {sql}")))
            }
        }
    }
}

fn execute(connection: &Connection, sql: &'static str, values: &[Value<'_>]) -> rusqlite::Result<u64> {
    let changed = connection.prepare_cached(sql)?.execute(params_from_iter(values))?;
    Ok(changed as u64)
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Uuid(id) => ValueRef::Blob(id.as_bytes()),
        }))
    }
}

fn stored(value: ValueRef<'_>) -> rusqlite::Result<StoredValue> {
    Ok(match value {
        ValueRef::Null => StoredValue::Null,
        ValueRef::Integer(number) => StoredValue::Integer(number),
        ValueRef::Text(_) => StoredValue::Text(value.as_str()?.to_owned()),
        ValueRef::Blob(bytes) => StoredValue::Bytes(bytes.to_vec()),
        // The tables are strict and have no such column.
        ValueRef::Real(_) => return Err(rusqlite::Error::InvalidQuery),
    })
}

impl From<rusqlite::Error> for SqlFault {
    fn from(fault: rusqlite::Error) -> Self {
        match fault.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => Self::Constraint(fault.to_string()),
            Some(ErrorCode::DiskFull) => Self::DiskFull(fault.to_string()),
            _ => Self::Unavailable(fault.to_string()),
        }
    }
}
