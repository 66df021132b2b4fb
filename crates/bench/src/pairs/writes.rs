//! What is written and durable before its answer: minings, commands one by one and in batches, players and their joins.
//! Beside it, a bare server that commits as many at once and knows nothing of what it stores.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::{Measure, Pair, loaded, under_load};
use crate::bare::{ROWS, Stored};
use crate::failure::Failure;
use crate::http;
use crate::joining::{self, Joining};
use crate::kafka::{Broker, UNREACHABLE};
use crate::load::Load;
use crate::prepare::{commands_of_players, create_games, mining, planets_with_deposits};
use crate::program::{GAME, MAP, Server, home};

const COMMANDERS: usize = 256;
const JOINERS: usize = 64;
const BATCHERS: usize = 16;
const COMMANDS_OF_A_BATCH: u32 = 50;

/// Several worlds, so that their deposits outlast the longest run.
const WORLDS: u32 = 4;

pub(crate) fn minings(executable: &Path, clients: usize) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_map(executable, &home()?)?;
    let planets = planets_to_mine(&starkeep)?;
    // As many rows as planets: a commit then dirties as many pages on either side.
    let rows = rows(planets.len());
    let bare = Server::bare_commit(Stored::RowAndEvent)?;
    Ok(Pair { ours: mines(starkeep, &planets, clients), bare: mines(bare, &rows, clients) })
}

/// As many players as clients, each with a robot that it commands again and again in one long round.
pub(crate) fn commands(executable: &Path, beside: Stored) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_game(executable, &home()?, 1)?;
    let ours = commands_one_by_one(starkeep, COMMANDERS)?;
    Ok(Pair { ours, bare: bare_commits(beside, COMMANDERS)? })
}

fn commands_one_by_one(starkeep: Server, clients: usize) -> Result<Measure, Failure> {
    let sent = commands_of_players(&starkeep, clients, 1).map_err(|failure| starkeep.explained(failure))?;
    let address = starkeep.address;
    let requests: Vec<_> = sent.iter().flatten().map(|body| http::post(address, "/commands", body)).collect();
    Ok(under_load(starkeep, requests, clients, 201))
}

/// Players who each send the commands of all of their robots at once; what is counted are commands.
pub(crate) fn batches(executable: &Path) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_game(executable, &home()?, 1)?;
    let sent = commands_of_players(&starkeep, BATCHERS, COMMANDS_OF_A_BATCH);
    let sent = sent.map_err(|failure| starkeep.explained(failure))?;
    let address = starkeep.address;
    let batch =
        |commands: &Vec<String>| http::post(address, "/commands/batch", &format!("[{}]", commands.join(",")));
    let requests: Vec<_> = sent.iter().map(batch).collect();
    for request in &requests {
        http::exchange(address, request, 200, all_taken).map_err(|failure| starkeep.explained(failure))?;
    }
    let mut ours = under_load(starkeep, requests, BATCHERS, 200);
    Ok(Pair {
        ours: Box::new(move |slice| Ok(ours(slice)?.in_parts(COMMANDS_OF_A_BATCH))),
        bare: bare_commits(Stored::RowAndEvent, BATCHERS)?,
    })
}

fn all_taken(answer: &http::Answer<'_>) -> Result<(), Failure> {
    let taken = String::from_utf8_lossy(answer.body).matches(r#""status":201"#).count();
    if taken == COMMANDS_OF_A_BATCH as usize {
        return Ok(());
    }
    Err(Failure::new(format!("{taken} commands of a batch were taken: {}", answer.shown())))
}

pub(crate) fn joins(executable: &Path) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_game(executable, &home()?, 1)?;
    let load = join(&starkeep, JOINERS)?;
    Ok(Pair { ours: loaded(load, starkeep), bare: bare_commits(Stored::RowAndEvent, JOINERS)? })
}

/// Clients that register players and let them join games, one game after the other.
pub(crate) fn join(starkeep: &Server, clients: usize) -> Result<Load, Failure> {
    let (address, named) = (starkeep.address, Arc::new(AtomicU32::new(0)));
    let games: Arc<[String]> = create_games(starkeep, joining::GAMES, joining::GAME)?.into();
    Ok(Load::new(address, clients, move |_| Box::new(Joining::new(address, named.clone(), games.clone()))))
}

/// The bare side of everything that commits.
pub(crate) fn bare_commits(stored: Stored, clients: usize) -> Result<Measure, Failure> {
    Ok(mines(Server::bare_commit(stored)?, &rows(clients), clients))
}

/// The ids of so many rows of the bare program, or of all.
pub(crate) fn rows(count: usize) -> Vec<String> {
    (1..=ROWS).take(count).map(|row| row.to_string()).collect()
}

pub(crate) fn mines(server: Server, ids: &[String], clients: usize) -> Measure {
    let requests: Vec<_> = ids.iter().map(|id| mining(server.address, id)).collect();
    under_load(server, requests, clients, 201)
}

pub(crate) fn planets_to_mine(starkeep: &Server) -> Result<Vec<String>, Failure> {
    let worlds = (1..=WORLDS).map(|seed| planets_with_deposits(starkeep, seed));
    Ok(worlds.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The same requests to a program whose broker is unreachable, and to one whose broker is reachable.
pub(crate) fn beside_a_broker(
    executable: &Path,
    asked: fn(&Path, &str) -> Result<Measure, Failure>,
) -> Result<Pair, Failure> {
    let broker = Broker::start()?;
    let (ours, mut there) = (asked(executable, UNREACHABLE)?, asked(executable, &broker.address)?);
    let bare = Box::new(move |slice| {
        let _lives_as_long = &broker;
        there(slice)
    });
    Ok(Pair { ours, bare })
}

pub(crate) fn mined_with(executable: &Path, broker: &str) -> Result<Measure, Failure> {
    let starkeep = Server::starkeep(executable, &home()?, MAP, &["--kafka", broker])?;
    let planets = planets_to_mine(&starkeep)?;
    Ok(mines(starkeep, &planets, 64))
}

pub(crate) fn created_with(executable: &Path, broker: &str) -> Result<Measure, Failure> {
    let starkeep = Server::starkeep(executable, &home()?, GAME, &["--kafka", broker])?;
    let request = http::post(starkeep.address, "/games", r#"{"maxRounds":1,"maxPlayers":1}"#);
    Ok(under_load(starkeep, [request], 4, 201))
}
