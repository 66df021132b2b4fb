//! Worlds, in the generator alone and over the map service: how the work grows with them, and who waits for the largest.
//! The generator runs in this process: there is nothing between it and the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use starkeep_map_core::{Rng, Spec, Style, generate};

use crate::clock;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::http;
use crate::prepare::planets_with_deposits;
use crate::program::{Server, home};
use crate::sample::{Sample, Slice, nanos};

/// The most that a request can ask for.
pub(crate) const LARGEST: u32 = 10_000;

/// What is done with a seed.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Stations, holes and deposits are drawn.
    Draw,
    /// All of it: the starts are made even, and the certificate is written.
    Generate,
}

/// Worlds of one size, one after the other.
pub(crate) struct Generating {
    pub(crate) players: u32,
    pub(crate) work: Work,
    pub(crate) next_seed: u64,
}

impl Generating {
    /// Planets in a second.
    pub(crate) fn run(&mut self, slice: Slice) -> Result<Sample, Failure> {
        let spec = Spec { players: self.players, style: Style::Balanced };
        let begin = clock::now() + slice.warm_up;
        let (mut planets, mut latencies, mut took) = (0_u32, Vec::new(), Duration::ZERO);
        while took < slice.counted {
            let started_at = clock::now();
            let made = match self.work {
                Work::Draw => starkeep_map_core::generate::draw(&spec, &mut Rng::from_seed(self.next_seed))
                    .planets
                    .len(),
                Work::Generate => generate(self.next_seed, &spec).planets.len(),
            };
            let latency = clock::now() - started_at;
            self.next_seed += 1;
            if started_at >= begin {
                planets += u32::try_from(made).unwrap_or(0);
                latencies.push(nanos(latency));
                took += latency;
            }
        }
        let sample = Sample::of_latencies(latencies, took)?;
        Ok(Sample { per_second: f64::from(planets) / took.as_secs_f64(), ..sample })
    }
}

/// A map service that is asked for the largest world. Each is withdrawn before the next one.
pub(crate) struct LargestWorlds {
    server: Server,
    /// Of a small world that others play in meanwhile.
    planet: String,
}

#[derive(Deserialize)]
struct Made {
    id: String,
}

impl LargestWorlds {
    pub(crate) fn prepare(executable: &std::path::Path) -> Result<Self, Failure> {
        let server = Server::starkeep_map(executable, &home()?)?;
        let planet = planets_with_deposits(&server, 1)?.swap_remove(0);
        Ok(Self { server, planet })
    }

    /// From the request until its answer.
    pub(crate) fn make(&self) -> Result<Sample, Failure> {
        let took = self.make_one().map_err(|failure| self.server.explained(failure))?;
        Ok(Sample { memory_bytes: Some(self.server.peak_memory()?), ..Sample::of_one(took) })
    }

    /// How long others wait meanwhile: the longest of all minings and look-ups that are sent one after the other.
    pub(crate) fn wait_for(&self) -> Result<Sample, Failure> {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let other = scope.spawn(|| self.ask_until(&is_over));
            let made = self.make_one();
            is_over.store(true, Ordering::Release);
            made?;
            let waited = other.join().map_err(|_| Failure::new("the other client panicked"))??;
            Ok(waited)
        })
        .map_err(|failure: Failure| self.server.explained(failure))
    }

    fn make_one(&self) -> Result<Duration, Failure> {
        let address = self.server.address;
        let mut connection = Connection::open(address)?;
        let body = format!(r#"{{"gameworld":{{"player_amount":{LARGEST}}}}}"#);
        let request = http::post(address, "/gameworlds", &body);
        let sent_at = clock::now();
        let made: Made = connection.exchange(&request, 201)?;
        let took = clock::now() - sent_at;
        connection.send(&http::delete(address, &format!("/gameworlds/{}", made.id)))?;
        connection.receive(204)?;
        Ok(took)
    }

    fn ask_until(&self, is_over: &AtomicBool) -> Result<Sample, Failure> {
        let address = self.server.address;
        let mut connection = Connection::open(address)?;
        let mining = r#"{"mining":{"amount_requested":1}}"#;
        let requests = [
            (http::post(address, &format!("/planets/{}/minings", self.planet), mining), 201),
            (http::get(address, &format!("/planets/{}", self.planet)), 200),
        ];
        let begin = clock::now();
        let (mut latencies, mut longest) = (Vec::new(), Duration::ZERO);
        while !is_over.load(Ordering::Acquire) {
            for (request, expected) in &requests {
                let sent_at = clock::now();
                connection.send(request)?;
                connection.receive(*expected)?;
                let latency = clock::now() - sent_at;
                latencies.push(nanos(latency));
                longest = longest.max(latency);
            }
        }
        Ok(Sample::of_latencies(latencies, clock::now() - begin)?.at_least_as_late_as(longest))
    }
}

/// What others may wait for the largest world, and what a small one may take.
pub(crate) fn longest_allowed() -> Sample {
    Sample::of_one(Duration::from_millis(50))
}
