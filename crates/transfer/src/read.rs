//! Reading a file: its manifest, then all of it to see that it is exactly what was written, then row by row into a place.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use starkeep_platform::sql::StoredValue;
use starkeep_platform::sql::transfer::{CarriedService, InstallationWriter, RowSource, ServiceTables, Table};

use crate::epochs::{Epochs, NewValues};
use crate::error::{TransferError, carried, stopped};
use crate::manifest::{AnyManifest, End, FORMAT, Manifest, VERSION};
use crate::progress::Progress;
use crate::row_line::{self, hexadecimal};

/// Of the first line: what is not ours may have no lines at all.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// No row is larger: databases do not keep values that are.
const LONGEST_LINE: u64 = 1 << 31;

/// A file that says that it is one of ours.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    manifest: Manifest,
}

impl Archive {
    /// Refuses what is no such file, or is of a newer version.
    pub fn open(path: &Path) -> Result<Self, TransferError> {
        let manifest = Lines::open(path)?.manifest()?;
        Ok(Self { path: path.to_owned(), manifest })
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Writes everything into the place, where all of it becomes visible or nothing does; before that it is read once, and refused
    /// where it is not complete or not as it was written. With epochs the logs get new ones. What a person should know of it,
    /// in sentences.
    pub async fn fill(
        &self,
        mut to: Box<dyn InstallationWriter>,
        known: &[CarriedService],
        epochs: Option<&Epochs>,
        progress: &mut dyn Progress,
    ) -> Result<Vec<String>, TransferError> {
        let services = self.known_services(known)?;
        self.check(progress)?;
        let mut lines = self.lines()?;
        let (mut done, total) = (0, self.manifest.rows());
        progress.begin("rows", total);
        for (service, found) in services {
            let made = to.begin(&service, found.schema).await.map_err(TransferError::Carry)?;
            for table in &found.tables {
                self.check_shape(&service, table, &made)?;
                let new_values = epochs.map(|epochs| epochs.of_table(&service, table));
                let left = table.rows;
                let mut rows = Rows { lines: &mut lines, table, new_values, left, done: &mut done, progress };
                let written = to.write(service.name, table, &mut rows).await;
                written.map_err(|fault| carried(fault, &self.path))?;
            }
        }
        lines.next()?;
        lines.check_end(total)?;
        to.commit().await.map_err(|fault| carried(fault, &self.path))
    }

    /// Reads all of it: it is exactly what was written.
    fn check(&self, progress: &mut dyn Progress) -> Result<(), TransferError> {
        let mut lines = self.lines()?;
        let size = std::fs::metadata(&self.path).map(|found| found.len()).unwrap_or_default();
        progress.begin("bytes checked", size);
        let mut rows = 0;
        while lines.next()?.starts_with(b"[") {
            if progress.is_stopped() {
                return Err(TransferError::Stopped);
            }
            rows += 1;
            progress.done(lines.read);
        }
        lines.check_end(rows)?;
        let announced = self.manifest.rows();
        if rows != announced {
            return Err(lines.damaged(&format!("it has {rows} rows and says that it has {announced}")));
        }
        Ok(())
    }

    /// From the first row on.
    fn lines(&self) -> Result<Lines, TransferError> {
        let mut lines = Lines::open(&self.path)?;
        if lines.manifest()? != self.manifest {
            return Err(lines.damaged("it was changed while it was read"));
        }
        Ok(lines)
    }

    /// Each service of the file, and what is known of it here.
    fn known_services(
        &self,
        known: &[CarriedService],
    ) -> Result<Vec<(CarriedService, &ServiceTables)>, TransferError> {
        let twice = doubled(&self.manifest.services, |service| &service.name);
        if let Some(name) = twice {
            return Err(self.damaged(format!("it lists the {name} service twice")));
        }
        let find = |found| {
            let ServiceTables { name, schema, tables, .. }: &ServiceTables = found;
            if let Some(table) = doubled(tables, |table| &table.name) {
                return Err(self.damaged(format!("it lists the table {table} of the {name} service twice")));
            }
            let service = known.iter().find(|service| service.name == name);
            let service = service.ok_or_else(|| self.newer(format!("this program has no {name} service")))?;
            let version = service.schema.version();
            if *schema > version || *schema == 0 {
                let what = format!("the {name} service has schema {schema}, this program knows {version}");
                return Err(self.newer(what));
            }
            Ok((*service, found))
        };
        self.manifest.services.iter().map(find).collect()
    }

    fn damaged(&self, reason: String) -> TransferError {
        TransferError::Damaged { path: self.path.clone(), reason }
    }

    fn newer(&self, what: String) -> TransferError {
        TransferError::Newer { path: self.path.clone(), by: format!(" ({})", self.manifest.program), what }
    }

    /// The table is there, and has these columns.
    fn check_shape(
        &self,
        service: &CarriedService,
        table: &Table,
        made: &[Table],
    ) -> Result<(), TransferError> {
        let same = made.iter().find(|made| made.name == table.name);
        if same.is_some_and(|same| same.columns == table.columns) {
            return Ok(());
        }
        let what = if same.is_some() { "with other columns" } else { "that is not known there" };
        let reason = format!("the {} service has a table {} {what}", service.name, table.name);
        Err(TransferError::Unfit { path: self.path.clone(), reason })
    }
}

/// A name that more than one of them has.
fn doubled<T>(listed: &[T], name: impl Fn(&T) -> &str) -> Option<&str> {
    let mut names: Vec<_> = listed.iter().map(name).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The lines of a file, one after the other.
struct Lines {
    path: PathBuf,
    input: BufReader<File>,
    /// With its end.
    line: Vec<u8>,
    /// Of all lines before it.
    digest: Sha256,
    /// So many bytes.
    read: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, TransferError> {
        let input = File::open(path).map_err(|source| TransferError::Io { path: path.to_owned(), source })?;
        let input = BufReader::with_capacity(1 << 16, input);
        Ok(Self { path: path.to_owned(), input, line: Vec::new(), digest: Sha256::new(), read: 0 })
    }

    fn manifest(&mut self) -> Result<Manifest, TransferError> {
        self.read_line(LONGEST_MANIFEST).map_err(|source| self.failed(source))?;
        let foreign = |reason: String| TransferError::Foreign { path: self.path.clone(), reason };
        let any: AnyManifest = serde_json::from_slice(&self.line).map_err(|_| {
            let is_ours = self.line.starts_with(format!("{{\"format\":\"{FORMAT}\"").as_bytes());
            if is_ours {
                self.damaged("its first line is cut off, or was altered")
            } else {
                foreign("its first line does not say what it is".to_owned())
            }
        })?;
        if any.format != FORMAT {
            return Err(foreign(format!("it says that it is `{}`", any.format.escape_debug())));
        }
        if any.version > VERSION {
            let by = any.program.map(|program| format!(" ({})", program.escape_debug())).unwrap_or_default();
            let what = format!("it has the format {}, this program reads {VERSION}", any.version);
            return Err(TransferError::Newer { path: self.path.clone(), by, what });
        }
        if any.version < VERSION {
            return Err(TransferError::Development(self.path.clone()));
        }
        serde_json::from_slice(&self.line)
            .map_err(|fault| self.damaged(&format!("its first line cannot be read: {fault}")))
    }

    /// Empty at the end of the file.
    fn next(&mut self) -> Result<&[u8], TransferError> {
        self.read_line(LONGEST_LINE).map_err(|source| self.failed(source))?;
        Ok(&self.line)
    }

    fn read_line(&mut self, longest: u64) -> io::Result<()> {
        self.digest.update(&self.line);
        self.line.clear();
        (&mut self.input).take(longest).read_until(b'\n', &mut self.line)?;
        self.read += self.line.len() as u64;
        Ok(())
    }

    /// The line is the last one of a file with so many rows.
    fn check_end(&mut self, rows: u64) -> Result<(), TransferError> {
        let end: Result<End, _> = serde_json::from_slice(&self.line);
        let Some(end) = end.ok().filter(|_| self.line.ends_with(b"\n")) else {
            return Err(self.damaged("its end is missing, or a line of it was altered"));
        };
        if end.sha256 != hexadecimal(&self.digest.clone().finalize()) || end.rows != rows {
            return Err(self.damaged("its lines are not those that were written (SHA-256)"));
        }
        if !self.next()?.is_empty() {
            return Err(self.damaged("there is something behind its end"));
        }
        Ok(())
    }

    fn damaged(&self, reason: &str) -> TransferError {
        TransferError::Damaged { path: self.path.clone(), reason: reason.to_owned() }
    }

    fn failed(&self, source: io::Error) -> TransferError {
        TransferError::Io { path: self.path.clone(), source }
    }
}

/// The rows of one table.
struct Rows<'a> {
    lines: &'a mut Lines,
    table: &'a Table,
    new_values: Option<NewValues<'a>>,
    left: u64,
    done: &'a mut u64,
    progress: &'a mut dyn Progress,
}

impl RowSource for Rows<'_> {
    fn next(&mut self) -> io::Result<Option<Vec<StoredValue>>> {
        if self.progress.is_stopped() {
            return Err(stopped());
        }
        if self.left == 0 {
            return Ok(None);
        }
        self.lines.read_line(LONGEST_LINE)?;
        let mut row = row_line::read(&self.lines.line, self.table).map_err(|reason| {
            let text = format!("a row of table {} cannot be read: {reason}", self.table.name);
            io::Error::new(io::ErrorKind::InvalidData, text)
        })?;
        if let Some(new_values) = &self.new_values {
            new_values.put(&mut row);
        }
        self.left -= 1;
        *self.done += 1;
        self.progress.done(*self.done);
        Ok(Some(row))
    }
}
