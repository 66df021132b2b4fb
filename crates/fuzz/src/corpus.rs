//! The corpus: a folder of inputs for each target, valid ones and nasty ones. Every test run tries all of them.
//! What a run finds is added here, so that it is tried from then on.
//!
//! A file is what its target reads, as it stands. Requests are written as `request` has it, with names in them (`names`); where it takes
//! several inputs one after the other, a line of five equals signs stands between them.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::hex::hex;
use crate::target::Target;

/// A file, and what is in it.
pub struct Entry {
    pub path: PathBuf,
    pub input: Vec<u8>,
}

/// In the order of their names.
pub fn of(target: &Target) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for file in std::fs::read_dir(folder(target))? {
        let path = file?.path();
        let input = std::fs::read(&path)?;
        entries.push(Entry { path, input });
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}

/// Adds what goes wrong: where it is.
pub fn add(target: &Target, input: &[u8]) -> io::Result<PathBuf> {
    let name = hex(&Sha256::digest(input)[..4]);
    std::fs::create_dir_all(folder(target))?;
    let path = folder(target).join(format!("fault-{name}"));
    std::fs::write(&path, input)?;
    Ok(path)
}

fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}
