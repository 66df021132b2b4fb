//! Rounds a second of games in turbo, each with two bots that are ready at once.
//! With commands each of them sends a move or a mining a round; without, it says only that it is ready.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::clock;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::http;
use crate::program::Server;
use crate::sample::{Sample, Slice};
use crate::several::by_several;
use crate::turbo_game::{Told, TurboGame};

const PLAYERS: usize = 2;

/// After so many rounds the robots get new energy and an empty storage, so that no move and no mining fails.
const SERVICED_EVERY: u32 = 8;

struct Turbo {
    game: TurboGame,
    /// One a player.
    connections: Vec<Connection>,
    service: Connection,
    /// One a player, if they send commands.
    robots: Vec<String>,
    planets: [String; 2],
    round: u32,
}

/// Games on one program, each played by a thread of its own.
pub(crate) struct Turbos {
    server: Arc<Server>,
    games: Vec<Turbo>,
}

impl Turbos {
    pub(crate) fn prepare(executable: &Path, games: u32, with_commands: bool) -> Result<Self, Failure> {
        let server = TurboGame::serve(executable, games)?;
        let games = by_several(games, |number| Turbo::prepare(&server, number as usize, with_commands))?;
        Ok(Self { server, games })
    }

    pub(crate) fn run(&mut self, slice: Slice) -> Result<Sample, Failure> {
        let Self { server, games } = self;
        server.metered(|| {
            let from = clock::now() + slice.warm_up;
            thread::scope(|scope| {
                let players: Vec<_> =
                    games.iter_mut().map(|game| scope.spawn(move || game.slice(from, slice))).collect();
                let mut all = Sample::default();
                for player in players {
                    let played = player.join().map_err(|_| Failure::new("a game's thread panicked"))??;
                    all.per_second += played.per_second;
                    all.count += played.count;
                    all.done += played.done;
                }
                Ok(all)
            })
        })
    }
}

impl Turbo {
    fn prepare(server: &Arc<Server>, number: usize, with_commands: bool) -> Result<Self, Failure> {
        let game = TurboGame::on(server, number, PLAYERS)?;
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

    /// Plays until the slice is over; the round that is then under way is counted with its time.
    fn slice(&mut self, from: Instant, slice: Slice) -> Result<Sample, Failure> {
        let first = self.round;
        while clock::now() < from {
            self.play()?;
        }
        let (counted_from, counted) = (clock::now(), self.round);
        while clock::now() < from + slice.counted || self.round == counted {
            self.play()?;
        }
        let sample = Sample::of_rate(self.round - counted, clock::now() - counted_from);
        Ok(Sample { done: self.round - first, ..sample })
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
