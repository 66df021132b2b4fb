//! The files in `deploy` fit the program: it knows every command, flag and variable that they give it, the services answer what probes ask
//! for, and nobody is killed before a stop is over. Whether nginx does what its file says is tested in `blackbox/behind_nginx.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::fences::root;
use crate::not_run::{flags, variables};

/// `docs/operate.md` promises that a stop takes less.
const LONGEST_STOP_SECONDS: u32 = 10;

/// Every file, with its text.
fn files() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(&root().join("deploy"), &mut found);
    assert!(found.len() > 8, "{:?}", found.keys());
    found
}

fn collect(folder: &Path, found: &mut BTreeMap<String, String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        // The host's own passwords.
        if path.file_name().is_some_and(|name| name == ".env") {
            continue;
        }
        if path.is_dir() {
            collect(&path, found);
        } else {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// What stands in the lines behind the words, such as `[serve, game]` behind `command:`.
fn behind<'a>(text: &'a str, words: &str) -> Vec<&'a str> {
    let lines = text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix(words));
    lines.map(str::trim).collect()
}

/// The arguments with which the program is started.
fn commands(text: &str) -> Vec<String> {
    let lists = [behind(text, "command:"), behind(text, "args:")].concat();
    let served = lists.into_iter().filter(|list| list.starts_with("[serve"));
    served.map(|list| list.trim_matches(['[', ']']).replace([',', '"'], " ")).collect()
}

#[test]
fn the_program_knows_what_it_is_given() {
    let (mut faults, mut started) = (Vec::new(), Vec::new());
    for (name, text) in files() {
        let unknown = commands(&text).into_iter().flat_map(|arguments| {
            let service = arguments.split_whitespace().nth(1).unwrap().to_owned();
            started.push(service);
            flags(&format!("starkeep {arguments}"))
        });
        faults.extend(unknown.chain(variables(&text)).map(|fault| format!("{name}: {fault}")));
    }
    assert_eq!(faults, [] as [&str; 0]);
    for service in ["game", "map", "robot", "trading"] {
        // In compose.yaml and on Kubernetes.
        assert!(started.iter().filter(|started| **started == service).count() >= 2, "{service}: {started:?}");
    }
    let known = Command::new(env!("CARGO_BIN_EXE_starkeep")).args(["serve", "--help"]).output().unwrap();
    let known = String::from_utf8(known.stdout).unwrap();
    for service in started {
        assert!(known.contains(&format!("- {service}:")), "`starkeep serve` knows no {service}");
    }
}

#[test]
fn probes_ask_for_what_the_services_answer_and_a_restart_does_not_depend_on_postgresql() {
    let mut asked = Vec::new();
    for (name, text) in files() {
        let paths = text.split("path: /").skip(1).filter(|_| name.contains("replica"));
        asked.extend(paths.map(|rest| format!("/{}", rest.split([',', ' ']).next().unwrap())));
        let urls = text.split("$PORT/").skip(1);
        asked.extend(urls.map(|rest| format!("/{}", rest.split_whitespace().next().unwrap())));
    }
    assert!(asked.len() >= 4, "{asked:?}");
    for service in ["game", "map", "robot", "trading"] {
        let contract = std::fs::read_to_string(root().join(format!("contract/{service}.openapi.json")));
        let contract: Value = serde_json::from_str(&contract.unwrap()).unwrap();
        for path in &asked {
            assert!(contract["paths"][path]["get"].is_object(), "the {service} service has no {path}");
        }
    }
    let replica = &files()["deploy/kubernetes/replica.yaml"];
    let liveness = replica.split("livenessProbe:").nth(1).unwrap().lines().nth(1).unwrap();
    assert!(!liveness.contains("/health"), "{liveness}");
}

#[test]
fn the_existing_services_listen_where_the_others_look_for_them() {
    let text = &files()["deploy/existing-stack.yaml"];
    let trading = text.split("\n  trading:\n").nth(1).unwrap().split("\n  trading-database:").next().unwrap();
    // Its newest version listens elsewhere unless it is told.
    assert_eq!(behind(trading, "SERVER_PORT:"), ["8080"]);
    assert_eq!(behind(text, "TRADING_SERVICE:"), ["http://trading:8080"]);
    assert!(trading.contains("ports: [\"8083:8080\"]"), "{trading}");
}

#[test]
fn nobody_is_killed_before_a_stop_is_over() {
    let files = files();
    let number = |text: &str| -> u32 {
        text.trim_matches(|letter: char| !letter.is_ascii_digit())
            .parse()
            .unwrap_or_else(|_| panic!("{text}"))
    };
    for name in ["deploy/compose.yaml", "deploy/existing-stack.yaml"] {
        let of_program = behind(&files[name], "stop_grace_period:")[0];
        assert!(
            of_program.ends_with('s') && number(of_program) > LONGEST_STOP_SECONDS,
            "{name}: {of_program}"
        );
    }
    let replica = &files["deploy/kubernetes/replica.yaml"];
    let grace = number(behind(replica, "terminationGracePeriodSeconds:")[0]);
    let pause = number(behind(replica, "preStop:")[0]);
    assert!(grace > pause + LONGEST_STOP_SECONDS, "{grace} s, of which {pause} are a pause");
}

#[test]
fn the_image_is_built_with_the_rust_that_the_program_needs() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let needed = behind(&manifest, "rust-version =")[0].trim_matches('"');
    let image = &files()["deploy/Dockerfile"];
    assert!(image.contains(&format!("\nFROM rust:{needed}-")), "not built with Rust {needed}");
}

/// Folders beside `crates` of which files become part of the executable.
fn included_folders(folder: &Path, found: &mut BTreeSet<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            included_folders(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let included = text.split("include_str!(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
            for file in included.map(|file| path.parent().unwrap().join(file)).filter(|file| file.exists()) {
                let file = file.canonicalize().unwrap();
                let within = file.strip_prefix(root()).unwrap();
                found.insert(within.iter().next().unwrap().to_str().unwrap().to_owned());
            }
        }
    }
}

#[test]
fn the_image_is_built_from_all_that_the_executable_includes() {
    let mut folders = BTreeSet::new();
    for member in std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()) {
        included_folders(&member.join("src"), &mut folders);
    }
    assert!(folders.contains("crates") && folders.len() > 1, "{folders:?}");
    let ignored = std::fs::read_to_string(root().join(".dockerignore")).unwrap();
    for folder in folders {
        assert!(
            ignored.lines().any(|line| line == format!("!{folder}")),
            ".dockerignore leaves {folder} out"
        );
    }
}
