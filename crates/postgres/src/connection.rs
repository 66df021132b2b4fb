//! A session with PostgreSQL, as the row code of services sees it. Statements are prepared once; what is sent at the same time
//! shares a round trip.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use starkeep_platform::sql::{Row, RowColumns, SqlConnection, SqlFault, Value};
use tokio_postgres::{Client, Statement};

use crate::fault::sql_fault;
use crate::values::{Parameter, columns_of, row};

/// Taken first in every transaction that writes, until it ends. A statement of its own: those behind it see what was committed
/// before the lock was given.
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))";

/// Begins a transaction that writes. The sessions of writers are read-only otherwise: a statement that is sent behind it cannot take
/// effect by itself where this one has failed.
pub(crate) const BEGIN: &str = "BEGIN READ WRITE";

/// Begins a transaction whose statements all see the same moment.
pub(crate) const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Ends when it is dropped.
pub(crate) struct Session {
    pub(crate) client: Client,
    statements: Mutex<HashMap<(&'static str, Form), Arc<Prepared>>>,
}

/// In which form PostgreSQL is given a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    AsWritten,
    /// Fails unless it changes exactly one row.
    OneRow,
}

/// A statement that PostgreSQL knows.
pub(crate) struct Prepared {
    pub(crate) statement: Statement,
    columns: RowColumns,
}

impl Session {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, statements: Mutex::default() }
    }

    /// Whether it can still be used.
    pub(crate) fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// Prepares the statement, unless it is. `?1` is `$1` here.
    pub(crate) async fn prepare(&self, sql: &'static str) -> Result<Arc<Prepared>, SqlFault> {
        self.prepare_as(sql, Form::AsWritten, || numbered(sql)).await
    }

    /// The same in that form, of which this is the text.
    pub(crate) async fn prepare_as(
        &self,
        sql: &'static str,
        form: Form,
        text: impl FnOnce() -> String,
    ) -> Result<Arc<Prepared>, SqlFault> {
        let known = self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(&(sql, form)).cloned();
        if let Some(prepared) = known {
            return Ok(prepared);
        }
        let statement = self.client.prepare(&text()).await.map_err(|fault| sql_fault(&fault))?;
        let prepared = Arc::new(Prepared { columns: columns_of(&statement), statement });
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).insert((sql, form), prepared.clone());
        Ok(prepared)
    }

    /// Takes the lock of the service with this schema.
    pub(crate) async fn lock(&self, schema: &str) -> Result<(), SqlFault> {
        self.rows(LOCK, vec![Parameter::Text(schema.to_owned())]).await.map(drop)
    }

    /// Statements without values, such as those that begin and end transactions.
    pub(crate) async fn control(&self, sql: &str) -> Result<(), SqlFault> {
        self.client.batch_execute(sql).await.map_err(|fault| sql_fault(&fault))
    }

    pub(crate) async fn rows(&self, sql: &'static str, values: Vec<Parameter>) -> Result<Vec<Row>, SqlFault> {
        let prepared = self.prepare(sql).await?;
        let found = self.client.query(&prepared.statement, &as_parameters(&values)).await;
        let found = found.map_err(|fault| sql_fault(&fault))?;
        found.iter().map(|found| row(&prepared.columns, found)).collect()
    }

    pub(crate) async fn run(&self, sql: &'static str, values: Vec<Parameter>) -> Result<u64, SqlFault> {
        let prepared = self.prepare(sql).await?;
        let changed = self.client.execute(&prepared.statement, &as_parameters(&values)).await;
        changed.map_err(|fault| sql_fault(&fault))
    }
}

/// Borrowed, as the driver wants them.
pub(crate) fn as_parameters(values: &[Parameter]) -> Vec<&(dyn tokio_postgres::types::ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

/// The statements are written with SQLite's numbered parameters. None of them has a question mark in a text.
pub(crate) fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

impl SqlConnection for Session {
    fn query<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlFault>> {
        self.rows(sql, values.iter().map(Parameter::from).collect()).boxed()
    }

    fn execute<'a>(
        &'a self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> BoxFuture<'a, Result<u64, SqlFault>> {
        self.run(sql, values.iter().map(Parameter::from).collect()).boxed()
    }
}
