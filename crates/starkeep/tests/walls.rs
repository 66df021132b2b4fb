//! The walls of the house: which crate may import which, and which room of a service which other.
//! A new edge is a decision: it is added here, with its reason in ARCHITECTURE.md.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crate, and what of the workspace it may import. Imports run downwards only.
const CRATES: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("game-core", &[]),
    ("map-core", &[]),
    ("clock", &[]),
    ("http-client", &["clock", "contract"]),
    ("client", &["clock", "contract", "http-client"]),
    ("platform", &["clock", "contract", "http-client"]),
    ("game-service", &["contract", "game-core", "http-client", "platform"]),
    ("map-service", &["contract", "http-client", "map-core", "platform"]),
    ("kafka", &["contract", "platform"]),
    ("starkeep", &["client", "contract", "game-service", "kafka", "map-service", "platform"]),
    ("bench", &[]),
    // For tests only: they stand on nobody's list, and may be dev-dependencies everywhere.
    ("contract-check", &[]),
    ("test-broker", &[]),
    ("test-harness", &["contract-check", "http-client", "platform"]),
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

/// What a client must not compile.
const NOT_IN_A_CLIENT: &[&str] = &[
    "axum",
    "rdkafka",
    "rusqlite",
    "libsqlite3-sys",
    "prometheus-client",
    "tower-http",
    "starkeep-platform",
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
fn the_client_compiles_nothing_of_a_server() {
    let lock: toml::Table = std::fs::read_to_string(crates().join("../Cargo.lock")).unwrap().parse().unwrap();
    // By name only: versions of one crate are taken together, which finds too much rather than too little.
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap().to_owned();
        let listed = package.get("dependencies").map_or(&[][..], |list| list.as_array().unwrap());
        let listed = listed.iter().map(|entry| entry.as_str().unwrap().split(' ').next().unwrap().to_owned());
        imports.entry(name).or_default().extend(listed);
    }
    // The lock file lists what a crate of the workspace needs for its tests as well; its manifest tells them apart.
    for (name, _) in CRATES {
        let text = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let package = manifest["package"]["name"].as_str().unwrap().to_owned();
        imports.insert(package, manifest["dependencies"].as_table().unwrap().keys().cloned().collect());
    }
    let mut reached = BTreeSet::new();
    let mut pending = vec!["starkeep-client".to_owned()];
    while let Some(name) = pending.pop() {
        pending.extend(imports[&name].iter().filter(|import| !reached.contains(*import)).cloned());
        reached.insert(name);
    }
    assert!(reached.contains("hyper"), "the walk finds what is there: {reached:?}");
    for name in NOT_IN_A_CLIENT {
        assert!(imports.contains_key(*name), "{name} is not in the lock file: is it misspelt?");
        assert!(!reached.contains(*name), "the client compiles {name}");
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

/// Crates whose modules import each other in one direction only.
const WITHOUT_CIRCLES: &[&str] = &["game-core", "map-core", "platform", "game-service", "map-service"];

/// The modules of the crate that a source file names, and the one that it belongs to.
fn module_edges(folder: &Path, path: &Path) -> (String, BTreeSet<String>) {
    let inner = path.strip_prefix(folder).unwrap();
    let module = inner.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let named = code.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| {
        line.split("crate::").skip(1).map(|rest| {
            rest.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect::<String>()
        })
    });
    (module.to_owned(), named.filter(|named| !named.is_empty() && named != module).collect())
}

#[test]
fn modules_of_a_crate_import_each_other_in_one_direction_only() {
    for name in WITHOUT_CIRCLES {
        let folder = crates().join(name).join("src");
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in sources(&folder).iter().filter(|path| !path.ends_with("lib.rs")) {
            let (module, named) = module_edges(&folder, path);
            edges.entry(module).or_default().extend(named);
        }
        let known: BTreeSet<_> = edges.keys().cloned().collect();
        for named in edges.values_mut() {
            named.retain(|other| known.contains(other));
        }
        // Whoever imports nobody that is left is taken away; in the end only circles are left.
        while let Some(free) =
            edges.iter().find(|(_, named)| named.is_empty()).map(|(module, _)| module.clone())
        {
            edges.remove(&free);
            for named in edges.values_mut() {
                named.remove(&free);
            }
        }
        assert!(edges.is_empty(), "modules of {name} import each other in a circle: {edges:#?}");
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
