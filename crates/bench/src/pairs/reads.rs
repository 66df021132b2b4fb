//! What is looked up: planets of large worlds while others mine, the time of a game, the list of games.
//! Beside it, a bare server that has the answer already.

use std::path::Path;

use starkeep_map_core::Rng;

use super::{Measure, Pair, loaded, under_load};
use crate::bare::ROWS;
use crate::failure::Failure;
use crate::http;
use crate::load::{Asked, Load};
use crate::prepare::{self, Planet, create_games, create_world, mining, start_game};
use crate::program::{Server, home};

/// Enough connections that a server always has a next request waiting.
pub(crate) const READERS: usize = 64;

/// One in so many requests mines.
const MINED_EVERY: usize = 100;

/// So many answers tell their mean size.
const WEIGHED: usize = 200;

/// An answer as it is, or as another is to be.
struct Body {
    bytes: Vec<u8>,
    content_type: String,
}

/// Random planets of a world for so many players.
pub(crate) fn planets(executable: &Path, players: u32, clients: usize) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_map(executable, &home()?)?;
    let world = create_world(&starkeep, players, 1)?;
    let planets = prepare::planets(&starkeep, &world)?;
    let mean = mean_answer(&starkeep, &planets)?;
    let bare = Server::bare_static(&mean.bytes, &mean.content_type)?;
    let rich: Vec<_> =
        planets.iter().filter(|planet| planet.is_rich()).map(|planet| planet.id.clone()).collect();
    let rows: Vec<_> = (1..=ROWS).map(|row| row.to_string()).collect();
    Ok(Pair {
        ours: looks_up(starkeep, &planets, &rich, clients),
        bare: looks_up(bare, &planets, &rows, clients),
    })
}

/// In an order without order; what is mined is spread over `mined`, which the server has.
pub(crate) fn looks_up(server: Server, planets: &[Planet], mined: &[String], clients: usize) -> Measure {
    let address = server.address;
    let mut order: Vec<_> = planets.iter().collect();
    Rng::from_seed(1).shuffle(&mut order);
    let asked = order.iter().enumerate().map(|(number, planet)| {
        if number % MINED_EVERY == 0 && !mined.is_empty() {
            let mined = &mined[number / MINED_EVERY % mined.len()];
            Asked { request: mining(address, mined), expected: 201 }
        } else {
            Asked { request: http::get(address, &format!("/planets/{}", planet.id)), expected: 200 }
        }
    });
    let load = Load::prepared(address, asked.collect::<Vec<_>>(), clients);
    loaded(load, server)
}

/// The answer whose size is nearest to the mean of many.
fn mean_answer(starkeep: &Server, planets: &[Planet]) -> Result<Body, Failure> {
    let step = planets.len().div_ceil(WEIGHED).max(1);
    let bodies =
        planets.iter().step_by(step).map(|planet| body(starkeep, &format!("/planets/{}", planet.id)));
    let bodies: Vec<Body> = bodies.collect::<Result<_, _>>()?;
    let mean = bodies.iter().map(|body| body.bytes.len()).sum::<usize>() / bodies.len().max(1);
    let nearest = bodies.into_iter().min_by_key(|body| body.bytes.len().abs_diff(mean));
    nearest.ok_or_else(|| Failure::new("the world has no planet"))
}

/// The time of a game with a long round.
pub(crate) fn time(executable: &Path) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_game(executable, &home()?, 1)?;
    let game = start_game(&starkeep, r#"{"maxRounds":1,"maxPlayers":1,"duration":86400000}"#)?;
    beside_its_bytes(starkeep, &format!("/games/{game}/time"))
}

pub(crate) fn games(executable: &Path, games: u32) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_game(executable, &home()?, 1)?;
    create_games(&starkeep, games, r#"{"maxRounds":10,"maxPlayers":4}"#)?;
    beside_its_bytes(starkeep, "/games")
}

fn beside_its_bytes(starkeep: Server, path: &str) -> Result<Pair, Failure> {
    let Body { bytes, content_type } = body(&starkeep, path)?;
    let bare = Server::bare_static(&bytes, &content_type)?;
    let reads = |server: Server| {
        let request = http::get(server.address, path);
        under_load(server, [request], READERS, 200)
    };
    Ok(Pair { ours: reads(starkeep), bare: reads(bare) })
}

fn body(starkeep: &Server, path: &str) -> Result<Body, Failure> {
    let request = http::get(starkeep.address, path);
    http::exchange(starkeep.address, &request, 200, |answer| {
        Ok(Body { bytes: answer.body.to_vec(), content_type: answer.content_type.to_owned() })
    })
    .map_err(|failure| starkeep.explained(failure))
}
