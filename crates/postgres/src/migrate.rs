//! The tables: made or brought up to date under the service's lock, so that replicas that start together do not do it twice.

use std::time::Duration;

use starkeep_platform::sql::transfer::Schema;
use starkeep_platform::sql::{PostgresTables, SqlFault};
use starkeep_platform::store::OpenError;

use crate::connect::{Connector, Purpose};
use crate::connection::Session;
use crate::values::Parameter;

/// Tables that every service has.
const PLATFORM_TABLES: &str = include_str!("platform.sql");

const IS_MADE: &str =
    "SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ?1 AND relname = ?2";

/// Earlier development versions had another column in its place.
const HAS_FORMAT: &str = "SELECT 1 FROM pg_catalog.pg_attribute
    JOIN pg_catalog.pg_class ON pg_class.oid = attrelid JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = ?1 AND relname = 'installation' AND attname = 'format'";

/// A lock that is not given by then is held by somebody who takes his time.
const UNTIL_TOLD: Duration = Duration::from_secs(1);

/// Refuses a schema that is newer than this program, or not ours, without touching it.
pub(crate) async fn migrate<D: PostgresTables>(connector: &Connector) -> Result<(), OpenError> {
    let session = connector.open(Purpose::Preparing).await?;
    session.control("BEGIN").await?;
    wait_for_lock(connector, &session).await?;
    let schema = Schema::of::<D>();
    let known = schema.version();
    let found = version(&session, connector.schema()).await?;
    if found.is_some_and(|found| found > known) {
        return Err(OpenError::Newer { found: found.unwrap_or_default(), known });
    }
    if found == Some(known) {
        return Ok(());
    }
    if found.is_none() {
        make(&session, connector.schema()).await?;
    }
    step_up(&session, &schema, found, known).await?;
    session.control("COMMIT").await?;
    Ok(())
}

/// An export or an import holds it until it is done: whoever starts meanwhile waits, and says so.
async fn wait_for_lock(connector: &Connector, session: &Session) -> Result<(), SqlFault> {
    let schema = connector.schema();
    let mut lock = std::pin::pin!(session.lock(schema));
    tokio::select! {
        biased;
        locked = &mut lock => return locked,
        () = connector.pause(UNTIL_TOLD) => {}
    }
    tracing::warn!(
        schema,
        "waiting: the schema is being exported or imported, or another process starts on it"
    );
    lock.await
}

/// Makes the schema, and the tables that every service has, in the transaction that is open.
pub(crate) async fn make(session: &Session, schema: &str) -> Result<(), SqlFault> {
    session.control(&format!("CREATE SCHEMA IF NOT EXISTS {schema}")).await?;
    session.control(PLATFORM_TABLES).await?;
    let installation = "INSERT INTO installation (only_row, format, epoch) VALUES (1, 0, gen_random_uuid())";
    session.control(installation).await
}

/// Runs the migrations from the version that was found, none where there are only the tables that every service has.
pub(crate) async fn step_up(
    session: &Session,
    schema: &Schema,
    found: Option<usize>,
    version: usize,
) -> Result<(), SqlFault> {
    // The first one makes all tables as they were with the first version that PostgreSQL had.
    let made = |version: usize| (version + 1).saturating_sub(schema.first_postgres_version);
    let steps = &schema.postgres_migrations[found.map_or(0, made)..made(version)];
    let steps: Vec<&str> = steps.iter().copied().flatten().copied().collect();
    session.control(&steps.concat()).await?;
    let version = Parameter::Integer(i64::try_from(version).unwrap_or(i64::MAX));
    session.run("UPDATE installation SET format = ?1", vec![version]).await.map(drop)
}

/// `None` if there are no tables yet.
pub(crate) async fn version(session: &Session, schema: &str) -> Result<Option<usize>, OpenError> {
    if exists(session, schema, "change_log").await? && exists(session, schema, "installation").await? {
        let column = vec![Parameter::Text(schema.to_owned())];
        if session.rows(HAS_FORMAT, column).await?.is_empty() {
            return Err(OpenError::Development);
        }
        let rows = session.rows("SELECT format FROM installation", Vec::new()).await?;
        let version: Option<u32> = rows.first().map(|row| row.get("format")).transpose()?;
        return Ok(version.map(|version| version as usize));
    }
    let anything =
        "SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = ?1 LIMIT 1";
    if session.rows(anything, vec![Parameter::Text(schema.to_owned())]).await?.is_empty() {
        return Ok(None);
    }
    Err(OpenError::Foreign)
}

async fn exists(session: &Session, schema: &str, table: &str) -> Result<bool, SqlFault> {
    let values = vec![Parameter::Text(schema.to_owned()), Parameter::Text(table.to_owned())];
    session.rows(IS_MADE, values).await.map(|rows| !rows.is_empty())
}
