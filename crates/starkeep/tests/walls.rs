//! The walls of the house: which crate may import which, and which room of a service which other.
//! A new edge is a decision: it is added here, with its reason in ARCHITECTURE.md.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Crate, and what of the workspace it may import. Imports run downwards only.
const CRATES: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("game-core", &[]),
    ("map-core", &[]),
    ("platform", &["contract"]),
    ("game-service", &["contract", "game-core", "platform"]),
    ("map-service", &["contract", "map-core", "platform"]),
    ("client", &["contract", "platform"]),
    ("kafka", &["contract", "platform"]),
    ("starkeep", &["client", "contract", "game-service", "kafka", "map-service", "platform"]),
    ("bench", &[]),
    // For tests only: they stand on nobody's list, and may be dev-dependencies everywhere.
    ("contract-check", &[]),
    ("test-broker", &[]),
];

/// Room of a service, and what other rooms it must not know.
const ROOMS: &[(&str, &[&str])] = &[
    ("http", &["domain::Change", "ports::Store", "store"]),
    ("app", &["http", "store"]),
    ("wire", &["http", "store"]),
    ("store", &["app", "http", "wire"]),
    ("domain", &["app", "http", "ports", "store", "wire"]),
    ("ports", &["app", "http", "store", "wire"]),
];

/// What a core is: nothing here reads a clock, a socket, a file or JSON.
const NOT_IN_A_CORE: &[&str] = &[
    "serde",
    "tokio",
    "std::fs",
    "std::net",
    "std::io",
    "SystemTime",
    "Instant",
    "async fn",
    "Timestamp::now",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn crates_import_only_downwards() {
    let listed: BTreeSet<_> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let present: BTreeSet<_> = std::fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(listed, present, "every crate stands in the list");
    for (name, allowed) in CRATES {
        let text = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        for dependency in manifest["dependencies"].as_table().unwrap().keys() {
            if let Some(imported) = dependency.strip_prefix("starkeep-") {
                assert!(allowed.contains(&imported), "{name} must not import {imported}");
            }
        }
    }
}

#[test]
fn rooms_of_a_service_keep_to_their_doors() {
    for service in ["game-service", "map-service"] {
        let folder = crates().join(service).join("src");
        for path in sources(&folder) {
            let inner = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            let Some((room, forbidden)) = ROOMS
                .iter()
                .find(|(room, _)| inner == format!("{room}.rs") || inner.starts_with(&format!("{room}/")))
            else {
                continue;
            };
            let text = std::fs::read_to_string(&path).unwrap();
            for other in *forbidden {
                let import = format!("crate::{other}");
                assert!(!text.contains(&import), "{service}/{inner}: {room} must not know {other}");
            }
        }
    }
}

#[test]
fn the_cores_know_no_machine() {
    for core in ["game-core", "map-core"] {
        for path in sources(&crates().join(core).join("src")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for (line, word) in code.flat_map(|line| NOT_IN_A_CORE.iter().map(move |word| (line, word))) {
                assert!(!line.contains(word), "{}: {word} in `{}`", path.display(), line.trim());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_readable() {
    for (name, _) in CRATES {
        for path in sources(&crates().join(name)) {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("//!"), "{} does not say what it is for", path.display());
            let lines = text.lines().count();
            assert!(lines <= 500, "{} has {lines} lines: which two things does it hold?", path.display());
        }
    }
}
