//! An empty database that is filled with the rows of another place: one transaction makes the schemas of all services and all
//! their rows, so that all of it is there or nothing is. Services that start meanwhile wait for its end.

use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use starkeep_clock::Clock;
use starkeep_platform::sql::StoredValue;
use starkeep_platform::sql::transfer::{
    CarriedService, CarryFault, InstallationWriter, RowSource, Table, quoted, quoted_list,
};
use tokio_postgres::Error;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use super::hold::Hold;
use super::{KnownTable, ServiceSchema, VERSION, failed, full_name, tables_of};
use crate::connection::as_parameters;
use crate::fault::sql_fault;
use crate::migrate;
use crate::url::DatabaseUrl;
use crate::values::Parameter;

/// An entry of the change log that no replica can follow: one that ran on schemas of these names before, and was frozen while they
/// were removed and filled anew, loads everything instead of going on with what it knew.
const NOT_TO_FOLLOW: u64 = 2;

pub struct PostgresWriter {
    hold: Hold,
    services: Vec<NewSchema>,
    /// How many texts had a character that PostgreSQL cannot keep.
    replaced_texts: u64,
}

struct NewSchema {
    service: CarriedService,
    name: String,
    version: usize,
    tables: Vec<KnownTable>,
}

impl PostgresWriter {
    /// Refuses a database in which any of these schemas has anything in it.
    pub async fn open(
        url: DatabaseUrl,
        clock: Arc<dyn Clock>,
        schemas: Vec<ServiceSchema>,
    ) -> Result<Self, CarryFault> {
        let hold = Hold::take(url, clock, schemas).await?;
        hold.session.control("BEGIN").await.map_err(failed)?;
        for ServiceSchema { schema, .. } in hold.schemas() {
            let anything = "SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace
                ON pg_namespace.oid = relnamespace WHERE nspname = ?1 LIMIT 1";
            let found = hold.session.rows(anything, vec![Parameter::Text(schema.clone())]).await;
            if !found.map_err(failed)?.is_empty() {
                return Err(CarryFault::Refused(format!(
                    "{} is not empty, it has tables in the schema {schema}; choose another database, or remove what is \
                     there (DROP SCHEMA {schema} CASCADE)",
                    hold.place
                )));
            }
        }
        Ok(Self { hold, services: Vec::new(), replaced_texts: 0 })
    }

    async fn begin_schema(
        &mut self,
        service: CarriedService,
        version: usize,
    ) -> Result<Vec<Table>, CarryFault> {
        let (name, first) =
            (self.hold.schema(service.name)?.to_owned(), service.schema.first_postgres_version);
        if version < first {
            return Err(CarryFault::Refused(format!(
                "the {} service's tables are of schema {version}, and PostgreSQL has them from {first} on; import the file \
                 into a data directory, export that, and import the result",
                service.name
            )));
        }
        self.control(&format!("SET LOCAL search_path TO {name}")).await?;
        let session = &self.hold.session;
        migrate::make(session, &name).await.map_err(failed)?;
        migrate::step_up(session, &service.schema, None, version).await.map_err(failed)?;
        // The version is not among the rows that come.
        let (table, column) = VERSION;
        self.control(&format!("ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT {version}")).await?;
        let tables = tables_of(&self.hold.session, &name).await?;
        let described = tables.iter().map(|known| known.table.clone()).collect();
        self.services.push(NewSchema { service, name, version, tables });
        Ok(described)
    }

    async fn write_rows(
        &mut self,
        service: &str,
        table: &Table,
        rows: &mut dyn RowSource,
    ) -> Result<(), CarryFault> {
        let missing = || CarryFault::Database(format!("there is no table {}", table.name));
        let schema =
            self.services.iter().find(|schema| schema.service.name == service).ok_or_else(missing)?;
        let known = schema.tables.iter().find(|known| known.table.name == table.name).ok_or_else(missing)?;
        let (name, client) = (full_name(&schema.name, &table.name), &self.hold.session.client);
        let fault =
            |fault: Error| CarryFault::Database(format!("table {}: {}", table.name, sql_fault(&fault)));
        // Rows are carried as they are: what a trigger says of a change was said when it was made. A game keeps its slot, for
        // one, also where fewer may run by now.
        let prepared = format!("DELETE FROM {name}; ALTER TABLE {name} DISABLE TRIGGER USER");
        client.batch_execute(&prepared).await.map_err(fault)?;
        let columns = quoted_list(table.columns.iter().map(|column| &column.name));
        let copy = format!("COPY {name} ({columns}) FROM STDIN (FORMAT binary)");
        let mut copying =
            pin!(BinaryCopyInWriter::new(client.copy_in(&copy).await.map_err(fault)?, &known.types));
        let mut replaced_texts = 0;
        while let Some(values) = rows.next()? {
            let values = values.into_iter().zip(&known.types).zip(&table.columns);
            let values = values.map(|((value, of), column)| {
                parameter(value, of, &mut replaced_texts)
                    .map_err(|text| CarryFault::Database(format!("{}.{}: {text}", table.name, column.name)))
            });
            let values = values.collect::<Result<Vec<_>, _>>()?;
            copying.as_mut().write(&as_parameters(&values)).await.map_err(fault)?;
        }
        copying.finish().await.map_err(fault)?;
        client.batch_execute(&format!("ALTER TABLE {name} ENABLE TRIGGER USER")).await.map_err(fault)?;
        self.replaced_texts += replaced_texts;
        Ok(())
    }

