//! Runs a scenario under callgrind, in a process of its own, and reads the count of its measured part.
//! All threads are counted together: a store on a file has a thread of its own.

use std::path::Path;
use std::process::Command;

use crate::measured::BORDER;
use crate::scenarios::Scenario;

/// The word with which this executable is told to run one scenario.
pub(crate) const RUN: &str = "run";

/// What callgrind's files are called.
const FILES: &str = "counts";

/// How many instructions the scenario takes each time.
pub(crate) fn instructions(scenario: &Scenario) -> Result<u64, String> {
    let folder = tempfile::tempdir().map_err(|fault| format!("no temporary folder: {fault}"))?;
    run(scenario.name, folder.path())?;
    let total = total_of_measured_part(folder.path())?;
    Ok(total.div_ceil(scenario.times.into()))
}

fn run(name: &str, folder: &Path) -> Result<(), String> {
    let executable =
        std::env::current_exe().map_err(|fault| format!("no path of this executable: {fault}"))?;
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--dump-before={BORDER}"))
        .arg(format!("--callgrind-out-file={}", folder.join(FILES).display()))
        .args([executable.as_os_str(), RUN.as_ref(), name.as_ref()]);
    let output = valgrind.output().map_err(|fault| format!("valgrind cannot be started: {fault}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// callgrind numbers its files: the first one has what came before the measured part, the second one the part itself.
fn total_of_measured_part(folder: &Path) -> Result<u64, String> {
    let path = folder.join(format!("{FILES}.2"));
    let text = std::fs::read_to_string(&path).map_err(|fault| format!("{}: {fault}", path.display()))?;
    if folder.join(format!("{FILES}.3")).exists() {
        return Err("a scenario has one measured part, and this one has several".to_owned());
    }
    total(&text).ok_or_else(|| format!("{}: there is no total in it", path.display()))
}

fn total(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("totals:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_file_is_the_measured_part() {
        let folder = tempfile::tempdir().unwrap();
        let write = |number: u32, total: u32| {
            let text = format!("version: 1\nevents: Ir\nfn=(1)\n1 2\n\ntotals: {total}\n");
            std::fs::write(folder.path().join(format!("{FILES}.{number}")), text).unwrap();
        };
        write(1, 99);
        assert!(total_of_measured_part(folder.path()).is_err(), "it never came to its end");
        write(2, 42);
        assert_eq!(total_of_measured_part(folder.path()), Ok(42));
        write(3, 7);
        assert!(total_of_measured_part(folder.path()).is_err(), "it is not known which one is meant");
    }
}
