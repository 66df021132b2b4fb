//! Where the services of this process keep their data: in files of their own, or in a database that other replicas share.

use serde_json::{Value, json};
use starkeep_kafka::Kafka;
use starkeep_platform::data_dir::DataDir;
use starkeep_platform::sql::transfer::CarriedService;
use starkeep_platform::sql::{PostgresTables, SqlStore};
use starkeep_platform::sqlite;
use starkeep_platform::store::OpenError;
use starkeep_platform::tasks::Stop;
use starkeep_postgres::DatabaseUrl;

use super::ServeError;
use super::table::{Context, Row, SERVICES};
use crate::args::{SCHEMA_PREFIX, ServeFlags};

/// Where a service keeps its rows, in either kind of storage.
pub(crate) struct ServicePlace {
    pub(crate) service: CarriedService,
    /// Its name in a data directory.
    pub(crate) file: &'static str,
    /// Its name in a database.
    pub(crate) schema: String,
}

/// Of all services, in the order in which they are started.
pub(crate) fn service_places() -> Vec<ServicePlace> {
    let place = |row: &Row| ServicePlace {
        service: CarriedService { name: row.name, schema: row.schema },
        file: row.file,
        schema: schema_of(SCHEMA_PREFIX, row.name),
    };
    SERVICES.iter().map(place).collect()
}

pub(super) enum Storage {
    /// Locked as long as this is held.
    Files(DataDir),
    Postgres {
        url: Box<DatabaseUrl>,
        schema_prefix: String,
    },
}

impl Storage {
    pub(super) fn open(flags: &ServeFlags) -> Result<Self, ServeError> {
        match &flags.database_url {
            None => Ok(Self::Files(DataDir::open(&flags.data_dir())?)),
            // The text itself is not repeated: it may have a password in it.
            Some(url) => match url.parse() {
                Ok(url) => {
                    let schema_prefix = flags.schema_prefix.clone();
                    Ok(Self::Postgres { url: Box::new(url), schema_prefix })
                }
                Err(fault) => Err(ServeError::Flags(format!("--database-url: {fault}"))),
            },
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
            Self::Postgres { url, schema_prefix } => {
                format!("{}, schema {}", url.place(), schema_of(schema_prefix, row.name))
            }
        }
    }

    /// The place of all data, for a person.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Files(data) => format!("data directory: {}", data.path().display()),
            Self::Postgres { url, .. } => format!("database: {}", url.place()),
        }
    }

    /// The same for a program: what it is, and where.
    pub(super) fn as_json(&self) -> (&'static str, Value) {
        match self {
            Self::Files(data) => ("dataDir", json!(data.path())),
            Self::Postgres { url, .. } => ("database", json!(url.place())),
        }
    }

    /// Several replicas send to it one after the other if they share their data.
    pub(super) fn kafka(&self, kafka: Kafka) -> Kafka {
        match self {
            Self::Files(_) => kafka,
            Self::Postgres { .. } => kafka.refusing_late_records(),
        }
    }

    /// The store of one service.
    pub(super) async fn store<D: PostgresTables>(
        &self,
        context: &Context<'_>,
        row: &Row,
        stop: &Stop,
    ) -> Result<SqlStore<D>, OpenError> {
        match self {
            Self::Files(data) => sqlite::open(&data.file(row.file), context.replica),
            Self::Postgres { url, schema_prefix } => {
                let settings = starkeep_postgres::Settings {
                    url: DatabaseUrl::clone(url),
                    schema: schema_of(schema_prefix, row.name),
                    replica: context.replica,
                    clock: context.clock.clone(),
                    chance: context.chance.clone(),
                    stop: stop.clone(),
                    flags: context.settings.deciding_flags(context.kafka.is_some()),
                    broken: context.broken.clone(),
                };
                starkeep_postgres::open(settings).await
            }
        }
    }
}

/// Each service has a schema of its own.
pub(crate) fn schema_of(prefix: &str, service: &str) -> String {
    format!("{prefix}_{service}")
}
