//! The rules for imports: which crate may import which, and which module of a service which other.
//! A new edge is a decision: it is added here, with its reason in ARCHITECTURE.md.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crate, and what of the workspace it may import. Imports run downwards only.
const CRATES: &[(&str, &[&str])] = &[
    ("json-writer", &[]),
    ("contract", &["json-writer"]),
    ("core-types", &[]),
    ("game-core", &["core-types"]),
    ("map-core", &["core-types"]),
    ("robot-core", &["core-types"]),
    ("trading-core", &["core-types"]),
    ("bot-core", &["core-types"]),
    ("clock", &[]),
    ("page", &[]),
    ("http-client", &["clock", "contract"]),
    ("client", &["clock", "contract", "http-client"]),
    ("platform", &["clock", "contract", "http-client", "json-writer"]),
    ("executor", &["contract", "core-types", "platform"]),
    ("game-service", &["contract", "game-core", "http-client", "page", "platform"]),
    ("map-service", &["contract", "http-client", "map-core", "platform"]),
    ("robot-service", &["contract", "core-types", "executor", "http-client", "platform", "robot-core"]),
    ("trading-service", &["contract", "executor", "http-client", "platform", "trading-core"]),
    ("kafka", &["contract", "platform"]),
    ("postgres", &["clock", "contract", "platform"]),
    ("transfer", &["platform"]),
    ("fault-harness", &["clock"]),
    ("selftest", &["clock", "contract", "fault-harness", "http-client"]),
    (
        "starkeep",
        &[
            "bot-core",
            "client",
            "contract",
            "game-service",
            "kafka",
            "map-core",
            "map-service",
            "platform",
            "postgres",
            "robot-service",
            "selftest",
            "trading-service",
            "transfer",
        ],
    ),
    ("bench", &["map-core"]),
    (
        "simulation",
        &[
            "clock",
            "contract",
            "fault-harness",
            "game-service",
            "http-client",
            "map-service",
            "platform",
            "robot-service",
            "selftest",
            "trading-service",
        ],
    ),
    (
        "instruction-counts",
        &[
            "contract",
            "core-types",
            "executor",
            "game-core",
            "game-service",
            "http-client",
            "map-core",
            "map-service",
            "platform",
            "robot-core",
            "robot-service",
            "trading-core",
        ],
    ),
    (
        "fuzz",
        &[
            "contract",
            "contract-check",
            "executor",
            "fault-harness",
            "game-core",
            "game-service",
            "http-client",
            "map-service",
            "platform",
            "robot-core",
            "robot-service",
            "trading-core",
            "trading-service",
            "transfer",
        ],
    ),
    // For tests only: they stand on nobody's list, and may be dev-dependencies everywhere.
    ("contract-check", &[]),
    ("test-broker", &[]),
    ("test-postgres", &[]),
    ("test-http", &["clock"]),
    (
        "test-harness",
        &["contract-check", "http-client", "platform", "postgres", "test-http", "test-postgres"],
    ),
];

/// Services, which all have the same modules.
const SERVICES: &[&str] = &["game-service", "map-service", "robot-service", "trading-service"];

/// Module of a service, and what of other modules it must not know.
const MODULES: &[(&str, &[&str])] = &[
    ("http", &["domain::Change", "gateways", "ports::Store", "store", "tasks"]),
    ("app", &["gateways", "http", "store", "tasks"]),
    ("wire", &["app", "gateways", "http", "store", "tasks"]),
    ("store", &["app", "gateways", "http", "tasks", "wire"]),
    ("domain", &["app", "gateways", "http", "ports", "store", "tasks", "wire"]),
    ("ports", &["app", "gateways", "http", "store", "tasks", "wire"]),
    ("tasks", &["domain::Change", "gateways", "http", "ports::Store", "store", "wire"]),
    ("gateways", &["app", "domain::Change", "http", "ports::Store", "store", "tasks"]),
];

/// How a decision is made and submitted, which only `app` does.
const DECIDING: &[&str] = &["Decision", "apply", "apply_all"];

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

/// Crates that the program has only with a feature, and what they alone may compile.
const OF_FEATURES: &[&str] = &["kafka", "postgres", "selftest"];
const NOT_IN_THE_FIRST_BUILD: &[&str] = &[
    "rdkafka",
    "rustls",
    "starkeep-fault-harness",
    "starkeep-kafka",
    "starkeep-postgres",
    "starkeep-selftest",
    "tokio-postgres",
    "regex-automata",
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
    let reached = reached_from("starkeep-client");
    assert!(reached.contains("hyper"), "the walk finds what is there: {reached:?}");
    for name in NOT_IN_A_CLIENT {
        assert!(!reached.contains(*name), "the client compiles {name}");
    }
}

