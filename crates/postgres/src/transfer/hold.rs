//! A session that keeps services away from their schemas: it holds the locks under which they write, until it ends.
//! A service that starts meanwhile waits before it has made or read anything; one that runs already is refused here.

use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::Clock;
use starkeep_platform::sql::transfer::CarryFault;

use super::{ServiceSchema, failed, full_name};
use crate::connect::{Connector, Purpose};
use crate::connection::Session;
use crate::fault::sql_fault;
use crate::url::DatabaseUrl;
use crate::values::Parameter;

/// The same lock as that of a batch, but the session's: it outlives transactions.
const LOCK: &str = "SELECT pg_advisory_lock(hashtextextended(?1, 0))";

/// Before it has the locks. It does not wait for them for long: a batch holds one for milliseconds.
const WITHOUT_LOCKS: &str = "SET lock_timeout = '3s';";

/// As long as it has them it may take its time, also between two statements.
const WITH_LOCKS: &str =
    "SET lock_timeout = '1min'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;";

/// How its sessions are called in `pg_stat_activity`. It names the schemas in its statements.
const NAME: &str = "starkeep_transfer";

/// How often it is asked for signs of life, and how many times. Who lives shows it every 400 ms.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOKS: u32 = 30;

pub(super) struct Hold {
    pub(super) session: Session,
    connector: Connector,
    /// For a person.
    pub(super) place: String,
    schemas: Vec<ServiceSchema>,
}

impl Hold {
    /// Takes the locks of all schemas, whether they exist or not.
    pub(super) async fn take(
        url: DatabaseUrl,
        clock: Arc<dyn Clock>,
        schemas: Vec<ServiceSchema>,
    ) -> Result<Self, CarryFault> {
        let connector = Connector::new(url, NAME.to_owned(), clock).map_err(CarryFault::Refused)?;
        // Locks of a session are worth nothing where sessions are shared.
        connector.refuse_pooler().await.map_err(failed)?;
        let session = connector.open(Purpose::Preparing).await.map_err(failed)?;
        session.control(WITHOUT_LOCKS).await.map_err(failed)?;
        let hold = Self { session, place: connector.place(), connector, schemas };
        // First, for the better text: whoever runs takes the locks all the time.
        hold.refuse_living().await?;
        for ServiceSchema { schema, .. } in &hold.schemas {
            let locked = hold.session.rows(LOCK, vec![Parameter::Text(schema.clone())]).await;
            locked.map_err(|fault| {
                let text = format!(
                    "the lock of the schema {schema} in {} cannot be had ({fault}): another process starts on it, or \
                     exports or imports it; try again when that has ended",
                    hold.place
                );
                CarryFault::Refused(text)
            })?;
        }
        hold.refuse_living().await?;
        hold.session.control(WITH_LOCKS).await.map_err(failed)?;
        Ok(hold)
    }

    pub(super) fn schemas(&self) -> &[ServiceSchema] {
        &self.schemas
    }

    pub(super) fn schema(&self, service: &str) -> Result<&str, CarryFault> {
        let found = self.schemas.iter().find(|schema| schema.service == service);
        let found = found.map(|schema| &*schema.schema);
        found.ok_or_else(|| CarryFault::Database(format!("the {service} service has no schema")))
    }

    /// Refuses where a process lives: it knows things that are not in the tables, and goes on afterwards.
    pub(super) async fn refuse_living(&self) -> Result<(), CarryFault> {
        for ServiceSchema { service, schema } in &self.schemas {
            if self.has_replicas(schema).await? && self.has_life(schema).await? {
                return Err(CarryFault::Refused(format!(
                    "the {service} service runs on {}; stop it, and try again",
                    self.place
                )));
            }
        }
        Ok(())
    }

    /// A process that was stopped or killed a moment ago may still be listed. One that lives shows it again.
    async fn has_life(&self, schema: &str) -> Result<bool, CarryFault> {
        let mut before = None;
        for _ in 0..LOOKS {
            let Some(seen) = self.last_sign_of_life(schema).await? else { return Ok(false) };
            if before.replace(seen).is_some_and(|before| seen != before) {
                return Ok(true);
            }
            self.connector.pause(LOOK_EVERY).await;
        }
        // It will not age any more: the server's clock was set back.
        Ok(false)
    }

    /// In microseconds, if it counts.
    async fn last_sign_of_life(&self, schema: &str) -> Result<Option<i64>, CarryFault> {
        let sql = format!(
            "SELECT (extract(epoch FROM max(seen_at)) * 1000000)::bigint FROM {}
             WHERE seen_at > clock_timestamp() - interval '2 s'",
            full_name(schema, "replica")
        );
        let found = self.session.client.query_one(&sql, &[]).await.and_then(|row| row.try_get(0));
        found.map_err(|fault| failed(sql_fault(&fault)))
    }

    async fn has_replicas(&self, schema: &str) -> Result<bool, CarryFault> {
        let find = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ?1 AND tablename = 'replica'";
        let found =
            self.session.rows(find, vec![Parameter::Text(schema.to_owned())]).await.map_err(failed)?;
        Ok(!found.is_empty())
    }
}
