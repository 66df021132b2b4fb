//! How late deadlines are met: a program keeps them for a slice without any request, then its `/health` is read.
//! Of the two kinds of boundaries the later one counts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::failure::{During, Failure};
use crate::http;
use crate::load::HANG_LIMIT;
use crate::program::Server;
use crate::sample::{Sample, Slice};

const SHIFTED: &str = "starkeep_schedule_shifted_seconds_total{cause=\"freeze\"} ";

/// As many of a kind as a program looks back on.
pub(crate) const LOOKED_BACK: u32 = 4096;

/// Where a machine is so slow that no round was played in the slice.
const ASKED_AGAIN: Duration = Duration::from_millis(50);

/// Games, each with rounds of one length.
#[derive(Clone, Copy)]
pub(crate) struct Deadlines {
    pub(crate) games: u32,
    pub(crate) round_millis: u32,
}

/// As much of `/health` as is read here.
#[derive(Serialize, Deserialize)]
pub(crate) struct Health {
    pub(crate) lateness: BTreeMap<String, Lateness>,
}

/// Of the last boundaries of a kind, so that of many games the warm-up is forgotten.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Lateness {
    pub(crate) p50_millis: f64,
    pub(crate) p99_millis: f64,
}

impl Deadlines {
    /// By programs that have been started just now, each with games of its own.
    pub(crate) fn met_by(self, servers: &[Server], slice: Slice) -> Result<Sample, Failure> {
        let cpu = || servers.iter().map(Server::cpu_seconds).sum::<Option<f64>>();
        let cpu_before = cpu();
        clock::wait_until(clock::now() + slice.whole());
        let mut all = Sample {
            cpu_seconds: cpu_before.zip(cpu()).map(|(before, after)| after - before),
            ..Sample::default()
        };
        let boundaries =
            slice.whole().as_millis() * 2 * u128::from(self.games) / u128::from(self.round_millis);
        let boundaries = u32::try_from(boundaries).unwrap_or(u32::MAX);
        for server in servers {
            let sample = self.played_at(server.address).map_err(|failure| server.explained(failure))?;
            all.per_second += sample.per_second;
            all.p50_micros = all.p50_micros.max(sample.p50_micros);
            all.p99_micros = all.p99_micros.max(sample.p99_micros);
            all.count += boundaries.min(2 * LOOKED_BACK);
            all.done += boundaries;
        }
        Ok(all)
    }

    /// What `/health` shows, once a round was played.
    fn played_at(self, address: SocketAddr) -> Result<Sample, Failure> {
        let limit = clock::now() + HANG_LIMIT;
        loop {
            match self.sample_at(address) {
                Err(_) if clock::now() < limit => clock::wait_until(clock::now() + ASKED_AGAIN),
                outcome => return outcome,
            }
        }
    }

    /// Each game has two boundaries a round.
    fn in_a_second(self) -> f64 {
        f64::from(self.games) * 2_000.0 / f64::from(self.round_millis)
    }

    /// What `/health` shows by now; a failure until a round was played.
    pub(crate) fn sample_at(self, address: SocketAddr) -> Result<Sample, Failure> {
        let health: Health = http::exchange(address, &http::get(address, "/health"), 200, |answer| {
            serde_json::from_slice(answer.body).during("reading the answer")
        })?;
        if health.lateness.len() < 2 {
            return Err(Failure::new("not one round was played"));
        }
        let later = |millis: fn(&Lateness) -> f64| health.lateness.values().map(millis).fold(0.0, f64::max);
        Ok(Sample {
            per_second: self.in_a_second(),
            p50_micros: 1_000.0 * later(|lateness| lateness.p50_millis),
            p99_micros: 1_000.0 * later(|lateness| lateness.p99_millis),
            ..Sample::default()
        })
    }
}

/// By how much the real program has shifted games because it could not keep time for longer than a round. What is shifted is
/// not late any more when it comes, and yet it comes so much later.
pub(crate) fn shifted(address: SocketAddr) -> Result<Duration, Failure> {
    http::exchange(address, &http::get(address, "/metrics"), 200, |answer| {
        let text = str::from_utf8(answer.body).during("reading the answer")?;
        let seconds = text.lines().find_map(|line| line.strip_prefix(SHIFTED)).unwrap_or("0");
        let by = Duration::from_secs_f64(seconds.parse().during(seconds)?);
        if !by.is_zero() {
            eprintln!("it did not keep up: games were shifted by {by:?}");
        }
        Ok(by)
    })
}
