//! Files that are filled: with what triggers and constraints say of their rows, and in which version they begin and end.

use std::io;

use super::*;
use crate::data_dir::DataDir;
use crate::sql::PLATFORM_TABLES;
use crate::sql::transfer::Schema;
use crate::sql::{Migration, at_once};

const MIGRATIONS: &[Migration] = &[
    &[
        PLATFORM_TABLES,
        "CREATE TABLE owner (id INTEGER PRIMARY KEY) STRICT;
         CREATE TABLE thing (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES owner (id), size INTEGER CHECK (size > 0)) STRICT;
         CREATE TRIGGER small BEFORE INSERT ON thing WHEN NEW.size > 10 BEGIN SELECT RAISE(ABORT, 'too large'); END;
         INSERT INTO owner VALUES (1);",
    ],
    &["ALTER TABLE thing ADD COLUMN name TEXT NOT NULL DEFAULT 'thing'"],
];

fn service() -> CarriedService {
    let schema = Schema {
        sqlite_migrations: MIGRATIONS,
        first_postgres_version: 2,
        postgres_migrations: &[],
        tables: &[],
        positions: &[],
    };
    CarriedService { name: "some", schema }
}

struct Rows(Vec<Vec<StoredValue>>);

impl RowSource for Rows {
    fn next(&mut self) -> io::Result<Option<Vec<StoredValue>>> {
        Ok(self.0.pop())
    }
}

fn integers(rows: &[&[i64]]) -> Rows {
    let row = |row: &&[i64]| row.iter().map(|number| StoredValue::Integer(*number)).collect();
    Rows(rows.iter().rev().map(row).collect())
}

/// Fills tables in this version; the values of `thing` are its id, its owner and its size.
fn fill(
    home: &tempfile::TempDir,
    version: usize,
    owners: &[&[i64]],
    things: &[&[i64]],
) -> Result<PathBuf, CarryFault> {
    let path = home.path().join("data");
    let mut filler =
        Box::new(SqliteFiller::new(FillingDataDir::begin(&path).unwrap(), vec![("some", "some.db")]));
    let service = service();
    let tables = at_once(filler.begin(&service, version))?;
    for (name, rows) in [("owner", owners), ("thing", things)] {
        let mut table = tables.iter().find(|table| table.name == name).unwrap().clone();
        table.columns.retain(|column| column.name != "name");
        at_once(filler.write("some", &table, &mut integers(rows)))?;
    }
    at_once(filler.commit())?;
    Ok(path.join("some.db"))
}

#[test]
fn rows_are_written_as_they_are_and_replace_those_of_migrations() {
    let home = tempfile::tempdir().unwrap();
    let file = fill(&home, 2, &[&[7]], &[&[1, 7, 99]]).unwrap();
    DataDir::open(file.parent().unwrap()).unwrap();
    let connection = open::writer(&file, MIGRATIONS).unwrap();
    let ids = |table| -> Vec<i64> {
        let mut rows = connection.prepare(&format!("SELECT id FROM {table}")).unwrap();
        rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!((ids("owner"), ids("thing")), (vec![7], vec![1]));
    let insert = connection.execute("INSERT INTO thing VALUES (2, 7, 11, 'x')", []);
    assert!(insert.unwrap_err().to_string().contains("too large"), "from now on the trigger says no");
}

#[test]
fn tables_of_an_earlier_version_are_brought_up_to_date() {
    let home = tempfile::tempdir().unwrap();
    let file = fill(&home, 1, &[&[7]], &[&[1, 7, 5]]).unwrap();
    let connection = open::reader(&file).unwrap();
    let name: String = connection.query_row("SELECT name FROM thing", [], |row| row.get(0)).unwrap();
    assert_eq!((name.as_str(), open::schema_version(&connection).unwrap()), ("thing", 2));
}

#[test]
fn rows_that_the_tables_refuse_leave_nothing() {
    for (owners, things, reason) in [
        (&[&[7_i64][..]][..], &[&[1_i64, 7, 0][..]][..], "CHECK"),
        (&[&[7], &[7]], &[], "UNIQUE"),
        (&[&[7]], &[&[1, 8, 5]], "refers to a row that is not there"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let fault = fill(&home, 2, owners, things).unwrap_err();
        assert!(matches!(fault, CarryFault::Database(_)), "{fault}");
        assert!(fault.to_string().contains(reason), "{fault}");
        assert!(!home.path().join("data").exists(), "{reason}");
    }
}
