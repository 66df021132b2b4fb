//! A running game in turbo, all four services in one process: its players, its robots and the events of its rounds.
//! Players are ready when they say so, so a round takes as long as its commands need.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::http;
use crate::prepare::{Player, join_players};
use crate::program::{GAME, Server, home};

/// Robots are spawned past the trading service, which needs the host's token.
const TOKEN: &str = "benchmark-host";

/// Longer than any round takes.
const ROUND_MILLIS: u32 = 600_000;

pub(crate) struct TurboGame {
    pub(crate) id: String,
    pub(crate) players: Vec<Player>,
    pub(crate) server: Arc<Server>,
    pub(crate) robot: SocketAddr,
    /// Among those of its server.
    number: usize,
    map: SocketAddr,
    world: String,
    rounds: Connection,
}

#[derive(Deserialize)]
pub(crate) struct Robot {
    pub(crate) id: String,
}

#[derive(Deserialize)]
pub(crate) struct Planet {
    pub(crate) id: String,
    neighbours: Vec<Neighbour>,
    resource: Option<Deposit>,
}

#[derive(Deserialize)]
struct Neighbour {
    planet_id: String,
}

#[derive(Deserialize)]
struct Deposit {
    resource_type: String,
}

#[derive(Deserialize)]
struct Services {
    map: String,
    robot: String,
}

#[derive(Deserialize)]
struct Game {
    #[serde(rename = "gameId")]
    id: String,
    #[serde(rename = "gameworldId")]
    world: Option<String>,
}

/// What is told of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Started,
    InputEnded,
    Scored,
}

impl TurboGame {
    /// Started, with its first round open.
    pub(crate) fn start(executable: &Path, players: usize) -> Result<Self, Failure> {
        Self::on(&Self::serve(executable, 1)?, 0, players)
    }

    /// A program that such games can be started on, so many at once.
    pub(crate) fn serve(executable: &Path, games: u32) -> Result<Arc<Server>, Failure> {
        let games = games.to_string();
        let flags = ["--admin-token", TOKEN, "--max-running-games", &games, "--robot-listen", "127.0.0.1:0"];
        let flags = [&flags[..], &["--trading-listen", "127.0.0.1:0"]].concat();
        Server::starkeep(executable, &home()?, GAME, &flags).map(Arc::new)
    }

    /// The game of this number on a program.
    pub(crate) fn on(server: &Arc<Server>, number: usize, players: usize) -> Result<Self, Failure> {
        Self::started(server, number, players).map_err(|failure| server.explained(failure))
    }

