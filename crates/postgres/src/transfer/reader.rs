//! The rows of all services in a database, in one transaction whose statements see the same moment. Services are kept away as
//! long as it lasts.

use std::pin::pin;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, TryStreamExt as _};
use starkeep_clock::Clock;
use starkeep_platform::sql::transfer::{
    CarriedService, CarryFault, ColumnKind, InstallationReader, RowSink, ServiceTables, Table, quoted,
    quoted_list,
};
use starkeep_platform::sql::{RowColumns, StoredValue};
use uuid::Uuid;

use super::hold::Hold;
use super::{KnownTable, ServiceSchema, failed, full_name, tables_of};
use crate::connection::BEGIN_SNAPSHOT;
use crate::fault::sql_fault;
use crate::migrate;
use crate::url::DatabaseUrl;
use crate::values::row;

pub struct PostgresReader {
    hold: Hold,
    /// Of the services whose schemas exist.
    services: Vec<CarriedService>,
}

impl PostgresReader {
    /// Refuses schemas that are older or newer than this program, and those on which a service runs.
    pub async fn open(
        url: DatabaseUrl,
        clock: Arc<dyn Clock>,
        services: &[(CarriedService, String)],
    ) -> Result<Self, CarryFault> {
        let schemas = services
            .iter()
            .map(|(service, schema)| ServiceSchema { service: service.name, schema: schema.clone() });
        let hold = Hold::take(url, clock, schemas.collect()).await?;
        hold.session.control(BEGIN_SNAPSHOT).await.map_err(failed)?;
        let mut present = Vec::new();
        for (service, schema) in services {
            if is_present(&hold, service, schema).await? {
                present.push(*service);
            }
        }
        Ok(Self { hold, services: present })
    }

    /// Whether there is no service in it.
    pub fn is_empty(&self) -> bool {
        self.services.is_empty()
    }

    async fn described(&self, service: &CarriedService) -> Result<ServiceTables, CarryFault> {
        let schema = self.hold.schema(service.name)?;
        let odd =
            |what: String| CarryFault::Refused(format!("the schema {schema} in {} {what}", self.hold.place));
        let mut known = tables_of(&self.hold.session, schema).await?;
        let mut tables = Vec::new();
        for name in service.schema.all_tables() {
            let place = known.iter().position(|known| known.table.name == name);
            let place = place.ok_or_else(|| odd(format!("has no table {name}")))?;
            let KnownTable { mut table, .. } = known.swap_remove(place);
            table.rows = self.count(schema, name).await?;
            tables.push(table);
        }
        if let Some(KnownTable { table, .. }) = known.first() {
            return Err(odd(format!("has a table {} that this version does not know", table.name)));
        }
        let epoch = format!("SELECT epoch FROM {}", full_name(schema, "installation"));
        let epoch: Uuid = self.ask(&epoch).await?;
        Ok(ServiceTables { name: service.name.to_owned(), schema: service.schema.version(), epoch, tables })
    }

    async fn count(&self, schema: &str, table: &str) -> Result<u64, CarryFault> {
        let count: i64 = self.ask(&format!("SELECT count(*) FROM {}", full_name(schema, table))).await?;
        Ok(count.unsigned_abs())
    }

    /// The only value of the answer.
    async fn ask<T: for<'a> tokio_postgres::types::FromSql<'a>>(&self, sql: &str) -> Result<T, CarryFault> {
        let answer = self.hold.session.client.query_one(sql, &[]).await.and_then(|row| row.try_get(0));
        answer.map_err(|fault| failed(sql_fault(&fault)))
    }

    async fn read_rows(
        &self,
        service: &str,
        table: &Table,
        rows: &mut dyn RowSink,
    ) -> Result<(), CarryFault> {
        let schema = self.hold.schema(service)?;
        let known = tables_of(&self.hold.session, schema).await?;
        let known = known.into_iter().find(|known| known.table.name == table.name);
        let known = known.ok_or_else(|| CarryFault::Database(format!("there is no table {}", table.name)))?;
        let select = format!(
            "SELECT {} FROM {} ORDER BY {}",
            quoted_list(table.columns.iter().map(|column| &column.name)),
            full_name(schema, &table.name),
            ordered_by(&known)
        );
        let names: RowColumns = table.columns.iter().map(|column| Box::from(&*column.name)).collect();
        let fault = |fault: tokio_postgres::Error| failed(sql_fault(&fault));
        let none: [&(dyn tokio_postgres::types::ToSql + Sync); 0] = [];
        let found = self.hold.session.client.query_raw(&select, none).await.map_err(fault)?;
        let mut found = pin!(found);
        while let Some(next) = found.try_next().await.map_err(fault)? {
            let next = row(&names, &next).map_err(failed)?;
            let values: Vec<_> = next.values().iter().map(StoredValue::borrowed).collect();
            rows.take(&values)?;
        }
        Ok(())
    }
}

/// Whether there is anything of the service; refused where it is of another version.
async fn is_present(hold: &Hold, service: &CarriedService, schema: &str) -> Result<bool, CarryFault> {
    let place = format!("the schema {schema} in {}", hold.place);
    hold.session.control(&format!("SET LOCAL search_path TO {schema}")).await.map_err(failed)?;
    let found = migrate::version(&hold.session, schema).await;
    let found = found.map_err(|fault| CarryFault::Refused(format!("{place}: {fault}")))?;
    let known = service.schema.version();
    match found {
        None => Ok(false),
        Some(found) if found == known => Ok(true),
        Some(found) => Err(CarryFault::other_version(place, found, known)),
    }
}

/// By bytes, as in SQLite.
fn ordered_by(known: &KnownTable) -> String {
    let column = |name: &String| {
        let is_text =
            known.table.columns.iter().any(|column| column.name == *name && column.kind == ColumnKind::Text);
        let collation = if is_text { " COLLATE \"C\"" } else { "" };
        format!("{}{collation}", quoted(name))
    };
    known.key.iter().map(column).collect::<Vec<_>>().join(", ")
}

impl InstallationReader for PostgresReader {
    fn services(&mut self) -> BoxFuture<'_, Result<Vec<ServiceTables>, CarryFault>> {
        async {
            let mut services = Vec::new();
            for service in &self.services {
                services.push(self.described(service).await?);
            }
            Ok(services)
        }
        .boxed()
    }

    fn read<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), CarryFault>> {
        self.read_rows(service, table, rows).boxed()
    }

    /// A process that was about to start when the locks were taken has shown life since.
    fn finish(&mut self) -> BoxFuture<'_, Result<(), CarryFault>> {
        async {
            self.hold.session.control("COMMIT").await.map_err(failed)?;
            self.hold.refuse_living().await
        }
        .boxed()
    }
}
