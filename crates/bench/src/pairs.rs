//! Both sides of each path, started and prepared over the public interface wherever it is quick enough.
//! What they are then asked, and what the figures mean, is said in `paths`.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use tempfile::TempDir;

use crate::bare;
use crate::failure::Failure;
use crate::http;
use crate::kafka::{Broker, UNREACHABLE};
use crate::large_round::LargeRounds;
use crate::lateness::{Deadlines, shifted};
use crate::load::{Load, Sample, Slice};
use crate::long_log::long_log;
use crate::one_core::OneCore;
use crate::prepare::{commands_of_players, create_world, get_json, planets_with_deposits, start_games};
use crate::program::{GAME, MAP, Server, home};
use crate::starting::Starting;
use crate::streaming::Streaming;
use crate::turbo::Turbo;
use crate::worlds::{Generating, LARGEST, LargestWorlds, Work, longest_allowed};

/// Both sides of a path, running and ready to be measured in turns.
pub(crate) struct Pair {
    pub(crate) ours: Measure,
    pub(crate) bare: Measure,
}

/// Takes one slice of one side; owns the process that it measures.
pub(crate) type Measure = Box<dyn FnMut(Slice) -> Result<Sample, Failure>>;

/// Logs that are to be started on and resumed from in the same time.
pub(crate) const LONG: u32 = 1_000_000;
pub(crate) const SHORT: u32 = 10_000;

/// More than a reader takes in the longest slice, so that it stays on one connection here and on the bare side:
/// what is measured is the delivery, and not how new connections get up to speed.
const STREAMED: u32 = 1_000_000;

/// Enough connections that a server always has a next request waiting.
const READERS: usize = 64;

const COMMANDERS: usize = 256;

/// Several worlds, so that their deposits outlast the longest run.
const WORLDS: u32 = 4;

pub(crate) fn planet(executable: &Path) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_map(executable, &home()?)?;
    create_world(&starkeep, 4, 1)?;
    let planets = planets_with_deposits(&starkeep)?;
    let path = format!("/planets/{}", planets[0]);

    let request = http::get(starkeep.address, &path);
    let bare = http::exchange(starkeep.address, &request, 200, |answer| {
        Server::bare_static(answer.body, answer.content_type)
    })?;

    let reads = |server: Server| {
        let requests = [http::get(server.address, &path)];
        under_load(server, requests, READERS, 200)
    };
    Ok(Pair { ours: reads(starkeep), bare: reads(bare) })
}

pub(crate) fn minings(executable: &Path, clients: usize) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_map(executable, &home()?)?;
    for seed in 1..=WORLDS {
        create_world(&starkeep, 4, seed)?;
    }
    let planets = planets_with_deposits(&starkeep)?;
    // As many rows as planets: a commit then dirties as many pages on either side.
    let rows = (1..=bare::ROWS).take(planets.len()).map(|row| row.to_string()).collect();
    let bare = Server::bare_commit()?;

    Ok(Pair { ours: mines(starkeep, planets, clients), bare: mines(bare, rows, clients) })
}

/// As many players as clients, each with a robot that it commands again and again in one long round.
pub(crate) fn commands(executable: &Path) -> Result<Pair, Failure> {
    let starkeep = Server::starkeep_game(executable, &home()?, 1)?;
    let sent = commands_of_players(&starkeep, COMMANDERS).map_err(|failure| starkeep.explained(failure))?;
    let address = starkeep.address;
    let requests: Vec<_> = sent.iter().map(|body| http::post(address, "/commands", body)).collect();
    let rows = (1..=bare::ROWS).take(COMMANDERS).map(|row| row.to_string()).collect();
    let bare = mines(Server::bare_commit()?, rows, COMMANDERS);
    Ok(Pair { ours: under_load(starkeep, requests, COMMANDERS, 201), bare })
}

