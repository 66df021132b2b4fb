//! A real PostgreSQL that is filled with tables of an earlier version: they are made as they were, and brought up to date with their
//! rows. How whole installations are moved is tested with the program.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io;

use starkeep_platform::clock::SystemClock;
use starkeep_platform::sql::transfer::{
    CarriedService, CarryFault, InstallationWriter, RowSource, Schema, Table,
};
use starkeep_platform::sql::{Migration, StoredValue};
use starkeep_postgres::{PostgresWriter, ServiceSchema};
use starkeep_test_postgres::{shared, unique_schema};

/// Version 1 was before PostgreSQL.
const POSTGRES: &[Migration] = &[
    &["CREATE TABLE thing (id UUID PRIMARY KEY, size BIGINT NOT NULL);"],
    &["ALTER TABLE thing ADD COLUMN name TEXT NOT NULL DEFAULT 'thing';"],
];

const SERVICE: CarriedService = CarriedService {
    name: "some",
    schema: Schema {
        sqlite_migrations: &[&[], &[], &[]],
        first_postgres_version: 2,
        postgres_migrations: POSTGRES,
        tables: &["installation", "thing"],
        positions: &[],
    },
};

struct Rows(Vec<Vec<StoredValue>>);

impl RowSource for Rows {
    fn next(&mut self) -> io::Result<Option<Vec<StoredValue>>> {
        Ok(self.0.pop())
    }
}

async fn open(schema: &str) -> Result<Box<PostgresWriter>, CarryFault> {
    let schemas = vec![ServiceSchema { service: "some", schema: schema.to_owned() }];
    let url = shared().url().parse().unwrap();
    PostgresWriter::open(url, SystemClock::start(), schemas).await.map(Box::new)
}

fn named(tables: &[Table], name: &str) -> Table {
    tables.iter().find(|table| table.name == name).unwrap().clone()
}

/// An epoch that is 16 bytes of this, and a thing with an id of as many.
async fn filled(schema: &str, length: usize) -> Result<(), CarryFault> {
    let mut writer = open(schema).await?;
    let tables = writer.begin(&SERVICE, 2).await?;
    let (only, touched) = (StoredValue::Integer(1), StoredValue::Integer(0));
    let installation = vec![StoredValue::Bytes(vec![7; 16]), only, touched];
    writer.write("some", &named(&tables, "installation"), &mut Rows(vec![installation])).await?;
    let thing = vec![StoredValue::Bytes(vec![9; length]), StoredValue::Integer(i64::MIN)];
    writer.write("some", &named(&tables, "thing"), &mut Rows(vec![thing])).await?;
    writer.commit().await.map(|remarks| assert!(remarks.is_empty(), "{remarks:?}"))
}

#[tokio::test]
async fn tables_of_an_earlier_version_are_brought_up_to_date() {
    let schema = unique_schema("filled");
    filled(&schema, 16).await.unwrap();
    let found = shared()
        .psql(&format!("SELECT format, epoch, id, size, name FROM {schema}.installation, {schema}.thing"));
    let (epoch, id) = ("07".repeat(16), "09".repeat(16));
    let expected = format!("3|{epoch}|{id}|{}|thing", i64::MIN);
    assert_eq!(found.replace('-', ""), expected.replace('-', ""));
    assert!(matches!(open(&schema).await, Err(CarryFault::Refused(text)) if text.contains("is not empty")));
}

#[tokio::test]
async fn what_is_no_id_is_refused_and_nothing_is_there() {
    let schema = unique_schema("filled");
    let fault = filled(&schema, 15).await.unwrap_err().to_string();
    assert!(fault.contains("thing.id: 15 bytes are no UUID"), "{fault}");
    let schemas = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'");
    assert_eq!(shared().psql(&schemas), "0");
}

#[tokio::test]
async fn tables_from_before_postgresql_are_refused_with_what_to_do() {
    let mut writer = open(&unique_schema("filled")).await.unwrap();
    let refusal = writer.begin(&SERVICE, 1).await.unwrap_err();
    assert!(
        matches!(&refusal, CarryFault::Refused(text) if text.contains("into a data directory")),
        "{refusal}"
    );
}
