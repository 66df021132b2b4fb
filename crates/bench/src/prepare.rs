//! What has to be there before something is measured: worlds, running games and players, made over the public interface.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::clock;
use crate::failure::{During, Failure};
use crate::http;
use crate::lateness::Deadlines;
use crate::load::HANG_LIMIT;
use crate::program::Server;
use crate::several::by_several;

/// The id of a new world.
pub(crate) fn create_world(starkeep: &Server, players: u32, seed: u32) -> Result<String, Failure> {
    let body = format!(r#"{{"gameworld":{{"player_amount":{players},"seed":{seed}}}}}"#);
    let made: Result<NewWorld, _> = post_json(starkeep, "/gameworlds", &body);
    made.map(|world| world.id).map_err(|failure| starkeep.explained(failure))
}

#[derive(Deserialize)]
struct NewWorld {
    id: String,
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

/// All planets of a world.
pub(crate) fn planets(starkeep: &Server, world: &str) -> Result<Vec<Planet>, Failure> {
    get_json(starkeep, &format!("/gameworlds/{world}/planets"))
}

/// The ids of the planets of a new world that have something to mine; at least one.
pub(crate) fn planets_with_deposits(starkeep: &Server, seed: u32) -> Result<Vec<String>, Failure> {
    let world = create_world(starkeep, 4, seed)?;
    let rich = planets(starkeep, &world)?.into_iter().filter(Planet::is_rich);
    let ids: Vec<_> = rich.map(|planet| planet.id).collect();
    if ids.is_empty() {
        return Err(Failure::new("the world holds no planet with a deposit"));
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
pub(crate) fn create_games(starkeep: &Server, games: u32, new: &str) -> Result<Vec<String>, Failure> {
    by_several(games, |_| post_json(starkeep, "/games", new).map(|made: NewGame| made.id))
        .map_err(|failure| starkeep.explained(failure))
}

/// The id of a new game that runs.
pub(crate) fn start_game(starkeep: &Server, new: &str) -> Result<String, Failure> {
    let made: NewGame = post_json(starkeep, "/games", new)?;
    let start = http::post(starkeep.address, &format!("/games/{}/gameCommands/start", made.id), "");
    http::exchange(starkeep.address, &start, 201, |_| Ok(()))?;
    Ok(made.id)
}

/// Their starts and thereby their boundaries are spread over the rounds.
pub(crate) fn start_games(starkeep: &Server, deadlines: Deadlines) -> Result<(), Failure> {
    let new = format!(r#"{{"maxRounds":100000,"maxPlayers":1,"duration":{}}}"#, deadlines.round_millis);
    by_several(deadlines.games, |_| start_game(starkeep, &new))
        .map(drop)
        .map_err(|failure| starkeep.explained(failure))
}

/// Games that were started and ended. As many run at once as there are workers.
pub(crate) fn end_games(starkeep: &Server, games: u32) -> Result<(), Failure> {
    let new = r#"{"maxRounds":100,"maxPlayers":1,"duration":60000}"#;
    let end_one = |_| {
        let game = start_game(starkeep, new)?;
        let end = http::post(starkeep.address, &format!("/games/{game}/gameCommands/end"), "");
        http::exchange(starkeep.address, &end, 201, |_| Ok(()))
    };
    by_several(games, end_one).map(drop).map_err(|failure| starkeep.explained(failure))
}

/// Waits until the map has been told of every world that nobody plays in any longer.
pub(crate) fn await_retirements(starkeep: &Server) -> Result<(), Failure> {
    let limit = clock::now() + HANG_LIMIT;
    let none_is_left = |answer: &http::Answer<'_>| {
        Ok(String::from_utf8_lossy(answer.body).lines().any(|line| line == "starkeep_worlds_to_retire 0"))
    };
    let metrics = http::get(starkeep.address, "/metrics");
    while !http::exchange(starkeep.address, &metrics, 200, none_is_left)? {
        if clock::now() > limit {
            return Err(starkeep.explained(Failure::new("gameworlds of ended games are not retired")));
        }
        clock::wait_until(clock::now() + Duration::from_millis(20));
    }
    Ok(())
}

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
    let joined = join_players(starkeep, &game.id, 1..=players)?;
    let mut commands: Vec<Vec<String>> = vec![Vec::new(); players];
    let all = u32::try_from(players).unwrap_or(u32::MAX) * robots_of_each;
    let told = by_several(all, |number| {
        let Player { id, token } = &joined[(number / robots_of_each) as usize];
        let robot = format!("b81e9d53-07c2-4f6a-8e45-{number:012}");
        put(starkeep, &format!("/robots/{robot}"), &format!(r#"{{"playerId":"{id}"}}"#))?;
        Ok(format!(
            r#"{{"gameId":"{}","playerToken":"{token}","robotId":"{robot}","commandType":"movement","commandObject":{{"commandType":"movement","planetId":"6f2a1c04-58be-4d7e-9a31-{number:012}"}}}}"#,
            game.id
        ))
    })?;
    for (command, number) in told.into_iter().zip(0..) {
        commands[(number / robots_of_each) as usize].push(command);
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
    let (first, count) = (*numbers.start(), u32::try_from(numbers.count()).unwrap_or(u32::MAX));
    by_several(count, |number| {
        let number = first + number as usize;
        let registration = format!(r#"{{"name":"player {number}","email":"{number}@example.org"}}"#);
        let player: Player = post_json(starkeep, "/players", &registration)?;
        put(starkeep, &format!("/games/{game}/players/{}", player.token), "")?;
        Ok(player)
    })
}

fn post_json<T: DeserializeOwned>(starkeep: &Server, path: &str, body: &str) -> Result<T, Failure> {
    http::exchange(starkeep.address, &http::post(starkeep.address, path, body), 201, |answer| {
        serde_json::from_slice(answer.body).during("reading the answer")
    })
}

fn put(starkeep: &Server, path: &str, body: &str) -> Result<(), Failure> {
    http::exchange(starkeep.address, &http::put(starkeep.address, path, body), 200, |_| Ok(()))
}