fn mines(server: Server, ids: Vec<String>, clients: usize) -> Measure {
    let address = server.address;
    let requests = ids.into_iter().map(|id| {
        http::post(address, &format!("/planets/{id}/minings"), r#"{"mining":{"amount_requested":1}}"#)
    });
    under_load(server, requests, clients, 201)
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
    for seed in 1..=WORLDS {
        create_world(&starkeep, 4, seed)?;
    }
    let planets = planets_with_deposits(&starkeep)?;
    Ok(mines(starkeep, planets, 64))
}

pub(crate) fn created_with(executable: &Path, broker: &str) -> Result<Measure, Failure> {
    let starkeep = Server::starkeep(executable, &home()?, GAME, &["--kafka", broker])?;
    let request = http::post(starkeep.address, "/games", r#"{"maxRounds":1,"maxPlayers":1}"#);
    Ok(under_load(starkeep, [request], 4, 201))
}

/// A long log of stations, read from its beginning; beside it there is no log at all.
pub(crate) fn events(executable: &Path, readers: usize) -> Result<Pair, Failure> {
    let home = home_with_log(executable, STREAMED)?;
    let _one_core = OneCore::hold()?;
    let starkeep = Server::starkeep_map(executable, &home)?;
    let page: EventPage = get_json(&starkeep, "/events?channels=spacestation-created&limit=1")?;
    let event = page.events.first().ok_or_else(|| Failure::new("the log is empty"))?;
    let data = serde_json::json!({ "headers": event.headers, "payload": event.payload }).to_string();
    let bare = Server::bare_stream(&data)?;

    let reads = |server: Server| -> Measure {
        let request = http::get_stream(server.address, "/events?after=start").into();
        let streaming = Streaming { address: server.address, request, readers };
        Box::new(move |slice| {
            let _one_core = OneCore::hold()?;
            streaming.run(slice).map_err(|failure| server.explained(failure))
        })
    };
    Ok(Pair { ours: reads(starkeep), bare: reads(bare) })
}

pub(crate) fn starts(executable: &Path, log: u32) -> Result<Measure, Failure> {
    let home = home_with_log(executable, log)?;
    let starting = Starting { executable: executable.to_owned(), home };
    Ok(Box::new(move |slice| starting.run(slice)))
}

/// The events of a large world at the end of the log; a reader comes back to another page of it each time, so
/// that what it asks for is not in memory.
pub(crate) fn resumes(executable: &Path, log: u32) -> Result<Measure, Failure> {
    let home = home_with_log(executable, log)?;
    let starkeep = Server::starkeep_map(executable, &home)?;
    let mut page: EventPage = get_json(&starkeep, "/events?after=end")?;
    create_world(&starkeep, 6_000, 2)?;
    let mut seen = Vec::new();
    loop {
        page = get_json(&starkeep, &format!("/events?limit=256&after={}", page.next))?;
        let Some(event) = page.events.pop() else { break };
        seen.push(event.id);
    }
    drop(starkeep);
    let starkeep = Server::starkeep_map(executable, &home)?;
    // The last page has nothing after its end.
    seen.pop();
    let requests = seen
        .iter()
        .map(|id| http::get(starkeep.address, &format!("/events?limit=1&after={id}")))
        .collect::<Vec<_>>();
    Ok(under_load(starkeep, requests, 1, 200))
}

/// The games are made and started once; each turn is a process that goes on with them.
pub(crate) fn lateness(executable: &Path, deadlines: Deadlines) -> Result<Pair, Failure> {
    let home = home()?;
    let starkeep = Server::starkeep_game(executable, &home, deadlines.games)?;
    start_games(&starkeep, deadlines).map_err(|failure| starkeep.explained(failure))?;
    drop(starkeep);
    let executable = executable.to_owned();
    Ok(Pair {
        ours: Box::new(move |slice| {
            let starkeep = Server::starkeep_game(&executable, &home, deadlines.games)?;
            let met = deadlines.met_at(starkeep.address, slice);
            met.and_then(|sample| Ok(sample.at_least_as_late_as(shifted(starkeep.address)?)))
                .map_err(|failure| starkeep.explained(failure))
        }),
        bare: Box::new(move |slice| {
            let bare = Server::bare_deadlines(deadlines)?;
            deadlines.met_at(bare.address, slice).map_err(|failure| bare.explained(failure))
        }),
    })
}

pub(crate) fn large_rounds(executable: &Path) -> Result<Pair, Failure> {
    let mut rounds = LargeRounds::prepare(executable)?;
    let rows = (1..=bare::ROWS).map(|row| row.to_string()).collect();
    let bare = mines(Server::bare_commit()?, rows, COMMANDERS);
    Ok(Pair { ours: Box::new(move |_| rounds.run()), bare })
}

pub(crate) fn turbo(executable: &Path, with_commands: bool) -> Result<Measure, Failure> {
    let mut turbo = Turbo::prepare(executable, with_commands)?;
    Ok(Box::new(move |slice| turbo.run(slice)))
}

/// A large and a small world.
pub(crate) fn drawing(large: u32, small: u32) -> Pair {
    Pair { ours: generates(large, Work::Draw), bare: generates(small, Work::Draw) }
}

pub(crate) fn balancing(players: u32) -> Pair {
    Pair { ours: generates(players, Work::Generate), bare: generates(players, Work::Draw) }
}

/// Worlds with fewer than 1,000 planets: there is little to draw, so they have a limit of their own.
pub(crate) fn balancing_small(players: u32) -> Pair {
    Pair { ours: generates(players, Work::Generate), bare: Box::new(|_| Ok(longest_allowed())) }
}

fn generates(players: u32, work: Work) -> Measure {
    let mut generating = Generating { players, work, next_seed: 0 };
    Box::new(move |slice| generating.run(slice))
}

/// One world a turn, beside worlds in a second.
pub(crate) fn largest_world(executable: &Path) -> Result<Pair, Failure> {
    let worlds = LargestWorlds::prepare(executable)?;
    let mut drawing = Generating { players: LARGEST, work: Work::Draw, next_seed: 0 };
    Ok(Pair {
        ours: Box::new(move |_| worlds.make()),
        bare: Box::new(move |slice| {
            let drawn = drawing.run(slice)?;
            Ok(Sample { per_second: 1_000_000.0 / drawn.p50_micros, ..drawn })
        }),
    })
}

pub(crate) fn waits_for_largest_world(executable: &Path) -> Result<Pair, Failure> {
    let worlds = LargestWorlds::prepare(executable)?;
    Ok(Pair { ours: Box::new(move |_| worlds.wait_for()), bare: Box::new(|_| Ok(longest_allowed())) })
}

fn home_with_log(executable: &Path, events: u32) -> Result<Arc<TempDir>, Failure> {
    long_log(executable, events, |starkeep| create_world(starkeep, 4, 1))
}

#[derive(Deserialize)]
struct EventPage {
    events: Vec<PublishedEvent>,
    next: String,
}

#[derive(Deserialize)]
struct PublishedEvent {
    id: String,
    headers: serde_json::Value,
    payload: serde_json::Value,
}

fn under_load(
    server: Server,
    requests: impl IntoIterator<Item = Vec<u8>>,
    clients: usize,
    expected: u16,
) -> Measure {
    let requests: Arc<[Vec<u8>]> = requests.into_iter().collect();
    let load = Load { address: server.address, requests, clients, expected };
    Box::new(move |slice| load.run(slice).map_err(|failure| server.explained(failure)))
}
