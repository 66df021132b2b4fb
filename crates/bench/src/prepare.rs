//! What has to be there before something is measured: worlds, running games and players, made over the public interface.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::connection::Connection;
use crate::failure::{During, Failure};
use crate::http;
use crate::lateness::Deadlines;
use crate::program::Server;

pub(crate) fn create_world(starkeep: &Server, players: u32, seed: u32) -> Result<(), Failure> {
    let body = format!(r#"{{"gameworld":{{"player_amount":{players},"seed":{seed}}}}}"#);
    let request = http::post(starkeep.address, "/gameworlds", &body);
    http::exchange(starkeep.address, &request, 201, |_| Ok(())).map_err(|failure| starkeep.explained(failure))
}

/// A mining of one unit.
pub(crate) fn mining(address: SocketAddr, planet: &str) -> Vec<u8> {
    http::post(address, &format!("/planets/{planet}/minings"), r#"{"mining":{"amount_requested":1}}"#)
}

#[derive(Deserialize)]
pub(crate) struct Planet {
    pub(crate) id: String,
    resource: Option<Deposit>,
}

#[derive(Deserialize)]
struct Deposit {
    current_amount: u64,
}

impl Planet {
    /// Whether there is something left to mine.
    pub(crate) fn is_rich(&self) -> bool {
        self.resource.as_ref().is_some_and(|deposit| deposit.current_amount > 0)
    }
}

/// All planets of all worlds.
pub(crate) fn planets(starkeep: &Server) -> Result<Vec<Planet>, Failure> {
    let mut connection = Connection::open(starkeep.address)?;
    let mut planets = Vec::new();
    for page in 1.. {
        let request = http::get(starkeep.address, &format!("/planets?page={page}"));
        let mut more: Vec<Planet> =
            connection.exchange(&request, 200).map_err(|failure| starkeep.explained(failure))?;
        if more.is_empty() {
            break;
        }
        planets.append(&mut more);
    }
    Ok(planets)
}

/// The ids of all planets with something left to mine; at least one.
pub(crate) fn planets_with_deposits(starkeep: &Server) -> Result<Vec<String>, Failure> {
    let rich = planets(starkeep)?.into_iter().filter(Planet::is_rich);
    let ids: Vec<_> = rich.map(|planet| planet.id).collect();
    if ids.is_empty() {
        return Err(Failure::new("the worlds hold no planet with a deposit"));
    }
    Ok(ids)
}

pub(crate) fn get_json<T: DeserializeOwned>(starkeep: &Server, path: &str) -> Result<T, Failure> {
    http::exchange(starkeep.address, &http::get(starkeep.address, path), 200, |answer| {
        serde_json::from_slice(answer.body).during("reading the answer")
    })
    .map_err(|failure| starkeep.explained(failure))
}

/// The ids of so many new games that nobody has joined.
pub(crate) fn create_games(starkeep: &Server, games: usize, new: &str) -> Result<Vec<String>, Failure> {
    let create = |_| post_json(starkeep, "/games", new).map(|made: NewGame| made.id);
    (0..games).map(create).collect::<Result<_, _>>().map_err(|failure| starkeep.explained(failure))
}

/// The id of a new game that runs.
pub(crate) fn start_game(starkeep: &Server, new: &str) -> Result<String, Failure> {
    let made: NewGame = post_json(starkeep, "/games", new)?;
    let start = http::post(starkeep.address, &format!("/games/{}/gameCommands/start", made.id), "");
    http::exchange(starkeep.address, &start, 201, |_| Ok(()))?;
    Ok(made.id)
}

/// One after the other, so that starts and thereby boundaries are spread over the rounds.
pub(crate) fn start_games(starkeep: &Server, deadlines: Deadlines) -> Result<(), Failure> {
    let new = format!(r#"{{"maxRounds":100000,"maxPlayers":1,"duration":{}}}"#, deadlines.round_millis);
    by_several(deadlines.games, || start_game(starkeep, &new).map(drop))
        .map_err(|failure| starkeep.explained(failure))
}

/// Games that were started and ended. As many run at once as there are clients.
pub(crate) fn end_games(starkeep: &Server, games: u32) -> Result<(), Failure> {
    let new = r#"{"maxRounds":100,"maxPlayers":1,"duration":60000}"#;
    let end_one = || {
        let game = start_game(starkeep, new)?;
        let end = http::post(starkeep.address, &format!("/games/{game}/gameCommands/end"), "");
        http::exchange(starkeep.address, &end, 201, |_| Ok(()))
    };
    by_several(games, end_one).map_err(|failure| starkeep.explained(failure))
}

/// Does it so many times, by several clients at once.
fn by_several(times: u32, once: impl Fn() -> Result<(), Failure> + Sync) -> Result<(), Failure> {
    let client = |first| (first..times).step_by(CLIENTS as usize).try_for_each(|_| once());
    let client = &client;
    std::thread::scope(|scope| {
        let clients: Vec<_> =
            (0..times.min(CLIENTS)).map(|first| scope.spawn(move || client(first))).collect();
        clients.into_iter().try_for_each(|client| {
            client.join().unwrap_or_else(|_| Err(Failure::new("a client that prepares games panicked")))
        })
    })
}

/// So many prepare at once.
pub(crate) const CLIENTS: u32 = 8;

#[derive(Deserialize)]
struct NewGame {
    #[serde(rename = "gameId")]
    id: String,
}

/// A game that takes commands for a day, with so many players who have so many robots each: a command of each robot, by player.
pub(crate) fn commands_of_players(
    starkeep: &Server,
    players: usize,
    robots_of_each: u32,
) -> Result<Vec<Vec<String>>, Failure> {
    let new = format!(r#"{{"maxRounds":1,"maxPlayers":{players},"duration":86400000}}"#);
    let game: NewGame = post_json(starkeep, "/games", &new)?;
    let mut commands = Vec::with_capacity(players);
    for (player, Player { id, token }) in (0..).zip(join_players(starkeep, &game.id, 1..=players)?) {
        let robot = |number: u32| {
            let robot = format!("b81e9d53-07c2-4f6a-8e45-{:012}", player * robots_of_each + number);
            put(starkeep, &format!("/robots/{robot}"), &format!(r#"{{"playerId":"{id}"}}"#))?;
            Ok(format!(
                r#"{{"gameId":"{}","playerToken":"{token}","robotId":"{robot}","commandType":"movement","commandObject":{{"commandType":"movement","planetId":"6f2a1c04-58be-4d7e-9a31-{number:012}"}}}}"#,
                game.id
            ))
        };
        commands.push((1..=robots_of_each).map(robot).collect::<Result<_, Failure>>()?);
    }
    let _: NewGame = post_json(starkeep, &format!("/games/{}/gameCommands/start", game.id), "")?;
    Ok(commands)
}

/// A registered player.
#[derive(Deserialize)]
pub(crate) struct Player {
    #[serde(rename = "playerId")]
    pub(crate) id: String,
    #[serde(rename = "bearerToken")]
    pub(crate) token: String,
}

/// Registers the players of these numbers, who join the game.
pub(crate) fn join_players(
    starkeep: &Server,
    game: &str,
    numbers: RangeInclusive<usize>,
) -> Result<Vec<Player>, Failure> {
    let join = |number: usize| {
        let registration = format!(r#"{{"name":"player {number}","email":"{number}@example.org"}}"#);
        let player: Player = post_json(starkeep, "/players", &registration)?;
        put(starkeep, &format!("/games/{game}/players/{}", player.token), "")?;
        Ok(player)
    };
    numbers.map(join).collect()
}

fn post_json<T: DeserializeOwned>(starkeep: &Server, path: &str, body: &str) -> Result<T, Failure> {
    http::exchange(starkeep.address, &http::post(starkeep.address, path, body), 201, |answer| {
        serde_json::from_slice(answer.body).during("reading the answer")
    })
}

fn put(starkeep: &Server, path: &str, body: &str) -> Result<(), Failure> {
    http::exchange(starkeep.address, &http::put(starkeep.address, path, body), 200, |_| Ok(()))
}
