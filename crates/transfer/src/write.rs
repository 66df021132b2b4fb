//! Writing a file: beside its place under another name, readable by its owner only, and renamed when it is complete and durable.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use starkeep_platform::sql::Value;
use starkeep_platform::sql::transfer::{CarryFault, InstallationReader, RowSink};
use tempfile::NamedTempFile;

use crate::error::{TransferError, carried, stopped};
use crate::manifest::{ArchiveKind, End, Manifest};
use crate::progress::Progress;
use crate::row_line::{self, hexadecimal};

/// Writes everything that is read into a new file; what that has in it.
pub async fn write(
    from: &mut dyn InstallationReader,
    path: &Path,
    kind: ArchiveKind,
    program: &str,
    at: Timestamp,
    progress: &mut dyn Progress,
) -> Result<Manifest, TransferError> {
    let services = from.services().await.map_err(TransferError::Carry)?;
    let manifest = Manifest::new(kind, program, at, services);
    let mut file = NewFile::create(path)?;
    file.write_manifest(&manifest)?;
    progress.begin("rows", manifest.rows());
    for service in &manifest.services {
        for table in &service.tables {
            let before = file.rows;
            let mut rows = WatchedFile { file: &mut file, progress };
            from.read(&service.name, table, &mut rows).await.map_err(|fault| carried(fault, path))?;
            if file.rows - before != table.rows {
                let text = format!("table {} changed while it was read", table.name);
                return Err(TransferError::Carry(CarryFault::Database(text)));
            }
        }
    }
    from.finish().await.map_err(|fault| carried(fault, path))?;
    file.complete()?;
    Ok(manifest)
}

/// Under its own name only when it is complete. Dropped before, nothing of it is left.
struct NewFile {
    path: PathBuf,
    output: BufWriter<NamedTempFile>,
    digest: Sha256,
    rows: u64,
    /// The line that is being written.
    line: Vec<u8>,
}

impl NewFile {
    fn create(path: &Path) -> Result<Self, TransferError> {
        if path.symlink_metadata().is_ok() {
            return Err(TransferError::Exists(path.to_owned()));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Only its owner may read it: it has the tokens of all players in it.
        let output = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".unfinished")
            .tempfile_in(folder_of(path))
            .map_err(|source| TransferError::Io { path: path.to_owned(), source })?;
        let (output, digest) = (BufWriter::with_capacity(1 << 16, output), Sha256::new());
        Ok(Self { path: path.to_owned(), output, digest, rows: 0, line: Vec::new() })
    }

    fn write_manifest(&mut self, manifest: &Manifest) -> Result<(), TransferError> {
        serde_json::to_writer(&mut self.line, manifest).map_err(|fault| self.failed(fault.into()))?;
        self.line.push(b'\n');
        self.write_line().map_err(|fault| self.failed(fault))
    }

    fn write_line(&mut self) -> io::Result<()> {
        self.digest.update(&self.line);
        self.output.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }

    fn complete(mut self) -> Result<(), TransferError> {
        let path = self.path.clone();
        let failed = |source| TransferError::Io { path: path.clone(), source };
        let end = End { rows: self.rows, sha256: hexadecimal(&self.digest.finalize_reset()) };
        serde_json::to_writer(&mut self.line, &end).map_err(|fault| failed(fault.into()))?;
        self.line.push(b'\n');
        self.write_line().map_err(failed)?;
        let file = self.output.into_inner().map_err(|fault| failed(fault.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist_noclobber(&path).map_err(|fault| match fault.error.kind() {
            io::ErrorKind::AlreadyExists => TransferError::Exists(path.clone()),
            _ => failed(fault.error),
        })?;
        File::open(folder_of(&path)).and_then(|folder| folder.sync_all()).map_err(failed)
    }

    fn failed(&self, source: io::Error) -> TransferError {
        TransferError::Io { path: self.path.clone(), source }
    }
}

/// The file as it takes rows.
struct WatchedFile<'a> {
    file: &'a mut NewFile,
    progress: &'a mut dyn Progress,
}

impl RowSink for WatchedFile<'_> {
    fn take(&mut self, values: &[Value<'_>]) -> io::Result<()> {
        if self.progress.is_stopped() {
            return Err(stopped());
        }
        row_line::append(&mut self.file.line, values)?;
        self.file.write_line()?;
        self.file.rows += 1;
        self.progress.done(self.file.rows);
        Ok(())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}
