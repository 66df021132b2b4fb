//! What has to be there before something is measured: worlds, running games and players, made over the public interface.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::{During, Failure};
use crate::http;
use crate::lateness::Deadlines;
use crate::program::Server;

pub(crate) fn create_world(starkeep: &Server, players: u32, seed: u32) -> Result<(), Failure> {
    let body = format!(r#"{{"gameworld":{{"player_amount":{players},"seed":{seed}}}}}"#);
    let request = http::post(starkeep.address, "/gameworlds", &body);
    http::exchange(starkeep.address, &request, 201, |_| Ok(())).map_err(|failure| starkeep.explained(failure))
}

#[derive(Deserialize)]
struct Planet {
    id: String,
    resource: Option<Deposit>,
}

#[derive(Deserialize)]
struct Deposit {
    current_amount: u64,
}

/// The ids of all planets with something left to mine; at least one.
pub(crate) fn planets_with_deposits(starkeep: &Server) -> Result<Vec<String>, Failure> {
    let mut ids = Vec::new();
    for page in 1.. {
        let planets: Vec<Planet> = get_json(starkeep, &format!("/planets?page={page}"))?;
        if planets.is_empty() {
            break;
        }
        let rich = planets
            .into_iter()
            .filter(|planet| planet.resource.as_ref().is_some_and(|deposit| deposit.current_amount > 0));
        ids.extend(rich.map(|planet| planet.id));
    }
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

/// Several clients, one game after the other, so that starts and thereby boundaries are spread over the rounds.
pub(crate) fn start_games(starkeep: &Server, deadlines: Deadlines) -> Result<(), Failure> {
    let address = starkeep.address;
    let new = format!(r#"{{"maxRounds":100000,"maxPlayers":1,"duration":{}}}"#, deadlines.round_millis);
    let start_one = || -> Result<(), Failure> {
        let made: NewGame = post_json(starkeep, "/games", &new)?;
        let start = http::post(address, &format!("/games/{}/gameCommands/start", made.id), "");
        http::exchange(address, &start, 201, |_| Ok(()))
    };
    std::thread::scope(|scope| {
        let client = |first| (first..deadlines.games).step_by(STARTERS).try_for_each(|_| start_one());
        let clients: Vec<_> =
            (0..deadlines.games).take(STARTERS).map(|first| scope.spawn(move || client(first))).collect();
        clients.into_iter().try_for_each(|client| {
            client.join().unwrap_or_else(|_| Err(Failure::new("a client that starts games panicked")))
        })
    })
}

const STARTERS: usize = 8;

#[derive(Deserialize)]
struct NewGame {
    #[serde(rename = "gameId")]
    id: String,
}

/// A game that takes commands for a day, with so many players who have a robot each: what each of them sends.
pub(crate) fn commands_of_players(starkeep: &Server, players: usize) -> Result<Vec<String>, Failure> {
    let new = format!(r#"{{"maxRounds":1,"maxPlayers":{players},"duration":86400000}}"#);
    let game: NewGame = post_json(starkeep, "/games", &new)?;
    let mut commands = Vec::with_capacity(players);
    for (number, Player { id, token }) in (1..).zip(join_players(starkeep, &game.id, 1..=players)?) {
        let robot = format!("b81e9d53-07c2-4f6a-8e45-{number:012}");
        put(starkeep, &format!("/robots/{robot}"), &format!(r#"{{"playerId":"{id}"}}"#))?;
        commands.push(format!(
            r#"{{"gameId":"{}","playerToken":"{token}","robotId":"{robot}","commandType":"movement","commandObject":{{"commandType":"movement","planetId":"6f2a1c04-58be-4d7e-9a31-{number:012}"}}}}"#,
            game.id
        ));
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