    /// Brings a schema that has its rows up to date.
    async fn complete(&self, schema: &NewSchema) -> Result<(), CarryFault> {
        let NewSchema { service, name, version, tables } = schema;
        self.control(&format!("SET LOCAL search_path TO {name}")).await?;
        for KnownTable { table, identity, .. } in tables {
            if let Some(column) = identity {
                // What is numbered next follows the largest that came.
                let table = quoted(&table.name);
                let sequence = format!("pg_get_serial_sequence('{table}', '{column}')");
                let largest = format!("max({})", quoted(column));
                self.control(&format!("SELECT setval({sequence}, {largest}) FROM {table}")).await?;
            }
        }
        let (table, column) = VERSION;
        self.control(&format!("ALTER TABLE {table} ALTER COLUMN {column} DROP DEFAULT")).await?;
        let newest = service.schema.version();
        migrate::step_up(&self.hold.session, &service.schema, Some(*version), newest)
            .await
            .map_err(failed)?;
        self.control(&format!(
            "INSERT INTO change_log (number, batch, writer, changes, last_event)
             SELECT {NOT_TO_FOLLOW}, gen_random_uuid(), gen_random_uuid(), '[]', coalesce(max(position), 0) FROM event_log"
        ))
        .await?;
        // Nothing is known of the tables' sizes yet, and services ask at once.
        let tables = quoted_list(tables.iter().map(|known| &known.table.name));
        self.control(&format!("ANALYZE {tables}")).await
    }

    async fn commit_all(self) -> Result<Vec<String>, CarryFault> {
        for schema in &self.services {
            self.complete(schema).await?;
        }
        self.hold.session.control("COMMIT").await.map_err(|fault| {
            CarryFault::Database(format!(
                "it is not known whether all of it was committed, because the answer was lost ({fault}); try again: if it is \
                 refused then because the database is not empty, all of it is there"
            ))
        })?;
        let replaced = self.replaced_texts;
        let remark = format!(
            "{replaced} texts had a NUL character, which PostgreSQL cannot keep; it was replaced by U+FFFD"
        );
        Ok(if replaced > 0 { vec![remark] } else { Vec::new() })
    }

    async fn control(&self, sql: &str) -> Result<(), CarryFault> {
        self.hold.session.control(sql).await.map_err(failed)
    }
}

/// As the column takes it.
fn parameter(value: StoredValue, of: &Type, replaced_texts: &mut u64) -> Result<Parameter, String> {
    Ok(match value {
        StoredValue::Null => Parameter::Null,
        StoredValue::Integer(number) => Parameter::Integer(number),
        StoredValue::Text(text) if text.contains('\0') => {
            *replaced_texts += 1;
            Parameter::Text(text.replace('\0', "\u{fffd}"))
        }
        StoredValue::Text(text) => Parameter::Text(text),
        StoredValue::Bytes(bytes) if *of == Type::UUID => {
            let id = uuid::Uuid::from_slice(&bytes);
            Parameter::Uuid(id.map_err(|_| format!("{} bytes are no UUID", bytes.len()))?)
        }
        StoredValue::Bytes(bytes) => Parameter::Bytes(bytes),
        StoredValue::Uuid(id) => Parameter::Uuid(id),
    })
}

impl InstallationWriter for PostgresWriter {
    fn begin<'a>(
        &'a mut self,
        service: &'a CarriedService,
        version: usize,
    ) -> BoxFuture<'a, Result<Vec<Table>, CarryFault>> {
        self.begin_schema(*service, version).boxed()
    }

    fn write<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<(), CarryFault>> {
        self.write_rows(service, table, rows).boxed()
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<Vec<String>, CarryFault>> {
        self.commit_all().boxed()
    }
}
