//! Runs a scenario under callgrind, in a process of its own, and reads the count of its measured part.
//! All threads are counted together: a store on a file has a thread of its own.

use std::path::Path;
use std::process::Command;

use crate::measured::PATTERN;
use crate::scenarios::Scenario;

/// The word with which this executable is told to run one scenario.
pub(crate) const RUN: &str = "run";

/// How many instructions the scenario takes each time.
pub(crate) fn instructions(scenario: &Scenario) -> Result<u64, String> {
    let folder = tempfile::tempdir().map_err(|fault| format!("no temporary folder: {fault}"))?;
    run(scenario.name, folder.path())?;
    let total = total_of_measured_part(folder.path())?;
    Ok(total.div_ceil(scenario.times.into()))
}

fn run(name: &str, folder: &Path) -> Result<(), String> {
    let executable = std::env::current_exe().map_err(|fault| format!("no path of this executable: {fault}"))?;
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--tool=callgrind", "--quiet"])
        .args([format!("--dump-before={PATTERN}"), format!("--dump-after={PATTERN}")])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .args([executable.as_os_str(), RUN.as_ref(), name.as_ref()]);
    let output = valgrind.output().map_err(|fault| format!("valgrind cannot be started: {fault}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// There is one file for what came before the measured part, one for the part itself, and one for the rest.
fn total_of_measured_part(folder: &Path) -> Result<u64, String> {
    let unreadable = |fault| format!("callgrind's files cannot be read: {fault}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let text = std::fs::read_to_string(entry.map_err(unreadable)?.path()).map_err(unreadable)?;
        found.extend(total_if_measured(&text));
    }
    match found[..] {
        [total] => Ok(total),
        _ => Err(format!("callgrind saw the measured part {} times instead of once", found.len())),
    }
}

fn total_if_measured(text: &str) -> Option<u64> {
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let is_measured = value("desc: Trigger:")?.starts_with("--dump-after=");
    value("totals:")?.parse().ok().filter(|_| is_measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_dumped_at_the_end_of_the_measured_part_counts() {
        let file = |trigger: &str| format!("version: 1\ndesc: Trigger: {trigger}\nevents: Ir\nfn=(1)\n1 2\ntotals: 42\n");
        assert_eq!(total_if_measured(&file("--dump-after=counted_part")), Some(42));
        assert_eq!(total_if_measured(&file("--dump-before=counted_part")), None);
        assert_eq!(total_if_measured(&file("Program termination")), None);
    }
}
