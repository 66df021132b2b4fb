//! The tables: made or brought up to date under the service's lock, so that replicas that start together do not do it twice.

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

/// Refuses a schema that is newer than this program, or not ours, without touching it.
pub(crate) async fn migrate<D: PostgresTables>(connector: &Connector) -> Result<(), OpenError> {
    let session = connector.open(Purpose::Preparing).await?;
    session.control("BEGIN").await?;
    session.lock(connector.schema()).await?;
    let known = D::FIRST_VERSION + D::POSTGRES_MIGRATIONS.len() - 1;
    let found = version(&session, connector.schema()).await?;
    if found.is_some_and(|found| found > known) {
        return Err(OpenError::Newer { found: found.unwrap_or_default(), known });
    }
    if found == Some(known) {
        return Ok(());
    }
    if found.is_none() {
        session.control(&format!("CREATE SCHEMA IF NOT EXISTS {}", connector.schema())).await?;
        session.control(PLATFORM_TABLES).await?;
        session
            .control(
                "INSERT INTO installation (only_row, schema_version, epoch) VALUES (1, 0, gen_random_uuid())",
            )
            .await?;
    }
    // The first one makes all tables as they were with the first version that PostgreSQL had.
    let made = found.map_or(0, |found| (found + 1).saturating_sub(D::FIRST_VERSION));
    let steps: Vec<&str> = D::POSTGRES_MIGRATIONS.iter().skip(made).copied().flatten().copied().collect();
    session.control(&steps.concat()).await?;
    let set = session.run(
        "UPDATE installation SET schema_version = ?1",
        vec![Parameter::Integer(i64::try_from(known).unwrap_or(i64::MAX))],
    );
    set.await?;
    session.control("COMMIT").await?;
    Ok(())
}

/// `None` if there are no tables yet.
async fn version(session: &Session, schema: &str) -> Result<Option<usize>, OpenError> {
    if exists(session, schema, "change_log").await? && exists(session, schema, "installation").await? {
        let rows = session.rows("SELECT schema_version FROM installation", Vec::new()).await?;
        let version: Option<u32> = rows.first().map(|row| row.get("schema_version")).transpose()?;
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