    fn started(server: &Arc<Server>, number: usize, players: usize) -> Result<Self, Failure> {
        let address = server.address;
        let mut host = Connection::open(address)?;
        let services: Services = host.exchange(&http::get(address, "/services"), 200)?;
        let new = json!({
            "maxRounds": 1_000_000, "maxPlayers": players, "duration": ROUND_MILLIS, "seed": 1,
        });
        let made: Game = host.exchange(&hosted(http::post(address, "/games", &new.to_string())), 201)?;
        let id = made.id;
        let joined = join_players(server, &id, number * players + 1..=(number + 1) * players)?;
        let turbo = hosted(http::patch(address, &format!("/games/{id}/pace"), r#"{"pace":"turbo"}"#));
        let _: Value = host.exchange(&turbo, 200)?;
        let mut rounds = Connection::open(address)?;
        rounds.send(&http::get_stream(
            address,
            &format!("/events?channels=roundStatus,scores&gameId={id}&after=end"),
        ))?;
        // Its first line is there before anything is started.
        rounds.line()?;
        let start = hosted(http::post(address, &format!("/games/{id}/gameCommands/start"), ""));
        let started: Game = host.exchange(&start, 201)?;
        let world = started.world.ok_or_else(|| Failure::new("the game has no gameworld"))?;
        let mut game = Self {
            id,
            players: joined,
            robot: http::address_of(&services.robot)?,
            map: http::address_of(&services.map)?,
            number,
            world,
            server: server.clone(),
            rounds,
        };
        game.await_round(Told::Started, 1)?;
        Ok(game)
    }

    /// Takes everything out of the robot's storage.
    pub(crate) fn unload(&self, robot: &str) -> Vec<u8> {
        hosted(http::post(self.robot, &format!("/robots/{robot}/inventory/clearResources"), ""))
    }

    /// Gives the robot all of its health or energy back; once a round.
    pub(crate) fn restore(&self, robot: &str, what: &str, round: u32) -> Vec<u8> {
        // Each robot and round has its own.
        let transaction = format!("{}{round:012}", &robot[..24]);
        let order = json!({ "transactionId": transaction, "restorationType": what }).to_string();
        hosted(http::post(self.robot, &format!("/robots/{robot}/instant-restore"), &order))
    }

    pub(crate) fn planets(&self) -> Result<Vec<Planet>, Failure> {
        let request = hosted(http::get(self.map, &format!("/gameworlds/{}/planets", self.world)));
        Connection::open(self.map)?.exchange(&request, 200)
    }

    /// A robot of the player on each of the planets.
    pub(crate) fn spawn(&self, player: usize, planets: &[&str]) -> Result<Vec<Robot>, Failure> {
        let transaction = format!("6f2a1c04-58be-4d7e-{:04x}-{player:012}", self.number);
        let player = &self.players[player].id;
        let order = json!({ "transactionId": transaction, "player": player, "planets": planets, "quantity": planets.len() });
        let request = hosted(http::post(self.robot, "/robots", &order.to_string()));
        let request = http::with_header(request, "starkeep-game", &self.id);
        Connection::open(self.robot)?.exchange(&request, 201)
    }

    pub(crate) fn is_ready(&self, player: usize) -> Vec<u8> {
        let path = format!("/games/{}/players/{}/ready", self.id, self.players[player].token);
        http::put(self.server.address, &path, "")
    }

    /// Asks the robot service for what comes of moves and regenerations, as it comes.
    pub(crate) fn results(&self) -> Vec<u8> {
        let path = format!("/events?channels=movement,regeneration&gameId={}&after=end", self.id);
        hosted(http::get_stream(self.robot, &path))
    }

    /// A command of a robot, as JSON.
    pub(crate) fn command(&self, player: usize, robot: &str, kind: &str, details: &Value) -> Value {
        json!({
            "gameId": self.id, "playerToken": self.players[player].token, "robotId": robot, "commandType": kind,
            "commandObject": details,
        })
    }

    /// When it was told of the round; everything before it is passed over.
    pub(crate) fn await_round(&mut self, told: Told, round: u32) -> Result<Instant, Failure> {
        self.await_all([(told, round)]).map(|[at]| at)
    }

    /// When each of these was told, in whatever order they come; everything else is passed over.
    pub(crate) fn await_all<const COUNT: usize>(
        &mut self,
        wanted: [(Told, u32); COUNT],
    ) -> Result<[Instant; COUNT], Failure> {
        let (mut seen, mut missing) = ([clock::now(); COUNT], COUNT);
        while missing > 0 {
            let line = self.rounds.line()?;
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let told = read(data)?;
            let place = wanted.iter().position(|wanted| Some(*wanted) == told);
            if let Some(place) = place {
                seen[place] = clock::now();
                missing -= 1;
            }
        }
        Ok(seen)
    }
}

/// The request with the host's token.
fn hosted(request: Vec<u8>) -> Vec<u8> {
    http::with_header(request, "authorization", &format!("Bearer {TOKEN}"))
}

fn read(data: &str) -> Result<Option<(Told, u32)>, Failure> {
    #[derive(Deserialize)]
    struct Event {
        payload: Payload,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Payload {
        round_number: Option<u32>,
        round_status: Option<String>,
    }
    // What the stream says about itself is no event.
    let Ok(Event { payload }) = serde_json::from_str(data) else { return Ok(None) };
    let told = match payload.round_status.as_deref() {
        None => Told::Scored,
        Some("started") => Told::Started,
        Some("command input ended") => Told::InputEnded,
        Some("ended") => return Ok(None),
        Some(other) => return Err(Failure::new(format!("a round that is \"{other}\""))),
    };
    Ok(payload.round_number.map(|round| (told, round)))
}

impl Planet {
    pub(crate) fn has_coal(&self) -> bool {
        self.resource.as_ref().is_some_and(|deposit| deposit.resource_type == "coal")
    }

    /// The planet, and one to which a robot can go from there and back.
    pub(crate) fn with_neighbour(&self) -> Result<[String; 2], Failure> {
        let neighbour = self.neighbours.first().ok_or_else(|| Failure::new("a planet has no neighbour"))?;
        Ok([self.id.clone(), neighbour.planet_id.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_read_from_the_events_that_tell_of_them() {
        let event = r#"{"headers":{},"payload":{"gameId":"g","roundId":"r","roundNumber":7,"roundStatus":"command input ended"}}"#;
        assert_eq!(read(event).unwrap(), Some((Told::InputEnded, 7)));
        assert_eq!(
            read(r#"{"payload":{"gameId":"g","roundNumber":7,"players":[]}}"#).unwrap(),
            Some((Told::Scored, 7))
        );
        assert_eq!(read(r#"{"position":"12"}"#).unwrap(), None);
        assert!(read(r#"{"payload":{"roundNumber":7,"roundStatus":"begun"}}"#).is_err());
    }
}
