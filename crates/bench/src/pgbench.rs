//! PostgreSQL's own benchmark, `pgbench -N -M prepared -s 10`: each transaction updates a row, reads it, and inserts another.
//! It goes over TCP and has the settings of the server, so it is what the same commits cost without us.

use crate::failure::Failure;
use crate::postgres::{Postgres, done};
use crate::sample::{Sample, Slice};

const DATABASE: &str = "pgbench";

/// Each is a hundred thousand rows.
const SCALE: &str = "10";

/// More of its threads bring nothing on the two cores that it shares with the server.
const MOST_THREADS: usize = 2;

/// Its tables, in a database of the server.
pub(crate) fn initialise(postgres: &Postgres) -> Result<(), Failure> {
    postgres.new_database(DATABASE)?;
    done(postgres.client("pgbench").args(["--initialize", "--quiet", "--scale", SCALE, DATABASE])).map(drop)
}

/// Transactions in a second, of so many clients. It tells the rate of each second, of which those of the warm-up are left out: a
/// client's first transactions prepare its statements.
pub(crate) fn run(postgres: &Postgres, clients: usize, slice: Slice) -> Result<Sample, Failure> {
    let [clients, threads] = [clients, clients.min(MOST_THREADS)].map(|count| count.to_string());
    let seconds = slice.whole().as_secs().to_string();
    let mut pgbench = postgres.client("pgbench");
    pgbench.args(["--skip-some-updates", "--protocol=prepared", "--progress=1", "--time", &seconds]);
    let told = done(pgbench.args(["--client", &clients, "--jobs", &threads, DATABASE]))?;
    let per_second = rate_after(&told, slice.warm_up.as_secs_f64());
    let per_second = per_second.ok_or_else(|| Failure::new(format!("pgbench told no rate:\n{told}")))?;
    Ok(Sample { per_second, ..Sample::default() })
}

/// The mean of the seconds that ended after the warm-up.
fn rate_after(told: &str, warm_up: f64) -> Option<f64> {
    let seconds = told.lines().filter_map(|line| {
        let (at, rest) = line.strip_prefix("progress: ")?.split_once(" s, ")?;
        let (rate, _) = rest.split_once(" tps")?;
        Some((at.parse::<f64>().ok()?, rate.parse::<f64>().ok()?))
    });
    // The first second may end a little late, the next ones end about a second later.
    let rates: Vec<f64> = seconds.filter(|(at, _)| *at > warm_up + 0.5).map(|(_, rate)| rate).collect();
    let count = u32::try_from(rates.len()).ok().filter(|count| *count > 0)?;
    Some(rates.iter().sum::<f64>() / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "\
pgbench (15.14)
starting vacuum...end.
progress: 1.0 s, 1000.0 tps, lat 13.902 ms stddev 5.600, 0 failed
progress: 2.0 s, 4000.0 tps, lat 12.1 ms stddev 4.2, 0 failed
progress: 3.0 s, 6000.0 tps, lat 12.1 ms stddev 4.2, 0 failed
tps = 3600.000000 (without initial connection time)
";

    #[test]
    fn the_rate_is_that_of_the_seconds_after_the_warm_up() {
        let rate = rate_after(TOLD, 1.0).unwrap();
        assert!(rate.total_cmp(&5_000.0).is_eq(), "{rate}");
    }

    #[test]
    fn a_run_that_told_nothing_after_the_warm_up_has_no_rate() {
        assert_eq!(rate_after(TOLD, 3.0), None);
        assert_eq!(rate_after("pgbench: error: connection failed", 0.0), None);
    }
}
