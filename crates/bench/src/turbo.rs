//! Rounds a second of a game in turbo with two players who are ready at once.
//! With commands each of them sends a move or a mining a round; without, it says only that it is ready.

use std::path::Path;

use serde_json::{Value, json};

use crate::clock;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::http;
use crate::load::{Sample, Slice};
use crate::turbo_game::{Told, TurboGame};

const PLAYERS: usize = 2;

/// After so many rounds the robots get new energy and an empty storage, so that no move and no mining fails.
const SERVICED_EVERY: u32 = 8;

pub(crate) struct Turbo {
    game: TurboGame,
    /// One a player.
    connections: Vec<Connection>,
    service: Connection,
    /// One a player, if they send commands.
    robots: Vec<String>,
    planets: [String; 2],
    round: u32,
}

impl Turbo {
    pub(crate) fn prepare(executable: &Path, with_commands: bool) -> Result<Self, Failure> {
        let game = TurboGame::start(executable, PLAYERS)?;
        let planets = game.planets()?;
        let coal = planets.iter().find(|planet| planet.has_coal());
        let planets = coal.ok_or_else(|| Failure::new("the world has no coal"))?.with_neighbour()?;
        let mut robots = Vec::new();
        for player in (0..PLAYERS).filter(|_| with_commands) {
            robots.extend(game.spawn(player, &[&planets[0]])?.into_iter().map(|robot| robot.id));
        }
        let connections =
            (0..PLAYERS).map(|_| Connection::open(game.server.address)).collect::<Result<_, _>>()?;
        let service = Connection::open(game.robot)?;
        Ok(Self { connections, service, robots, planets, round: 1, game })
    }

    pub(crate) fn run(&mut self, slice: Slice) -> Result<Sample, Failure> {
        self.slice(slice).map_err(|failure| self.game.server.explained(failure))
    }

    fn slice(&mut self, slice: Slice) -> Result<Sample, Failure> {
        let from = clock::now() + slice.warm_up;
        while clock::now() < from {
            self.play()?;
        }
        let (from, first) = (clock::now(), self.round);
        while clock::now() < from + slice.counted {
            self.play()?;
        }
        let per_second = f64::from(self.round - first) / (clock::now() - from).as_secs_f64();
        let micros = 1_000_000.0 / per_second;
        Ok(Sample { per_second, p50_micros: micros, p99_micros: micros, memory_bytes: None })
    }

    fn play(&mut self) -> Result<(), Failure> {
        if self.round.is_multiple_of(SERVICED_EVERY) {
            self.service_robots()?;
        }
        // They go away, come back, and mine twice.
        let (kind, details) = match self.round % 4 {
            0 => ("movement", json!({ "planetId": self.planets[1] })),
            1 => ("movement", json!({ "planetId": self.planets[0] })),
            _ => ("mining", json!({})),
        };
        for (player, robot) in self.robots.iter().enumerate() {
            let command = self.game.command(player, robot, kind, &details).to_string();
            self.connections[player].send(&http::post(self.game.server.address, "/commands", &command))?;
        }
        for player in 0..self.robots.len() {
            self.connections[player].receive(201)?;
        }
        for player in 0..PLAYERS {
            self.connections[player].send(&self.game.is_ready(player))?;
        }
        for connection in &mut self.connections {
            connection.receive(200)?;
        }
        self.round += 1;
        self.game.await_round(Told::Started, self.round).map(drop)
    }

    fn service_robots(&mut self) -> Result<(), Failure> {
        for robot in &self.robots {
            self.service.send(&self.game.restore(robot, "ENERGY", self.round))?;
            self.service.receive(200)?;
            let _: Value = self.service.exchange(&self.game.unload(robot), 200)?;
        }
        Ok(())
    }
}
