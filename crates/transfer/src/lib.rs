//! An installation as one file: all rows of all its services, whichever database they come from or go to.
//!
//! The file is lines of JSON. The first one is the manifest (`manifest`): what wrote the file, and every table with its columns and
//! how many rows it has. Then there is a line for each row, in the manifest's order (`row_line`), and a last one with the number
//! of rows and the SHA-256 of all lines before it. Neither side has more than a row in memory.
//!
//! A file is written beside its place and gets its name when it is complete (`write`). One is read twice: first only to see that it
//! is what was written, then row by row (`read`). Where rows come from and go to are the platform's ports.

mod epochs;
mod error;
mod manifest;
mod progress;
mod read;
mod row_line;
mod write;

pub use self::epochs::Epochs;
pub use self::error::TransferError;
pub use self::manifest::{ArchiveKind, Manifest};
pub use self::progress::Progress;
pub use self::read::Archive;
pub use self::write::write;
