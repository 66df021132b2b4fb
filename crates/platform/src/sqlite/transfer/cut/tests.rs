//! Cuts over files that are written meanwhile by a thread of their own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures::future::BoxFuture;

use super::*;
use crate::clock::Monotonic;
use crate::sql::Migration;
use crate::sql::PLATFORM_TABLES;
use crate::sql::at_once;
use crate::sql::transfer::{COMMON_TABLES, Schema};

const MIGRATIONS: &[Migration] =
    &[&[PLATFORM_TABLES], &["CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL) STRICT"]];

/// Of a later version.
const LATER: &[Migration] = &[MIGRATIONS[0], MIGRATIONS[1], &["CREATE TABLE later (x)"]];

const TABLES: &[&str] = &["counter"];

fn service(name: &'static str, migrations: &'static [Migration]) -> CarriedService {
    let schema = Schema {
        sqlite_migrations: migrations,
        first_postgres_version: migrations.len(),
        postgres_migrations: &[],
        tables: TABLES,
        positions: &[],
    };
    CarriedService { name, schema }
}

/// A clock that goes on by a millisecond whenever it is looked at.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn monotonic(&self) -> Monotonic {
        Monotonic(self.0.fetch_add(1_000_000, Ordering::Relaxed))
    }

    fn wall(&self) -> jiff::Timestamp {
        jiff::Timestamp::UNIX_EPOCH
    }

    fn sleep_until(&self, _: Monotonic) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

/// One that stands still: locks are waited for as long as it takes.
struct Standing;

impl Clock for Standing {
    fn monotonic(&self) -> Monotonic {
        Monotonic(0)
    }

    fn wall(&self) -> jiff::Timestamp {
        jiff::Timestamp::UNIX_EPOCH
    }

    fn sleep_until(&self, _: Monotonic) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

struct Files {
    folder: tempfile::TempDir,
    writers: Vec<Connection>,
}

impl Files {
    fn new(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let writer = |name: &&str| open::writer(&folder.path().join(name), MIGRATIONS).unwrap();
        let writers: Vec<_> = names.iter().map(writer).collect();
        for writer in &writers {
            writer.execute("INSERT INTO counter VALUES (1, 0)", []).unwrap();
        }
        Self { folder, writers }
    }

    fn of(&self, names: &[&'static str]) -> Vec<(CarriedService, PathBuf)> {
        names.iter().map(|name| (service(name, MIGRATIONS), self.folder.path().join(name))).collect()
    }
}

fn count_up(writer: &Connection) {
    writer.execute("UPDATE counter SET value = value + 1", []).unwrap();
}

#[derive(Default)]
struct Taken(Vec<Vec<String>>);

impl RowSink for Taken {
    fn take(&mut self, values: &[Value<'_>]) -> std::io::Result<()> {
        self.0.push(values.iter().map(|value| format!("{value:?}")).collect());
        Ok(())
    }
}

fn value_in(cut: &mut SqliteCut, name: &str) -> u64 {
    let file = cut.file(name).unwrap();
    file.reader.query_row("SELECT value FROM counter", [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs()
}

/// Also where the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn all_files_are_read_as_they_were_at_one_instant() {
    let mut files = Files::new(&["first", "second"]);
    let (orders, is_over) = ([["first", "second"], ["second", "first"]], AtomicBool::new(false));
    let writers = Mutex::new(std::mem::take(&mut files.writers));
    std::thread::scope(|scope| {
        // The second one follows the first, as a service follows the events of another.
        scope.spawn(|| {
            let writers = writers.lock().unwrap();
            // Quick, so that much is written between two looks that are not at the same instant.
            writers.iter().for_each(|writer| writer.pragma_update(None, "synchronous", "off").unwrap());
            while !is_over.load(Ordering::Relaxed) {
                writers.iter().for_each(count_up);
            }
        });
        let _over = Over(&is_over);
        let mut last = 0;
        for order in orders.iter().cycle().take(200) {
            let mut cut = SqliteCut::take(files.of(order), &Standing).unwrap();
            let [first, second] = ["first", "second"].map(|name| value_in(&mut cut, name));
            assert!(first == second || first == second + 1, "{first} and {second}");
            assert!(first >= last, "what was there before is there");
            last = first;
        }
        assert!(last > 0, "nothing was written meanwhile");
    });
}

#[test]
fn what_is_written_after_the_cut_is_not_read_and_nobody_waits_for_the_reading() {
    let files = Files::new(&["only"]);
    count_up(&files.writers[0]);
    let mut cut = SqliteCut::take(files.of(&["only"]), &Standing).unwrap();
    count_up(&files.writers[0]);
    let described = at_once(cut.services()).unwrap().pop().unwrap();
    let names: Vec<_> = described.tables.iter().map(|table| &*table.name).collect();
    assert_eq!((names, described.schema), ([&COMMON_TABLES, TABLES].concat(), 2));
    let counter = described.tables.last().unwrap();
    assert_eq!(counter.rows, 1);
    let mut taken = Taken::default();
    at_once(cut.read("only", counter, &mut taken)).unwrap();
    assert_eq!(taken.0, [["Integer(1)", "Integer(1)"]]);
}

#[test]
fn where_one_file_cannot_be_locked_none_stays_locked() {
    let files = Files::new(&["first", "second"]);
    files.writers[1].execute_batch("BEGIN IMMEDIATE").unwrap();
    let refusal = SqliteCut::take(files.of(&["first", "second"]), &Ticking::default()).err().unwrap();
    assert!(matches!(&refusal, CarryFault::Refused(text) if text.contains("without a pause")), "{refusal}");
    count_up(&files.writers[0]);
    files.writers[1].execute_batch("ROLLBACK").unwrap();
    SqliteCut::take(files.of(&["first", "second"]), &Ticking::default()).unwrap();
}

#[test]
fn a_file_of_another_version_is_refused_with_what_to_do() {
    let files = Files::new(&["only"]);
    let path = files.folder.path().join("only");
    let refusal = |migrations| {
        let fault = SqliteCut::take([(service("only", migrations), path.clone())], &Standing).err().unwrap();
        assert!(matches!(fault, CarryFault::Refused(_)), "{fault}");
        fault.to_string()
    };
    let newer = refusal(&MIGRATIONS[..1]);
    assert!(newer.contains("newer version (schema 2, this program knows 1)"), "{newer}");
    let older = refusal(LATER);
    assert!(older.contains("earlier version (schema 2") && older.contains("starkeep serve"), "{older}");
}

#[test]
fn a_table_that_nobody_has_declared_is_refused() {
    let files = Files::new(&["only"]);
    files.writers[0].execute_batch("CREATE TABLE forgotten (x INTEGER PRIMARY KEY) STRICT").unwrap();
    let mut cut = SqliteCut::take(files.of(&["only"]), &Standing).unwrap();
    let refusal = at_once(cut.services()).unwrap_err().to_string();
    assert!(refusal.contains("has a table forgotten"), "{refusal}");
}
