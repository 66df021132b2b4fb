//! `docs/operate.md` names the metrics that the services have: every one that they show, and none that they do not know.
//! A metric that is renamed would otherwise leave an alert that never fires.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Without what the format adds.
fn bare(name: &str) -> String {
    let name = name.strip_suffix("_total").unwrap_or(name);
    name.strip_suffix("_seconds").unwrap_or(name).to_owned()
}

/// Expressions of alerts begin with a name, too, or have one in the middle.
fn listed() -> BTreeSet<String> {
    let page = std::fs::read_to_string(crates().join("../docs/operate.md")).unwrap();
    let names = page.split("starkeep_").skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '_').unwrap();
        bare(rest[..end].trim_end_matches("_bucket"))
    });
    names.collect()
}

/// By all services of a program that has just been started.
fn shown() -> BTreeSet<String> {
    let data = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_starkeep"));
    command.args(["serve", "--data-dir"]).arg(data.path()).stdout(Stdio::piped());
    for service in ["game", "map", "robot", "trading"] {
        command.args([&format!("--{service}-listen"), "127.0.0.1:0"]);
    }
    let mut program = Program(command.spawn().unwrap());
    let lines = BufReader::new(program.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let addresses = lines.filter_map(|line| Some(line.split_once(" service listening on ")?.1.to_owned()));
    let mut shown = BTreeSet::new();
    for address in addresses.take(4) {
        let asked = Command::new("curl").args(["-sS", "--fail", &format!("{address}/metrics")]).output();
        let text = String::from_utf8(asked.unwrap().stdout).unwrap();
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE starkeep_")?.split(' ').next());
        shown.extend(names.map(bare));
    }
    shown
}

fn sources(folder: &Path, found: &mut String) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn the_page_lists_the_metrics_that_there_are() {
    let (listed, shown) = (listed(), shown());
    assert!(shown.len() > 15, "{shown:?}");
    let missing: Vec<_> = shown.difference(&listed).collect();
    assert!(missing.is_empty(), "the page does not mention {missing:?}");
    // Some are shown only after something has happened.
    let mut code = String::new();
    for service in ["platform", "game-service", "map-service", "robot-service", "trading-service"] {
        sources(&crates().join(service).join("src"), &mut code);
    }
    for name in listed {
        assert!(code.contains(&format!("\"{name}\"")), "no service has the metric {name}");
    }
}
