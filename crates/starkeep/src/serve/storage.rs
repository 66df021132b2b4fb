//! Where the services of this process keep their data: in files of their own, or in a database that other replicas share.

use serde_json::{Value, json};
use starkeep_platform::data_dir::DataDir;
use starkeep_platform::sql::transfer::CarriedService;
use starkeep_platform::sql::{PostgresTables, SqlStore};
use starkeep_platform::sqlite;
use starkeep_platform::store::OpenError;
use starkeep_platform::tasks::Stop;

use super::ServeError;
use super::table::{Context, Row, SERVICES};
use crate::args::ServeFlags;
use crate::features::Database;

/// Where a service keeps its rows, in either kind of storage.
pub(crate) struct ServicePlace {
    pub(crate) service: CarriedService,
    /// Its name in a data directory.
    pub(crate) file: &'static str,
}

impl ServicePlace {
    /// Its name in a database.
    pub(crate) fn schema(&self, prefix: &str) -> String {
        schema_of(prefix, self.service.name)
    }
}

/// Of all services, in the order in which they are started.
pub(crate) fn service_places() -> Vec<ServicePlace> {
    let place = |row: &Row| ServicePlace {
        service: CarriedService { name: row.name, schema: row.schema },
        file: row.file,
    };
    SERVICES.iter().map(place).collect()
}

pub(super) enum Storage {
    /// Locked as long as this is held.
    Files(DataDir),
    Postgres {
        database: Database,
        schema_prefix: String,
    },
}

impl Storage {
    pub(super) fn open(flags: &ServeFlags) -> Result<Self, ServeError> {
        match &flags.database_url {
            None => Ok(Self::Files(DataDir::open(&flags.data_dir())?)),
            Some(url) => {
                let database = Database::parse(url).map_err(ServeError::Flags)?;
                Ok(Self::Postgres { database, schema_prefix: flags.schema_prefix.clone() })
            }
        }
    }

    /// Refuses a file that this version cannot open, without touching it. A database is looked at when it is opened.
    pub(super) fn inspect(&self, row: &Row) -> Result<(), ServeError> {
        match self {
            Self::Files(data) => (row.inspect)(&data.file(row.file))
                .map_err(|source| ServeError::Open { place: self.place_of(row), source }),
            Self::Postgres { .. } => Ok(()),
        }
    }

    /// The place of one service's data, for a person.
    pub(super) fn place_of(&self, row: &Row) -> String {
        match self {
            Self::Files(data) => data.file(row.file).display().to_string(),
            Self::Postgres { database, schema_prefix } => {
                format!("{}, schema {}", database.place(), schema_of(schema_prefix, row.name))
            }
        }
    }

    /// The place of all data, for a person.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Files(data) => format!("data directory: {}", data.path().display()),
            Self::Postgres { database, .. } => format!("database: {}", database.place()),
        }
    }

    /// The same for a program: what it is, and where.
    pub(super) fn as_json(&self) -> (&'static str, Value) {
        match self {
            Self::Files(data) => ("dataDir", json!(data.path())),
            Self::Postgres { database, .. } => ("database", json!(database.place())),
        }
    }

    /// Whether other replicas may use it at the same time.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }

    /// The store of one service.
    pub(super) async fn store<D: PostgresTables>(
        &self,
        context: &Context<'_>,
        row: &Row,
        stop: &Stop,
    ) -> Result<SqlStore<D>, OpenError> {
        match self {
            Self::Files(data) => {
                sqlite::open(&data.file(row.file), context.replica, context.disk_log.clone())
            }
            Self::Postgres { database, schema_prefix } => {
                let flags = context.settings.deciding_flags(context.brokers.is_some());
                database.store(schema_of(schema_prefix, row.name), context, stop, flags).await
            }
        }
    }
}

/// Each service has a schema of its own.
fn schema_of(prefix: &str, service: &str) -> String {
    format!("{prefix}_{service}")
}
