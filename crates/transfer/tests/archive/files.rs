//! The file itself: its content, its name, who may read it, and what is left where it is not completed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use futures::FutureExt as _;
use jiff::Timestamp;
use starkeep_transfer::{ArchiveKind, TransferError};

use crate::place::{Place, SERVICES, Unwatched, filled, filled_by};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_read_is_what_was_written() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    let manifest = Place::some().written(&path, ArchiveKind::Export).unwrap();
    assert_eq!((manifest.rows(), manifest.program.as_str()), (6, "1.2.3"));
    assert_eq!(filled(&path, None).unwrap(), Place::some());
    assert_eq!(names(home.path()), ["file"]);
}

#[test]
fn a_file_is_lines_of_json_and_only_its_owner_reads_it() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    Place::some().written(&path, ArchiveKind::Backup).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 8);
    assert!(
        text.starts_with(r#"{"format":"starkeep-archive","version":2,"kind":"backup","program":"1.2.3","#)
    );
    assert_eq!(lines[0]["services"][1]["tables"][1]["columns"][0]["name"], "data");
    assert_eq!(lines[3][0], "0000000000");
    assert_eq!(lines[7]["rows"], 6);
}

#[test]
fn a_file_that_exists_is_not_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    std::fs::write(&path, "dear diary").unwrap();
    let refusal = Place::some().written(&path, ArchiveKind::Export).unwrap_err();
    assert!(matches!(refusal, TransferError::Exists(_)) && refusal.is_refusal(), "{refusal}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "dear diary");
    assert_eq!(names(home.path()), ["file"]);
}

#[test]
fn where_it_is_stopped_nothing_is_left() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    for rows in 0..6 {
        let mut from = Place::some();
        let mut stops = Unwatched { rows_left: Some(rows) };
        let (kind, at) = (ArchiveKind::Export, Timestamp::UNIX_EPOCH);
        let written = starkeep_transfer::write(&mut from, &path, kind, "1.2.3", at, &mut stops);
        let outcome = written.now_or_never().unwrap();
        assert!(matches!(outcome, Err(TransferError::Stopped)), "{outcome:?}");
        assert_eq!(names(home.path()), [] as [&str; 0]);
    }
    Place::some().written(&path, ArchiveKind::Export).unwrap();
    // It is read twice.
    for rows in 0..12 {
        let outcome = filled_by(&path, &SERVICES, None, &mut Unwatched { rows_left: Some(rows) });
        assert!(matches!(outcome, Err(TransferError::Stopped)), "{rows}: {outcome:?}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("nowhere/file");
    let fault = Place::some().written(&path, ArchiveKind::Export).unwrap_err();
    assert!(!fault.is_refusal() && fault.to_string().contains("nowhere/file"), "{fault}");
    let fault = filled(&path, None).unwrap_err();
    assert!(fault.to_string().contains("nowhere/file"), "{fault}");
}
