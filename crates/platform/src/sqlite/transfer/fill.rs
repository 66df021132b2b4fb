//! New SQLite files that are filled with the rows of another place: in a folder of their own, until all of them are complete.
//! Until then they are written without a journal and without syncs; where anything fails the folder is thrown away.

use std::fs::File;
use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::super::open;
use super::tables_of;
use crate::data_dir::FillingDataDir;
use crate::disk_log;
use crate::sql::StoredValue;
use crate::sql::transfer::{
    CarriedService, CarryFault, InstallationWriter, RowSource, Table, quoted, quoted_list,
};

/// How much of a file is kept in memory while it is written, in KiB: keys of indices come in no order.
const CACHE_KIB: i64 = 64 * 1024;

pub struct SqliteFiller {
    /// Declared first, so that the files are closed before their folder is removed.
    files: Vec<NewFile>,
    data_dir: FillingDataDir,
    /// Services, and the names of their files.
    names: Vec<(&'static str, &'static str)>,
}

struct NewFile {
    service: CarriedService,
    path: PathBuf,
    connection: Connection,
}

impl SqliteFiller {
    pub fn new(data_dir: FillingDataDir, names: Vec<(&'static str, &'static str)>) -> Self {
        Self { files: Vec::new(), data_dir, names }
    }

    fn file(&self, service: &str) -> Result<&NewFile, CarryFault> {
        let found = self.files.iter().find(|file| file.service.name == service);
        found.ok_or_else(|| CarryFault::Database(format!("the {service} service has no file yet")))
    }

    fn begin_file(&mut self, service: CarriedService, version: usize) -> Result<Vec<Table>, CarryFault> {
        let name = self.names.iter().find(|(name, _)| *name == service.name).map(|(_, file)| *file);
        let name =
            name.ok_or_else(|| CarryFault::Database(format!("the {} service has no file", service.name)))?;
        let path = self.data_dir.folder().join(name);
        let connection = create(&path, service, version).map_err(|fault| at(&path, &fault))?;
        let tables = tables_of(&connection)?.into_iter().map(|known| known.table).collect();
        self.files.push(NewFile { service, path, connection });
        Ok(tables)
    }

    fn complete(self) -> Result<Vec<String>, CarryFault> {
        let Self { files, data_dir, .. } = self;
        files.into_iter().try_for_each(NewFile::complete)?;
        let place = data_dir.folder().display().to_string();
        data_dir.complete().map_err(|fault| CarryFault::Database(format!("{place}: {fault}")))?;
        Ok(Vec::new())
    }
}

/// A file with tables as they were in this version.
fn create(path: &Path, service: CarriedService, version: usize) -> rusqlite::Result<Connection> {
    let mut connection = open::open_private(path)?;
    connection.pragma_update(None, "application_id", open::APPLICATION_ID)?;
    connection.pragma_update(None, "journal_mode", "off")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    open::migrate(&mut connection, &service.schema.sqlite_migrations[..version])?;
    // Rows are carried as they are: what a trigger says of a change was said when it was made. A game keeps its slot, for
    // one, also where fewer may run by now. Whether rows find what they refer to is checked at the end.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    Ok(connection)
}

impl NewFile {
    fn write(&self, table: &Table, rows: &mut dyn RowSource) -> Result<(), CarryFault> {
        let name = quoted(&table.name);
        let fault = |fault: rusqlite::Error| {
            CarryFault::Database(format!("table {}: {}", table.name, said(&self.path, &fault)))
        };
        self.connection.execute_batch(&format!("BEGIN; DELETE FROM {name}")).map_err(fault)?;
        let columns = quoted_list(table.columns.iter().map(|column| &column.name));
        let places: Vec<_> = (1..=table.columns.len()).map(|place| format!("?{place}")).collect();
        let insert = format!("INSERT INTO {name} ({columns}) VALUES ({})", places.join(", "));
        let mut insert = self.connection.prepare(&insert).map_err(fault)?;
        while let Some(values) = rows.next()? {
            insert.execute(params_from_iter(values.iter().map(StoredValue::borrowed))).map_err(fault)?;
        }
        self.connection.execute_batch("COMMIT").map_err(fault)
    }

    /// From here on it is a file as `serve` has left it.
    fn complete(self) -> Result<(), CarryFault> {
        let Self { service, path, connection } = self;
        let fault = |fault: rusqlite::Error| at(&path, &fault);
        let mut orphans = connection.prepare("PRAGMA foreign_key_check").map_err(fault)?;
        let orphan: Option<String> = orphans
            .query_map([], |row| row.get(0))
            .and_then(|mut rows| rows.next().transpose())
            .map_err(fault)?;
        if let Some(table) = orphan {
            let text = format!("a row of table {table} refers to a row that is not there");
            return Err(CarryFault::Database(text));
        }
        drop(orphans);
        connection.close().map_err(|(_, closing)| fault(closing))?;
        // As at a start: what is older than this program is brought up to date.
        let connection = open::writer(&path, service.schema.sqlite_migrations)
            .map_err(|fault| CarryFault::Database(format!("{}: {fault}", path.display())))?;
        connection.close().map_err(|(_, closing)| fault(closing))?;
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|fault| CarryFault::Database(format!("{}: {fault}", path.display())))
    }
}

fn at(path: &Path, fault: &rusqlite::Error) -> CarryFault {
    CarryFault::Database(format!("{}: {}", path.display(), said(path, fault)))
}

/// SQLite says of a full disk that the database is full, or only that something could not be written.
fn said(path: &Path, fault: &rusqlite::Error) -> String {
    if fault.sqlite_error_code() == Some(ErrorCode::DiskFull) || disk_log::is_full_at(path) {
        format!("the disk is full ({fault})")
    } else {
        fault.to_string()
    }
}

impl InstallationWriter for SqliteFiller {
    fn begin<'a>(
        &'a mut self,
        service: &'a CarriedService,
        version: usize,
    ) -> BoxFuture<'a, Result<Vec<Table>, CarryFault>> {
        ready(self.begin_file(*service, version)).boxed()
    }

    fn write<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<(), CarryFault>> {
        ready(self.file(service).and_then(|file| file.write(table, rows))).boxed()
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<Vec<String>, CarryFault>> {
        ready(self.complete()).boxed()
    }
}

#[cfg(test)]
mod tests;
