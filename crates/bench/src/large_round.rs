//! A round with one command for each of ten thousand robots: moves, minings, fights and regenerations in equal parts.
//! What is measured is its execution, from the end of the command input until the round is over and scored.

use std::path::Path;

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::http;
use crate::load::{Sample, Slice};
use crate::turbo_game::{Told, TurboGame, coal_pairs};

const PLAYERS: usize = 100;
const ROBOTS_OF_A_PLAYER: usize = 100;

/// As many robots are always on the same planet and do the same: two pairs that fight one another.
const GROUP: usize = 4;

pub(crate) struct LargeRounds {
    game: TurboGame,
    robots: Vec<OrderedRobot>,
    round: u32,
}

struct OrderedRobot {
    id: String,
    player: usize,
    group: usize,
    /// Where it is, and where it goes next.
    planets: [String; 2],
}

impl LargeRounds {
    pub(crate) fn prepare(executable: &Path) -> Result<Self, Failure> {
        let game = TurboGame::start(executable, PLAYERS)?;
        let robots = spawn_all(&game).map_err(|failure| game.server.explained(failure))?;
        Ok(Self { game, robots, round: 1 })
    }

    /// One round that is not counted, and one that is.
    pub(crate) fn run(&mut self, _: Slice) -> Result<Sample, Failure> {
        self.play().and_then(|_| self.play()).map_err(|failure| self.game.server.explained(failure))
    }

    fn play(&mut self) -> Result<Sample, Failure> {
        self.send_commands()?;
        let mut players = Connection::open(self.game.server.address)?;
        for player in 0..PLAYERS {
            let _: Value = players.exchange(&self.game.is_ready(player), 200)?;
        }
        let (round, next) = (self.round, self.round + 1);
        let [begun, ended, scored] =
            self.game.await_all([(Told::InputEnded, round), (Told::Started, next), (Told::Scored, round)])?;
        self.round = next;
        let took = (ended.max(scored) - begun).as_secs_f64();
        let (micros, commands) = (1_000_000.0 * took, u32::try_from(self.robots.len()).unwrap_or(u32::MAX));
        Ok(Sample {
            per_second: f64::from(commands) / took,
            p50_micros: micros,
            p99_micros: micros,
            memory_bytes: Some(self.game.server.peak_memory()?),
        })
    }

    /// A player sends all of its commands with one request.
    fn send_commands(&mut self) -> Result<(), Failure> {
        let address = self.game.server.address;
        let mut all: Vec<Vec<Value>> = vec![Vec::new(); PLAYERS];
        let partners = partners(&self.robots);
        for (robot, partner) in self.robots.iter_mut().zip(partners) {
            let (kind, details) = match (robot.group + self.round as usize) % 4 {
                0 => ("mining", json!({})),
                1 => ("battle", json!({ "targetId": partner })),
                2 => ("regeneration", json!({})),
                _ => {
                    robot.planets.swap(0, 1);
                    ("movement", json!({ "planetId": robot.planets[0] }))
                }
            };
            all[robot.player].push(self.game.command(robot.player, &robot.id, kind, &details));
        }
        let mut connection = Connection::open(address)?;
        for commands in all {
            let body = Value::from(commands).to_string();
            let items: Vec<Value> =
                connection.exchange(&http::post(address, "/commands/batch", &body), 200)?;
            if let Some(refused) = items.iter().find(|item| item["status"] != 201) {
                return Err(Failure::new(format!("a command was refused: {refused}")));
            }
        }
        Ok(())
    }
}

/// Whom each robot fights: its neighbour in the list, and that one it.
fn partners(robots: &[OrderedRobot]) -> Vec<String> {
    (0..robots.len()).map(|place| robots[place ^ 1].id.clone()).collect()
}

/// Group by group on planets with coal, the robots of a group with different players.
fn spawn_all(game: &TurboGame) -> Result<Vec<OrderedRobot>, Failure> {
    let planets = game.planets()?;
    let pairs = coal_pairs(&planets);
    if pairs.is_empty() {
        return Err(Failure::new("no two planets with coal lie side by side"));
    }
    let count = PLAYERS * ROBOTS_OF_A_PLAYER;
    let group_of = |place: usize| place / GROUP;
    let pair_of = |place: usize| pairs[group_of(place) % pairs.len()];
    let mut robots: Vec<Option<OrderedRobot>> = (0..count).map(|_| None).collect();
    for player in 0..PLAYERS {
        let places: Vec<usize> = (player..count).step_by(PLAYERS).collect();
        let spawned =
            game.spawn(player, &places.iter().map(|place| pair_of(*place)[0]).collect::<Vec<_>>())?;
        for (place, robot) in places.into_iter().zip(spawned) {
            let planets = pair_of(place).map(str::to_owned);
            robots[place] = Some(OrderedRobot { id: robot.id, player, group: group_of(place), planets });
        }
    }
    let robots: Vec<_> = robots.into_iter().flatten().collect();
    if robots.len() == count { Ok(robots) } else { Err(Failure::new("not every robot was spawned")) }
}
