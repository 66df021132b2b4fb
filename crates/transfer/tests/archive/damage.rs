//! Files that are not what was written: truncated, altered, of another kind or a newer version. Nothing is taken from them.

use std::path::PathBuf;

use starkeep_platform::sql::transfer::CarriedService;
use starkeep_transfer::{Archive, ArchiveKind, TransferError};
use tempfile::TempDir;

use crate::place::{Place, SERVICES, Unwatched, filled, filled_by};

fn file() -> (TempDir, PathBuf, Vec<u8>) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    Place::some().written(&path, ArchiveKind::Export).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (home, path, bytes)
}

#[test]
fn a_file_that_ends_anywhere_before_its_end_is_refused() {
    let (_home, path, bytes) = file();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let refusal = filled(&path, None).unwrap_err();
        assert!(refusal.is_refusal(), "{length}: {refusal}");
    }
}

#[test]
fn a_file_in_which_any_byte_is_another_is_refused() {
    let (_home, path, bytes) = file();
    for place in 0..bytes.len() {
        for flip in [1, 0x20, 0x80] {
            let mut altered = bytes.clone();
            altered[place] ^= flip;
            std::fs::write(&path, &altered).unwrap();
            let refusal = filled(&path, None).unwrap_err();
            assert!(refusal.is_refusal(), "byte {place}: {refusal}");
        }
    }
}

#[test]
fn rows_that_are_missing_doubled_or_added_are_refused() {
    let (_home, path, bytes) = file();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut missing = lines.clone();
    missing.remove(4);
    let mut doubled = lines.clone();
    doubled.insert(4, lines[4]);
    let mut swapped = lines.clone();
    swapped.swap(3, 4);
    let mut added = lines.clone();
    added.push(lines[4]);
    for altered in [missing, doubled, swapped, added] {
        std::fs::write(&path, altered.join("\n") + "\n").unwrap();
        let refusal = filled(&path, None).unwrap_err();
        assert!(matches!(refusal, TransferError::Damaged { .. }), "{refusal}");
        assert!(refusal.to_string().contains("nothing was taken from it"), "{refusal}");
    }
}

#[test]
fn counts_that_cannot_be_added_up_are_refused() {
    let (_home, path, bytes) = file();
    let text = String::from_utf8(bytes).unwrap();
    std::fs::write(&path, text.replace("\"rows\":1", &format!("\"rows\":{}", u64::MAX))).unwrap();
    assert_eq!(Archive::open(&path).unwrap().manifest().rows(), u64::MAX);
    let refusal = filled(&path, None).unwrap_err();
    assert!(matches!(refusal, TransferError::Damaged { .. }), "{refusal}");
}

#[test]
fn a_service_or_a_table_that_is_listed_twice_is_refused() {
    let (_home, path, bytes) = file();
    let text = String::from_utf8(bytes).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    for (list, words) in
        [("/services", "the log service twice"), ("/services/0/tables", "of the log service twice")]
    {
        let mut manifest: serde_json::Value = serde_json::from_str(first).unwrap();
        let list = manifest.pointer_mut(list).unwrap().as_array_mut().unwrap();
        list.push(list[0].clone());
        std::fs::write(&path, format!("{manifest}\n{rest}")).unwrap();
        let refusal = filled(&path, None).unwrap_err();
        assert!(
            matches!(&refusal, TransferError::Damaged { reason, .. } if reason.ends_with(words)),
            "{refusal}"
        );
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    let diary = "dear diary, ".repeat(200_000);
    for content in ["", "\n", "{}\n", "{\"format\":\"zip\",\"version\":1}\n", &diary, "SQLite format 3\0"] {
        std::fs::write(&path, content).unwrap();
        let refusal = filled(&path, None).unwrap_err();
        assert!(matches!(refusal, TransferError::Foreign { .. }), "{refusal}");
    }
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_the_version_named() {
    let (_home, path, bytes) = file();
    let text = String::from_utf8(bytes).unwrap();
    std::fs::write(&path, text.replacen("\"version\":2", "\"version\":3", 1)).unwrap();
    let refusal = filled(&path, None).unwrap_err();
    assert!(matches!(refusal, TransferError::Newer { .. }) && refusal.is_refusal(), "{refusal}");
    assert!(refusal.to_string().contains("(1.2.3)"), "{refusal}");
    std::fs::write(&path, text.replacen("\"version\":2", "\"version\":1", 1)).unwrap();
    let refusal = filled(&path, None).unwrap_err();
    assert!(matches!(refusal, TransferError::Development(_)) && refusal.is_refusal(), "{refusal}");
}

#[test]
fn a_newer_schema_and_an_unknown_service_are_refused() {
    let (_home, path, _) = file();
    let mut older = SERVICES;
    older[0].schema.sqlite_migrations = &[&[], &[]];
    let known: [&[CarriedService]; 2] = [&older, &SERVICES[..1]];
    for (known, reason) in
        known.into_iter().zip(["log service has schema 3, this program knows 2", "no follower"])
    {
        let refusal = filled_by(&path, known, None, &mut Unwatched { rows_left: None }).unwrap_err();
        assert!(matches!(refusal, TransferError::Newer { .. }), "{refusal}");
        assert!(refusal.to_string().contains(reason), "{refusal}");
    }
}
