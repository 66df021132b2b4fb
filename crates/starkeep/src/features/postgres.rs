//! PostgreSQL, of a program with the feature `postgres`: a database that services keep their data in, or that is read or filled.
//! `without_postgres` has the same names for a program without.

use std::collections::BTreeMap;
use std::sync::Arc;

use starkeep_platform::clock::Clock;
use starkeep_platform::sql::transfer::{CarriedService, CarryFault, InstallationReader, InstallationWriter};
use starkeep_platform::sql::{PostgresTables, SqlStore};
use starkeep_platform::store::OpenError;
use starkeep_platform::tasks::Stop;
use starkeep_postgres::{DatabaseUrl, PostgresReader, PostgresWriter, ServiceSchema, Settings};

use crate::serve::Context;

pub(crate) struct Database(Box<DatabaseUrl>);

impl Database {
    /// The text itself is not repeated: it may have a password in it.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let url = url.parse().map_err(|fault| format!("--database-url: {fault}"))?;
        Ok(Self(Box::new(url)))
    }

    /// For a person.
    pub(crate) fn place(&self) -> String {
        self.0.place()
    }

    /// The store of one service. The flags are those that replicas must agree on.
    pub(crate) async fn store<D: PostgresTables>(
        &self,
        schema: String,
        context: &Context<'_>,
        stop: &Stop,
        flags: BTreeMap<&'static str, String>,
    ) -> Result<SqlStore<D>, OpenError> {
        let settings = Settings {
            url: DatabaseUrl::clone(&self.0),
            schema,
            replica: context.replica,
            clock: context.clock.clone(),
            chance: context.chance.clone(),
            stop: stop.clone(),
            flags,
            broken: context.broken.clone(),
            disk_log: context.disk_log.clone(),
        };
        starkeep_postgres::open(settings).await
    }

    /// Reads the services whose schemas exist; None if none does.
    pub(crate) async fn reader(
        self,
        clock: Arc<dyn Clock>,
        services: &[(CarriedService, String)],
    ) -> Result<Option<Box<dyn InstallationReader>>, CarryFault> {
        let reader = PostgresReader::open(*self.0, clock, services).await?;
        Ok(if reader.is_empty() { None } else { Some(Box::new(reader)) })
    }

    /// Fills schemas that must be empty.
    pub(crate) async fn writer(
        self,
        clock: Arc<dyn Clock>,
        services: &[(CarriedService, String)],
    ) -> Result<Box<dyn InstallationWriter>, CarryFault> {
        let schemas = services
            .iter()
            .map(|(service, schema)| ServiceSchema { service: service.name, schema: schema.clone() });
        Ok(Box::new(PostgresWriter::open(*self.0, clock, schemas.collect()).await?))
    }

    #[cfg(feature = "selftest")]
    pub(crate) async fn drop_schemas(self, schemas: &[String], clock: Arc<dyn Clock>) -> Result<(), String> {
        starkeep_postgres::drop_schemas(*self.0, schemas, clock).await
    }
}
