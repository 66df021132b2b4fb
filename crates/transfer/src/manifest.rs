//! The first line of a file, which says what is in it, and the last one, which says that it is all there.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_platform::sql::transfer::ServiceTables;

/// The first words of every file.
pub(crate) const FORMAT: &str = "starkeep-archive";

/// Of what this program writes, and the newest that it reads.
/// Version 1 was of earlier development versions.
pub(crate) const VERSION: u32 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub kind: ArchiveKind,
    /// The version of the program that wrote it.
    pub program: String,
    /// When it was begun.
    pub at: Timestamp,
    pub services: Vec<ServiceTables>,
}

/// What became of the installation that the file was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveKind {
    /// Nothing ran on it: the file can take its place.
    Export,
    /// It ran on: other things have happened there since.
    Backup,
}

impl Manifest {
    pub(crate) fn new(kind: ArchiveKind, program: &str, at: Timestamp, services: Vec<ServiceTables>) -> Self {
        let (format, program) = (FORMAT.to_owned(), program.to_owned());
        Self { format, version: VERSION, kind, program, at, services }
    }

    /// Of all tables. A file may say anything, also what cannot be added up.
    pub fn rows(&self) -> u64 {
        let tables = self.services.iter().flat_map(|service| &service.tables);
        tables.map(|table| table.rows).fold(0, u64::saturating_add)
    }
}

/// What every version of the format begins with: enough to say why a file cannot be read.
#[derive(Deserialize)]
pub(crate) struct AnyManifest {
    pub(crate) format: String,
    pub(crate) version: u32,
    #[serde(default)]
    pub(crate) program: Option<String>,
}

/// The last line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) rows: u64,
    /// Of all lines before it, in hexadecimal digits.
    pub(crate) sha256: String,
}
