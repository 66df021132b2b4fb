//! One cut over the files of several services, also while processes write them: all files are read as they were at one instant.
//!
//! Every change that one service makes because of another one follows what that one has committed. So the files must not be read
//! at different times: a service would know of something that another one has yet to do. Here the write locks of all files are
//! taken; while they are held nobody commits, and a reading transaction is begun in each file. Then the locks are given back, after
//! some milliseconds, and the rows are read from the transactions however long that takes. What is read is what a kill of all
//! processes at that instant would have left behind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use uuid::Uuid;

use super::super::open;
use super::{KnownTable, failed, tables_of};
use crate::clock::Clock;
use crate::sql::Value;
use crate::sql::transfer::{
    CarriedService, CarryFault, InstallationReader, RowSink, ServiceTables, Table, quoted, quoted_list,
};

/// While some locks are held and others are waited for, services wait. After so long all are given back.
const LONGEST_HOLD: Duration = Duration::from_millis(100);

/// After so long without all locks at the same time it is given up.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct SqliteCut {
    files: Vec<OpenFile>,
}

struct OpenFile {
    service: CarriedService,
    path: PathBuf,
    /// In a transaction from the cut on. Closed before the other one, which can tidy up behind it.
    reader: Connection,
    locker: Connection,
}

impl SqliteCut {
    /// Of the files of these services. Refuses those that are older or newer than this program.
    pub fn take(
        files: impl IntoIterator<Item = (CarriedService, PathBuf)>,
        clock: &dyn Clock,
    ) -> Result<Self, CarryFault> {
        let files = files.into_iter().map(|(service, path)| OpenFile::open(service, path));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        lock_all(&files, clock)?;
        let begun = files.iter().try_for_each(OpenFile::begin);
        files.iter().for_each(OpenFile::unlock);
        begun?;
        files.iter().try_for_each(OpenFile::refuse_other_version)?;
        Ok(Self { files })
    }

    fn file(&self, service: &str) -> Result<&OpenFile, CarryFault> {
        let found = self.files.iter().find(|file| file.service.name == service);
        found.ok_or_else(|| CarryFault::Database(format!("there is no file of the {service} service")))
    }
}

/// Returns with the locks of all files.
fn lock_all(files: &[OpenFile], clock: &dyn Clock) -> Result<(), CarryFault> {
    let begun = clock.monotonic();
    while !try_lock_all(files, clock)? {
        if clock.monotonic().since(begun) > PATIENCE {
            let text =
                "the services write without a pause, so that there is no moment to copy: try again later";
            return Err(CarryFault::Refused(text.to_owned()));
        }
    }
    Ok(())
}

/// False where it takes too long: then none is held.
fn try_lock_all(files: &[OpenFile], clock: &dyn Clock) -> Result<bool, CarryFault> {
    let begun = clock.monotonic();
    for (place, file) in files.iter().enumerate() {
        while !file.try_lock()? {
            if clock.monotonic().since(begun) > LONGEST_HOLD {
                files[..place].iter().for_each(OpenFile::unlock);
                return Ok(false);
            }
            // A writer is between two transactions only for microseconds: whoever sleeps misses it.
            std::thread::yield_now();
        }
    }
    Ok(true)
}

impl OpenFile {
    fn open(service: CarriedService, path: PathBuf) -> Result<Self, CarryFault> {
        let refused = |fault| CarryFault::Refused(format!("{}: {fault}", path.display()));
        open::refuse_newer(&path, service.schema.version()).map_err(refused)?;
        let opened = || {
            let locker = open::connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            locker.busy_timeout(Duration::ZERO)?;
            Ok((open::reader(&path)?, locker))
        };
        let (reader, locker) = opened().map_err(|fault| at(&path, fault))?;
        Ok(Self { service, path, reader, locker })
    }

    fn try_lock(&self) -> Result<bool, CarryFault> {
        match self.locker.execute_batch("BEGIN IMMEDIATE") {
            Ok(()) => Ok(true),
            Err(fault) if fault.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
            Err(fault) => Err(at(&self.path, fault)),
        }
    }

    fn unlock(&self) {
        // Nothing was written.
        let _ = self.locker.execute_batch("ROLLBACK");
    }

