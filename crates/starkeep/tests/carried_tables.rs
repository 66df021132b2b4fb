//! The tables of each service in SQLite and in a real PostgreSQL: the same ones with the same columns, so that rows can be carried
//! from the one to the other. What only one of them has is found here, and not by whoever moves.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeMap;

use futures::FutureExt as _;
use futures::future::join_all;
use starkeep_game_service::store::Games;
use starkeep_map_service::store::Maps;
use starkeep_platform::broken::Broken;
use starkeep_platform::chance::SystemChance;
use starkeep_platform::clock::SystemClock;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::PostgresTables;
use starkeep_platform::sql::transfer::{CarriedService, InstallationReader as _, Schema, Table};
use starkeep_platform::sqlite::{self, SqliteCut};
use starkeep_platform::tasks::Stop;
use starkeep_postgres::{Flags, PostgresReader, Settings};
use starkeep_robot_service::store::Robots;
use starkeep_test_postgres::{shared, unique_schema};
use starkeep_trading_service::store::Trading;
use uuid::Uuid;

/// Of the processes that run on PostgreSQL: they are not carried.
const OF_PROCESSES: [&str; 3] = ["change_log", "lease", "replica"];

/// The same service in both databases.
struct Both {
    service: CarriedService,
    sqlite: Vec<Table>,
    postgres: Vec<Table>,
    folder: tempfile::TempDir,
    schema: String,
}

async fn both<D: PostgresTables>(name: &'static str) -> Both {
    let service = CarriedService { name, schema: Schema::of::<D>() };
    let (clock, replica) = (SystemClock::start(), ReplicaId(Uuid::nil()));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("some.db");
    drop(sqlite::open::<D>(&file, replica, DiskLog::of_one_store()).unwrap());
    let mut cut = SqliteCut::take([(service, file)], &*clock).unwrap();
    let sqlite = cut.services().await.unwrap().pop().unwrap();
    drop(cut);

    let (schema, stop) = (unique_schema(name), Stop::new());
    let url: starkeep_postgres::DatabaseUrl = shared().url().parse().unwrap();
    let settings = Settings {
        url: url.clone(),
        schema: schema.clone(),
        replica,
        clock: clock.clone(),
        chance: std::sync::Arc::new(SystemChance),
        stop: stop.clone(),
        flags: Flags::new(),
        broken: Broken::default(),
        disk_log: DiskLog::of_one_store(),
    };
    stop.cancel();
    drop(starkeep_postgres::open::<D>(settings).await.unwrap());
    let mut reader = PostgresReader::open(url, clock, &[(service, schema.clone())]).await.unwrap();
    let postgres = reader.services().await.unwrap().pop().unwrap();
    assert_eq!(sqlite.schema, postgres.schema, "{name}");
    Both { service, sqlite: sqlite.tables, postgres: postgres.tables, folder, schema }
}

async fn all() -> Vec<Both> {
    let services =
        [both::<Maps>("map").boxed(), both::<Robots>("robot").boxed(), both::<Trading>("trading").boxed()];
    join_all(services.into_iter().chain([both::<Games>("game").boxed()])).await
}

#[tokio::test]
async fn every_table_has_the_same_columns_in_both_databases() {
    for Both { service, sqlite, postgres, .. } in all().await {
        assert!(sqlite.len() > 5, "{}", service.name);
        for (one, other) in sqlite.iter().zip(&postgres) {
            assert_eq!(
                one, other,
                "{}: a new one has the same tables with the same number of rows",
                service.name
            );
        }
        assert_eq!(sqlite.len(), postgres.len(), "{}", service.name);
    }
}

#[tokio::test]
async fn no_table_of_postgresql_is_forgotten() {
    for Both { service, schema, .. } in all().await {
        let found = shared().psql(&format!("SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'"));
        let is_carried = |table: &&str| {
            service.schema.all_tables().any(|known| known == *table) || OF_PROCESSES.contains(table)
        };
        let others: Vec<_> =
            found.lines().filter(|table| !is_carried(table)).map(|table| (service.name, table)).collect();
        assert_eq!(others, [], "not carried");
    }
}

#[tokio::test]
async fn a_table_stands_behind_those_that_it_refers_to() {
    for Both { service, folder, schema, .. } in all().await {
        let places: BTreeMap<&str, usize> = service.schema.all_tables().zip(0..).collect();
        let connection = rusqlite::Connection::open(folder.path().join("some.db")).unwrap();
        for table in service.schema.all_tables() {
            let mut keys = connection.prepare("SELECT \"table\" FROM pragma_foreign_key_list(?1)").unwrap();
            let referred = keys.query_map([table], |row| row.get::<_, String>(0)).unwrap();
            for referred in referred.map(Result::unwrap) {
                assert!(places[&*referred] < places[table], "{}: {table} before {referred}", service.name);
            }
        }
        let keys = shared().psql(&format!(
            "SELECT own.relname || ' ' || other.relname FROM pg_constraint
             JOIN pg_class own ON own.oid = conrelid JOIN pg_class other ON other.oid = confrelid
             JOIN pg_namespace ON pg_namespace.oid = own.relnamespace WHERE contype = 'f' AND nspname = '{schema}'"
        ));
        for (table, referred) in keys.lines().map(|line| line.split_once(' ').unwrap()) {
            assert!(places[referred] < places[table], "{}: {table} before {referred}", service.name);
        }
    }
}

#[tokio::test]
async fn positions_are_texts_of_tables_that_are_carried() {
    for Both { service, sqlite, .. } in all().await {
        for (table, column) in service.schema.positions {
            let table = sqlite.iter().find(|found| found.name == *table).unwrap();
            assert!(table.columns.iter().any(|found| found.name == *column), "{}: {column}", table.name);
        }
    }
}
