//! How long commands wait for their results: from the end of the input until the robot service tells of each.
//! Rounds begin when they are due, at half of the speed that they could have; beside them, as many commits at once.

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bare::Stored;
use crate::clock;
use crate::connection::Connection;
use crate::failure::{During, Failure};
use crate::http;
use crate::prepare::mining;
use crate::program::Server;
use crate::sample::{Sample, Slice, nanos};
use crate::turbo_game::{Told, TurboGame};

const PLAYERS: usize = 10;
const ROBOTS_OF_A_PLAYER: usize = 10;

/// So many rounds tell how fast they can be.
const TRIED: u32 = 6;

/// However slow the machine is.
const LIMIT: Duration = Duration::from_mins(1);

pub(crate) struct Results {
    game: TurboGame,
    players: Connection,
    /// By player.
    robots: Vec<Vec<String>>,
    /// Where they are, and where they go next.
    planets: [String; 2],
    /// When the robot service told of each result.
    told: mpsc::Receiver<Instant>,
    round: u32,
    /// Twice the time that a round takes.
    every: Duration,
}

impl Results {
    pub(crate) fn prepare(executable: &Path) -> Result<Self, Failure> {
        let game = TurboGame::start(executable, PLAYERS)?;
        let planets = game.planets()?;
        let home =
            planets.first().ok_or_else(|| Failure::new("the world has no planet"))?.with_neighbour()?;
        let mut robots = Vec::new();
        for player in 0..PLAYERS {
            let spawned = game.spawn(player, &[home[0].as_str(); ROBOTS_OF_A_PLAYER])?;
            robots.push(spawned.into_iter().map(|robot| robot.id).collect());
        }
        let told = told_by(&game)?;
        let players = Connection::open(game.server.address)?;
        let every = Duration::ZERO;
        let mut results = Self { game, players, robots, planets: home, told, round: 1, every };
        let begin = clock::now();
        for _ in 0..TRIED {
            results.play()?;
        }
        results.every = 2 * (clock::now() - begin) / TRIED;
        Ok(results)
    }

    /// How often a burst of so many commands comes.
    pub(crate) fn pace(&self) -> (Duration, usize) {
        (self.every, PLAYERS * ROBOTS_OF_A_PLAYER)
    }

    pub(crate) fn run(&mut self, slice: Slice) -> Result<Sample, Failure> {
        let server = self.game.server.clone();
        let every = self.every;
        server.metered(|| at_due_times(every, slice, || self.play()))
    }

    /// What the results of one round took.
    fn play(&mut self) -> Result<Vec<u32>, Failure> {
        let address = self.game.server.address;
        // Regenerating in between gives back the energy that the moves take.
        let moves = self.round.is_multiple_of(2);
        let (kind, details) = if moves {
            self.planets.swap(0, 1);
            ("movement", json!({ "planetId": self.planets[0] }))
        } else {
            ("regeneration", json!({}))
        };
        for (player, robots) in self.robots.iter().enumerate() {
            let commands = robots.iter().map(|robot| self.game.command(player, robot, kind, &details));
            let body = Value::from(commands.collect::<Vec<_>>()).to_string();
            let items: Vec<Value> =
                self.players.exchange(&http::post(address, "/commands/batch", &body), 200)?;
            if let Some(refused) = items.iter().find(|item| item["status"] != 201) {
                return Err(Failure::new(format!("a command was refused: {refused}")));
            }
        }
        for player in 0..PLAYERS {
            let _: Value = self.players.exchange(&self.game.is_ready(player), 200)?;
        }
        let ended_at = self.game.await_round(Told::InputEnded, self.round)?;
        let told = (0..PLAYERS * ROBOTS_OF_A_PLAYER).map(|_| {
            let told_at = self.told.recv_timeout(LIMIT).during("waiting for a command's result")?;
            Ok(nanos(told_at.saturating_duration_since(ended_at)))
        });
        let latencies = told.collect::<Result<_, Failure>>()?;
        self.round += 1;
        self.game.await_round(Told::Started, self.round)?;
        Ok(latencies)
    }
}

/// A thread that reads the stream of the robot service until the program ends.
fn told_by(game: &TurboGame) -> Result<mpsc::Receiver<Instant>, Failure> {
    let mut stream = Connection::open(game.robot)?;
    stream.send(&game.results())?;
    // From its first line on it misses nothing.
    stream.line()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        while let Ok(line) = stream.line() {
            if line.starts_with("data: ")
                && line.contains(r#""payload""#)
                && sender.send(clock::now()).is_err()
            {
                return;
            }
        }
    });
    Ok(receiver)
}

/// As many commits at once as a round has commands, each on a connection of its own.
pub(crate) struct Bursts {
    server: Server,
    connections: Vec<(Connection, Vec<u8>)>,
    every: Duration,
}

impl Bursts {
    pub(crate) fn prepare(every: Duration, size: usize) -> Result<Self, Failure> {
        let server = Server::bare_commit(Stored::RowAndEvent)?;
        let connection =
            |row: usize| Ok((Connection::open(server.address)?, mining(server.address, &row.to_string())));
        let connections = (1..=size).map(connection).collect::<Result<_, Failure>>()?;
        Ok(Self { server, connections, every })
    }

    pub(crate) fn run(&mut self, slice: Slice) -> Result<Sample, Failure> {
        let Self { server, connections, every } = self;
        server.metered(|| {
            at_due_times(*every, slice, || {
                let ended_at = clock::now();
                for (connection, request) in &mut *connections {
                    connection.send(request)?;
                }
                let answers = connections.iter_mut().map(|(connection, _)| {
                    connection.receive(201)?;
                    Ok(nanos(clock::now() - ended_at))
                });
                answers.collect()
            })
        })
    }
}

/// Does it at each due time of the slice, and at least once after the warm-up; what comes late does not move what follows.
fn at_due_times(
    every: Duration,
    slice: Slice,
    mut once: impl FnMut() -> Result<Vec<u32>, Failure>,
) -> Result<Sample, Failure> {
    let from = clock::now() + slice.warm_up;
    let (mut due, mut done) = (clock::now(), 0);
    let mut latencies = Vec::new();
    while due < from + slice.counted || latencies.is_empty() {
        clock::wait_until(due);
        let begun_at = clock::now();
        let mut more = once()?;
        done += u32::try_from(more.len()).unwrap_or(0);
        if begun_at >= from {
            latencies.append(&mut more);
        }
        due += every;
    }
    Ok(Sample { done, ..Sample::of_latencies(latencies, clock::now() - from)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_results_however_long_it_takes() {
        let slice = Slice { warm_up: Duration::ZERO, counted: Duration::ZERO };
        let sample = at_due_times(Duration::from_secs(1), slice, || Ok(vec![1_000, 3_000])).unwrap();
        assert_eq!((sample.count, sample.done), (2, 2));
        assert!(sample.p99_micros.total_cmp(&3.0).is_eq(), "{sample:?}");
    }
}