    /// From its first question on a transaction sees what was committed then.
    fn begin(&self) -> Result<(), CarryFault> {
        let begun = self.reader.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;");
        begun.map_err(|fault| at(&self.path, fault))
    }

    fn refuse_other_version(&self) -> Result<(), CarryFault> {
        let (found, known) = (self.version()?, self.service.schema.version());
        if found == known {
            return Ok(());
        }
        Err(CarryFault::other_version(self.path.display(), found, known))
    }

    fn version(&self) -> Result<usize, CarryFault> {
        open::schema_version(&self.reader).map_err(failed)
    }

    fn described(&self) -> Result<ServiceTables, CarryFault> {
        let mut known = tables_of(&self.reader)?;
        let mut tables = Vec::new();
        for name in self.service.schema.all_tables() {
            let place = known.iter().position(|known| known.table.name == name);
            let place = place.ok_or_else(|| self.odd(&format!("has no table {name}")))?;
            let KnownTable { mut table, .. } = known.swap_remove(place);
            table.rows = self.count(name)?;
            tables.push(table);
        }
        if let Some(other) = known.first() {
            return Err(
                self.odd(&format!("has a table {} that this version does not know", other.table.name))
            );
        }
        let epoch: [u8; 16] = self
            .reader
            .query_row("SELECT epoch FROM installation", [], |row| row.get(0))
            .map_err(|fault| at(&self.path, fault))?;
        let (name, epoch) = (self.service.name.to_owned(), Uuid::from_bytes(epoch));
        Ok(ServiceTables { name, schema: self.version()?, epoch, tables })
    }

    fn count(&self, table: &str) -> Result<u64, CarryFault> {
        let count = format!("SELECT count(*) FROM {}", quoted(table));
        self.reader.query_row(&count, [], |row| row.get(0).map(i64::unsigned_abs)).map_err(failed)
    }

    fn odd(&self, what: &str) -> CarryFault {
        CarryFault::Refused(format!("{} {what}", self.path.display()))
    }

    fn read(&self, table: &Table, rows: &mut dyn RowSink) -> Result<(), CarryFault> {
        let known = tables_of(&self.reader)?.into_iter().find(|known| known.table.name == table.name);
        let key = known.ok_or_else(|| self.odd(&format!("has no table {}", table.name)))?.key;
        let columns = quoted_list(table.columns.iter().map(|column| &column.name));
        let sql = format!("SELECT {columns} FROM {} ORDER BY {}", quoted(&table.name), quoted_list(&key));
        let mut select = self.reader.prepare(&sql).map_err(failed)?;
        let mut found = select.query([]).map_err(failed)?;
        while let Some(row) = found.next().map_err(|fault| at(&self.path, fault))? {
            let value = |place| row.get_ref(place).and_then(value);
            let values = (0..table.columns.len()).map(value).collect::<Result<Vec<_>, _>>();
            rows.take(&values.map_err(failed)?)?;
        }
        Ok(())
    }
}

fn value(found: ValueRef<'_>) -> rusqlite::Result<Value<'_>> {
    Ok(match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(_) => Value::Text(found.as_str()?),
        ValueRef::Blob(bytes) => Value::Bytes(bytes),
        // The tables are strict and have no such column.
        ValueRef::Real(_) => return Err(rusqlite::Error::InvalidQuery),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn at(path: &Path, fault: rusqlite::Error) -> CarryFault {
    let hint = match fault.sqlite_error_code() {
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "; run this as the user whose services write it"
        }
        _ => "",
    };
    CarryFault::Database(format!("{}: {fault}{hint}", path.display()))
}

impl InstallationReader for SqliteCut {
    fn services(&mut self) -> BoxFuture<'_, Result<Vec<ServiceTables>, CarryFault>> {
        ready(self.files.iter().map(OpenFile::described).collect()).boxed()
    }

    fn read<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), CarryFault>> {
        ready(self.file(service).and_then(|file| file.read(table, rows))).boxed()
    }

    /// A transaction that has begun sees no change.
    fn finish(&mut self) -> BoxFuture<'_, Result<(), CarryFault>> {
        ready(Ok(())).boxed()
    }
}

#[cfg(test)]
mod tests;
