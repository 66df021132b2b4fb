//! What the operating system knows about a process that is measured: its CPU time and its memory.
//! Read from `/proc`; where there is none, as on macOS, these columns stay empty.

use std::fs;

use crate::failure::{During, Failure};

/// The clock ticks of a second in `/proc`: 100 on Linux, on every machine.
const TICKS: f64 = 100.0;

/// User and system time of all threads so far, in seconds. Ticks are 10 ms, so turns are added up before they are divided.
pub(crate) fn cpu_seconds(process: u32) -> Option<f64> {
    cpu_in(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// The memory that the process has now, in bytes.
pub(crate) fn resident_memory(process: u32) -> Result<u64, Failure> {
    status(process, "VmRSS:")
}

/// The most memory that the process has had so far, in bytes.
pub(crate) fn peak_memory(process: u32) -> Result<u64, Failure> {
    status(process, "VmHWM:")
}

fn status(process: u32, line: &str) -> Result<u64, Failure> {
    let status =
        fs::read_to_string(format!("/proc/{process}/status")).during("reading the memory of the program");
    let missing = || Failure::new(format!("/proc tells no {line}"));
    memory_in(&status.map_err(Failure::into_absence)?, line).ok_or_else(missing)
}

/// The name of the program is in brackets and may hold anything, so the fields are counted from its end.
fn cpu_in(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some(f64::from(user + system) / TICKS)
}

fn memory_in(status: &str, line: &str) -> Option<u64> {
    let kilobytes = status.lines().find_map(|found| found.strip_prefix(line)?.trim().strip_suffix(" kB"));
    Some(1024 * kilobytes?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_time_is_found_behind_any_name() {
        let stat = "42 (a ) 1 2) S 1 42 42 0 -1 4194304 104 0 0 0 150 75 7 8 20 0 1 0 8332385 2998272";
        assert_eq!(cpu_in(stat).map(|seconds| seconds.total_cmp(&2.25)), Some(std::cmp::Ordering::Equal));
        assert_eq!(cpu_in("42 (a) S 1"), None);
    }

    #[test]
    fn memory_is_read_in_kilobytes() {
        let status = "Name:\tstarkeep\nVmHWM:\t   20480 kB\nVmRSS:\t   17600 kB\n";
        assert_eq!(memory_in(status, "VmRSS:"), Some(17_600 * 1024));
        assert_eq!(memory_in(status, "VmHWM:"), Some(20_480 * 1024));
        assert_eq!(memory_in(status, "VmSwap:"), None);
    }
}
