//! The memory of the real program with all four services, beside the most that it may have: idle, with a large world in it, and
//! after all kinds of load. Each turn is a process of its own.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::writes::{join, planets_to_mine};
use super::{Measure, Pair};
use crate::clock;
use crate::failure::Failure;
use crate::http;
use crate::load::{Asked, Load};
use crate::prepare::{self, commands_of_players, create_world, get_json, mining};
use crate::program::{Server, home};
use crate::sample::{Sample, Slice};
use crate::streaming::Streaming;
use crate::worlds::LARGEST;

const MEGABYTE: u64 = 1_000_000;

/// Until everything that a start sets going is done.
const SETTLED: Duration = Duration::from_secs(1);

/// Each kind of load lasts so many slices.
const SLICES: u32 = 4;

#[derive(Deserialize)]
struct Services {
    map: String,
}

pub(crate) fn idle(executable: &Path) -> Pair {
    let executable = executable.to_owned();
    let ours: Measure = Box::new(move |_| {
        let starkeep = Server::starkeep_map(&executable, &home()?)?;
        clock::wait_until(clock::now() + SETTLED);
        resident(&starkeep)
    });
    beside_limit(ours, 25)
}

/// A process that has found a large world, and was asked for its planets.
pub(crate) fn large_world(executable: &Path) -> Result<Pair, Failure> {
    let home = home()?;
    let starkeep = Server::starkeep_map(executable, &home)?;
    let world = create_world(&starkeep, LARGEST, 1)?;
    let planets = prepare::planets(&starkeep, &world)?;
    drop(starkeep);
    let executable = executable.to_owned();
    let ours: Measure = Box::new(move |slice| {
        let starkeep = Server::starkeep_map(&executable, &home)?;
        let map = starkeep.address;
        let look_ups = planets.iter().map(|planet| http::get(map, &format!("/planets/{}", planet.id)));
        asked(map, look_ups, 200, 64, slice.times(SLICES)).map_err(|failure| starkeep.explained(failure))?;
        resident(&starkeep)
    });
    Ok(beside_limit(ours, 60))
}

pub(crate) fn after_load(executable: &Path) -> Pair {
    let executable = executable.to_owned();
    let ours: Measure = Box::new(move |slice| {
        let mut starkeep = Server::starkeep_game(&executable, &home()?, 1)?;
        load(&mut starkeep, slice.times(SLICES)).map_err(|failure| starkeep.explained(failure))?;
        resident(&starkeep)
    });
    beside_limit(ours, 100)
}

/// Minings, look-ups, streams, commands and joins, one after the other.
fn load(starkeep: &mut Server, slice: Slice) -> Result<(), Failure> {
    let game = starkeep.address;
    let services: Services = get_json(starkeep, "/services")?;
    let map = http::address_of(&services.map)?;
    starkeep.address = map;
    let planets = planets_to_mine(starkeep)?;
    asked(map, planets.iter().map(|id| mining(map, id)), 201, 64, slice)?;
    asked(map, planets.iter().map(|id| http::get(map, &format!("/planets/{id}"))), 200, 64, slice)?;
    let request = http::get_stream(map, "/events?after=start").into();
    Streaming { address: map, request, readers: 100 }.run(slice)?;

    starkeep.address = game;
    let commands = commands_of_players(starkeep, 256, 1)?;
    let commands = commands.iter().flatten().map(|body| http::post(game, "/commands", body));
    asked(game, commands, 201, 256, slice)?;
    join(starkeep, 64)?.run(slice).map(drop)
}

fn asked(
    address: SocketAddr,
    requests: impl Iterator<Item = Vec<u8>>,
    expected: u16,
    clients: usize,
    slice: Slice,
) -> Result<(), Failure> {
    let requests = requests.map(|request| Asked { request, expected }).collect::<Vec<_>>();
    Load::prepared(address, requests, clients).run(slice).map(drop)
}

fn resident(starkeep: &Server) -> Result<Sample, Failure> {
    starkeep.resident_memory().map(Sample::of_memory)
}

fn beside_limit(ours: Measure, megabytes: u64) -> Pair {
    Pair { ours, bare: Box::new(move |_| Ok(Sample::of_memory(megabytes * MEGABYTE))) }
}