#[test]
fn the_first_build_compiles_no_feature() {
    let reached = reached_from("starkeep");
    assert!(reached.contains("rusqlite"), "the walk finds what is there: {reached:?}");
    for name in NOT_IN_THE_FIRST_BUILD {
        assert!(!reached.contains(*name), "`cargo install --path crates/starkeep` compiles {name}");
    }
}

#[test]
fn only_the_features_module_knows_what_may_be_missing() {
    let folder = crates().join("starkeep/src");
    for path in
        sources(&folder).iter().filter(|path| !path.strip_prefix(&folder).unwrap().starts_with("features"))
    {
        let text = std::fs::read_to_string(path).unwrap();
        let of_features = OF_FEATURES.iter().map(|name| format!("starkeep_{name}::"));
        for word in
            of_features.chain(["feature = ".to_owned()]).filter(|_| !path.ends_with("src/features.rs"))
        {
            assert!(!text.contains(&word), "{}: {word}", path.display());
        }
    }
}

/// What a crate of the workspace compiles when nobody asks for a feature.
fn reached_from(first: &str) -> BTreeSet<String> {
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
        let is_optional = |dependency: &toml::Value| dependency.get("optional").is_some();
        let always = manifest["dependencies"].as_table().unwrap().iter();
        let always = always.filter(|(_, dependency)| !is_optional(dependency));
        imports.insert(package, always.map(|(name, _)| name.clone()).collect());
    }
    let mut reached = BTreeSet::new();
    let mut pending = vec![first.to_owned()];
    while let Some(name) = pending.pop() {
        pending.extend(imports[&name].iter().filter(|import| !reached.contains(*import)).cloned());
        reached.insert(name);
    }
    for name in NOT_IN_A_CLIENT.iter().chain(NOT_IN_THE_FIRST_BUILD) {
        assert!(imports.contains_key(*name), "{name} is not in the lock file: is it misspelt?");
    }
    reached
}

/// The source files of a service: its name, the module that the file belongs to, its path within the service, its text.
fn sources_of_services() -> Vec<(&'static str, String, String, String)> {
    let mut found = Vec::new();
    for service in SERVICES {
        let folder = crates().join(service).join("src");
        for path in sources(&folder) {
            let inner = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            let module = inner.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
            found.push((*service, module, inner, std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

fn is_of_a_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// What of its own crate a text names, such as `domain::Change`; of `domain::{Change, Key}` both.
fn named_in(text: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for rest in text.split("crate::").skip(1) {
        let end = rest.find(|char| !is_of_a_name(char) && char != ':').unwrap_or(rest.len());
        let (path, rest) = rest.split_at(end);
        match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((group, _)) => named.extend(group.split(',').map(|name| format!("{path}{}", name.trim()))),
            None => drop(named.insert(path.to_owned())),
        }
    }
    named
}

#[test]
fn modules_of_a_service_know_only_what_they_may() {
    let all = sources_of_services();
    for (service, module, inner, text) in &all {
        let Some((_, forbidden)) = MODULES.iter().find(|(listed, _)| listed == module) else {
            assert!(!inner.contains('/'), "{service}/{inner}: {module} is not in the list");
            continue;
        };
        for named in named_in(text) {
            let is = |other: &&&str| named == **other || named.starts_with(&format!("{other}::"));
            let known = forbidden.iter().find(is);
            assert_eq!(known, None, "{service}/{inner}: {module} must not know {named}");
        }
    }
    for (listed, _) in MODULES {
        assert!(all.iter().any(|(_, module, ..)| module == listed), "no service has the module {listed}");
    }
}

#[test]
fn only_app_decides() {
    for (service, module, inner, text) in sources_of_services() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words: BTreeSet<_> = code.flat_map(|line| line.split(|char| !is_of_a_name(char))).collect();
        for word in DECIDING {
            assert!(module == "app" || !words.contains(word), "{service}/{inner}: only app mentions {word}");
        }
    }
}

/// Crates whose modules import each other in one direction only.
const WITHOUT_CIRCLES: &[&str] = &[
    "bot-core",
    "game-core",
    "map-core",
    "robot-core",
    "trading-core",
    "executor",
    "platform",
    "transfer",
    "game-service",
    "map-service",
    "robot-service",
    "trading-service",
];

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
    for core in ["bot-core", "core-types", "game-core", "map-core", "robot-core", "trading-core"] {
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
