//! The statements of a batch: collected while the changes are saved, then sent one behind the other without waiting for answers.

use std::sync::Arc;

use futures::future::{maybe_done, try_join_all};
use starkeep_platform::sql::{SqlFault, Statements, Value};
use tokio_postgres::error::{DbError, Severity};

use crate::connection::{Form, Prepared, Session, as_parameters, numbered};
use crate::fault::sql_fault;
use crate::values::Parameter;

#[derive(Default)]
pub(crate) struct Pipeline(Vec<Statement>);

struct Statement {
    sql: &'static str,
    values: Vec<Parameter>,
    changes_one_row: bool,
}

impl Statements for Pipeline {
    fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), SqlFault> {
        self.push(sql, values.iter().map(Parameter::from).collect());
        Ok(())
    }

    fn run_on_one_row(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), SqlFault> {
        let values = values.iter().map(Parameter::from).collect();
        self.0.push(Statement { sql, values, changes_one_row: true });
        Ok(())
    }
}

impl Pipeline {
    pub(crate) fn push(&mut self, sql: &'static str, values: Vec<Parameter>) {
        self.0.push(Statement { sql, values, changes_one_row: false });
    }

    /// Sends everything, and `COMMIT` behind it. What follows a statement that failed is refused by PostgreSQL, `COMMIT` included.
    pub(crate) async fn commit(mut self, session: &Session) -> Result<(), CommitFault> {
        self.push("COMMIT", Vec::new());
        let prepared = try_join_all(self.0.iter().map(|statement| statement.prepare(session)));
        let prepared = prepared.await.map_err(CommitFault::Before)?;
        let mut sent: Vec<_> = self
            .0
            .iter()
            .zip(&prepared)
            .map(|(statement, prepared)| {
                Box::pin(maybe_done(async {
                    session.client.execute(&prepared.statement, &as_parameters(&statement.values)).await
                }))
            })
            .collect();
        // With its first poll each is on its way, so that they arrive in this order.
        for statement in &mut sent {
            let _ = futures::poll!(statement.as_mut());
            // One that could not even be sent: the others must not be committed without it.
            if let Some(Err(fault)) = statement.as_mut().output_mut() {
                return Err(CommitFault::Before(sql_fault(fault)));
            }
        }
        let mut failed = None;
        for mut statement in sent {
            statement.as_mut().await;
            failed = failed.or(statement.as_mut().take_output().and_then(Result::err));
        }
        match failed {
            None => Ok(()),
            // The transaction is aborted. A server that goes down says something else.
            Some(fault)
                if fault.as_db_error().and_then(DbError::parsed_severity) == Some(Severity::Error) =>
            {
                Err(CommitFault::Before(sql_fault(&fault)))
            }
            Some(fault) => Err(CommitFault::Unanswered(sql_fault(&fault))),
        }
    }
}

/// Why it is not known that a batch is committed.
pub(crate) enum CommitFault {
    /// It is not.
    Before(SqlFault),
    /// The answer was lost: it may be.
    Unanswered(SqlFault),
}

impl From<SqlFault> for CommitFault {
    fn from(fault: SqlFault) -> Self {
        Self::Unanswered(fault)
    }
}

impl Statement {
    async fn prepare(&self, session: &Session) -> Result<Arc<Prepared>, SqlFault> {
        if !self.changes_one_row {
            return session.prepare(self.sql).await;
        }
        // Divides by zero where not exactly one row is changed: that fails within the transaction, without waiting for the count.
        session
            .prepare_as(self.sql, Form::OneRow, || {
                let sql = numbered(self.sql);
                format!("WITH changed AS ({sql} RETURNING 1) SELECT 1 / (count(*) = 1)::int FROM changed")
            })
            .await
    }
}
