//! A round with one command for each of many robots: moves, minings, fights and regenerations in equal parts.
//! What is measured is its execution, from the end of the command input until the round is over and scored.

use std::path::Path;

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::http;
use crate::sample::Sample;
use crate::turbo_game::{Planet, Told, TurboGame};

/// As many robots are always on the same planet and do the same: two pairs that fight one another.
const GROUP: usize = 4;

/// After so many rounds storages are emptied and robots healed, so that no mining fails and nobody dies.
const SERVICED_EVERY: u32 = 8;

/// So many orders are under way at once while robots are serviced.
const SERVICE_CONNECTIONS: usize = 64;

const PLAYERS: usize = 100;

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
    /// It stays on a planet with coal and does nothing else.
    is_miner: bool,
}

impl LargeRounds {
    /// A hundred players with so many robots each.
    pub(crate) fn prepare(executable: &Path, robots_of_each: usize) -> Result<Self, Failure> {
        let game = TurboGame::start(executable, PLAYERS)?;
        let robots = spawn_all(&game, robots_of_each).map_err(|failure| game.server.explained(failure))?;
        Ok(Self { game, robots, round: 1 })
    }

    /// One round, however long the slice; before the first one that counts another is played.
    pub(crate) fn run(&mut self) -> Result<Sample, Failure> {
        let warm_up = if self.round == 1 { self.play().map(drop) } else { Ok(()) };
        warm_up.and_then(|()| self.play()).map_err(|failure| self.game.server.explained(failure))
    }

    fn play(&mut self) -> Result<Sample, Failure> {
        if self.round.is_multiple_of(SERVICED_EVERY) {
            self.service_robots()?;
        }
        self.send_commands()?;
        let cpu_before = self.game.server.cpu_seconds();
        let mut players = Connection::open(self.game.server.address)?;
        for player in 0..PLAYERS {
            let _: Value = players.exchange(&self.game.is_ready(player), 200)?;
        }
        let (round, next) = (self.round, self.round + 1);
        let [begun, ended, scored] =
            self.game.await_all([(Told::InputEnded, round), (Told::Started, next), (Told::Scored, round)])?;
        self.round = next;
        let cpu_after = self.game.server.cpu_seconds();
        let commands = u32::try_from(self.robots.len()).unwrap_or(u32::MAX);
        Ok(Sample {
            cpu_seconds: cpu_before.zip(cpu_after).map(|(before, after)| after - before),
            memory_bytes: self.game.server.peak_memory().ok(),
            ..Sample::of_one(ended.max(scored) - begun).in_parts(commands)
        })
    }

    fn service_robots(&self) -> Result<(), Failure> {
        let order = |robot: &OrderedRobot| {
            if robot.is_miner {
                self.game.unload(&robot.id)
            } else {
                self.game.restore(&robot.id, "HEALTH", self.round)
            }
        };
        let orders: Vec<_> = self.robots.iter().map(order).collect();
        let connections = (0..SERVICE_CONNECTIONS).map(|_| Connection::open(self.game.robot));
        let mut connections: Vec<_> = connections.collect::<Result<_, _>>()?;
        for orders in orders.chunks(SERVICE_CONNECTIONS) {
            for (connection, order) in connections.iter_mut().zip(orders) {
                connection.send(order)?;
            }
            for (connection, _) in connections.iter_mut().zip(orders) {
                connection.receive(200)?;
            }
        }
        Ok(())
    }

    /// A player sends all of its commands with one request.
    fn send_commands(&mut self) -> Result<(), Failure> {
        let address = self.game.server.address;
        let mut all: Vec<Vec<Value>> = vec![Vec::new(); PLAYERS];
        let partners = partners(&self.robots);
        for (robot, partner) in self.robots.iter_mut().zip(partners) {
            let (kind, details) = match (robot.group + self.round as usize) % 3 {
                _ if robot.is_miner => ("mining", json!({})),
                0 => ("battle", json!({ "targetId": partner })),
                1 => ("regeneration", json!({})),
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

/// Every fourth group on planets with coal, the others on all planets; the robots of a group have different players.
fn spawn_all(game: &TurboGame, robots_of_each: usize) -> Result<Vec<OrderedRobot>, Failure> {
    let planets = game.planets()?;
    let coal: Vec<&Planet> = planets.iter().filter(|planet| planet.has_coal()).collect();
    if coal.is_empty() {
        return Err(Failure::new("the world has no coal"));
    }
    let place = |place: usize, player: usize| -> Result<OrderedRobot, Failure> {
        let group = place / GROUP;
        let is_miner = group.is_multiple_of(4);
        let home = if is_miner { coal[group / 4 % coal.len()] } else { &planets[group % planets.len()] };
        Ok(OrderedRobot { id: String::new(), player, group, planets: home.with_neighbour()?, is_miner })
    };
    let count = PLAYERS * robots_of_each;
    let mut robots: Vec<_> =
        (0..count).map(|number| place(number, number % PLAYERS)).collect::<Result<_, _>>()?;
    for player in 0..PLAYERS {
        let mut own: Vec<_> = robots.iter_mut().filter(|robot| robot.player == player).collect();
        let homes: Vec<_> = own.iter().map(|robot| robot.planets[0].as_str()).collect();
        let spawned = game.spawn(player, &homes)?;
        if spawned.len() != homes.len() {
            return Err(Failure::new("not every robot was spawned"));
        }
        own.iter_mut().zip(spawned).for_each(|(robot, spawned)| robot.id = spawned.id);
    }
    Ok(robots)
}
