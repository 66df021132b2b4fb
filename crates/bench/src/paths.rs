//! The measured paths, one entry each: how both sides are prepared, over the public interface wherever it is
//! quick enough, and what they are then asked.
//! A new path is a further entry in the table and a function that makes its pair.

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

/// One row of the report.
pub(crate) struct MeasuredPath {
    /// What `--only` takes.
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) beside: &'static str,
    /// The least ratio, ours to bare, that is good enough.
    pub(crate) at_least: f64,
    pub(crate) figure: Figure,
    /// Starts and prepares both sides, given the executable of the real program.
    pub(crate) prepare: fn(&Path) -> Result<Pair, Failure>,
}

/// What a ratio is made of.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    /// How much was done in a second.
    Rate,
    /// By how much the latest hundredth of what has its time came after it.
    Lateness,
}

/// Both sides of a path, running and ready to be measured in turns.
pub(crate) struct Pair {
    pub(crate) ours: Measure,
    pub(crate) bare: Measure,
}

/// Takes one slice of one side; owns the process that it measures.
pub(crate) type Measure = Box<dyn FnMut(Slice) -> Result<Sample, Failure>>;

pub(crate) const PATHS: &[MeasuredPath] = &[
    MeasuredPath {
        name: "planet",
        what: "GET /planets/{id}",
        beside: "bare axum, same bytes",
        at_least: 0.85,
        figure: Figure::Rate,
        prepare: planet,
    },
    MeasuredPath {
        name: "minings-64",
        what: "POST minings, 64 clients, durable",
        beside: "bare axum + SQLite group commit of one row and one event",
        at_least: 0.8,
        figure: Figure::Rate,
        prepare: |executable| minings(executable, 64),
    },
    MeasuredPath {
        name: "minings-1",
        what: "POST minings, 1 client, durable",
        beside: "the same, 1 client",
        at_least: 0.8,
        figure: Figure::Rate,
        prepare: |executable| minings(executable, 1),
    },
    MeasuredPath {
        name: "commands-256",
        what: "POST /commands, 256 clients, durable",
        beside: "bare axum + SQLite group commit of one row and one event, 256 clients",
        at_least: 0.7,
        figure: Figure::Rate,
        prepare: commands,
    },
    MeasuredPath {
        name: "events-1",
        what: "events delivered, 1 SSE reader, one core",
        beside: "bare axum SSE loop",
        at_least: 0.6,
        figure: Figure::Rate,
        prepare: |executable| events(executable, 1),
    },
    MeasuredPath {
        name: "events-100",
        what: "events delivered, 100 SSE readers, one core",
        beside: "bare axum SSE loop, 100 readers",
        at_least: 0.6,
        figure: Figure::Rate,
        prepare: |executable| events(executable, 100),
    },
    MeasuredPath {
        name: "start-1m",
        what: "start until /health answers, log of 1,000,000 events",
        beside: "the same, log of 10,000 events",
        at_least: 0.8,
        figure: Figure::Rate,
        prepare: |executable| Ok(Pair { ours: starts(executable, LONG)?, bare: starts(executable, SHORT)? }),
    },
    MeasuredPath {
        name: "resume-1m",
        what: "first event of a resume near the end, log of 1,000,000 events",
        beside: "the same, log of 10,000 events",
        at_least: 0.8,
        figure: Figure::Rate,
        prepare: |executable| {
            Ok(Pair { ours: resumes(executable, LONG)?, bare: resumes(executable, SHORT)? })
        },
    },
    MeasuredPath {
        name: "kafka-away-minings",
        what: "POST minings, 64 clients, Kafka away",
        beside: "the same with Kafka there",
        at_least: 0.9,
        figure: Figure::Rate,
        prepare: |executable| beside_a_broker(executable, mined_with),
    },
    MeasuredPath {
        name: "kafka-away-games",
        what: "POST /games, 4 clients, Kafka away",
        beside: "the same with Kafka there",
        at_least: 0.9,
        figure: Figure::Rate,
        prepare: |executable| beside_a_broker(executable, created_with),
    },
    MeasuredPath {
        name: "lateness-1",
        what: "p99 lateness of boundaries, 1 game, rounds of 100 ms",
        beside: "bare loop over deadlines + SQLite group commit of one row each",
        at_least: 0.67,
        figure: Figure::Lateness,
        prepare: |executable| lateness(executable, Deadlines { games: 1, round_millis: 100 }),
    },
    MeasuredPath {
        name: "lateness-1000",
        what: "p99 lateness of boundaries, 1,000 games, rounds of 500 ms",
        beside: "the same, 1,000 timers",
        at_least: 0.67,
        figure: Figure::Lateness,
        prepare: |executable| lateness(executable, Deadlines { games: 1_000, round_millis: 500 }),
    },
    MeasuredPath {
        name: "round-10000",
        what: "commands executed, a round of 100 players with 10,000 robots",
        beside: "bare axum + SQLite group commit of one row and one event, 256 clients",
        at_least: 0.33,
        figure: Figure::Rate,
        prepare: large_rounds,
    },
    MeasuredPath {
        name: "turbo-2",
        what: "rounds in turbo, 2 players, a move or mining each",
        beside: "the same game without commands",
        at_least: 0.2,
        figure: Figure::Rate,
        prepare: |executable| Ok(Pair { ours: turbo(executable, true)?, bare: turbo(executable, false)? }),
    },
];

/// Logs that are to be started on and resumed from in the same time.
const LONG: u32 = 1_000_000;
const SHORT: u32 = 10_000;

/// More than a reader takes in the longest slice, so that it stays on one connection here and on the bare side:
/// what is measured is the delivery, and not how new connections get up to speed.
const STREAMED: u32 = 1_000_000;

/// Enough connections that a server always has a next request waiting.
const READERS: usize = 64;

const COMMANDERS: usize = 256;

/// Several worlds, so that their deposits outlast the longest run.
const WORLDS: u32 = 4;

fn planet(executable: &Path) -> Result<Pair, Failure> {
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

fn minings(executable: &Path, clients: usize) -> Result<Pair, Failure> {
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
fn commands(executable: &Path) -> Result<Pair, Failure> {
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
fn beside_a_broker(
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

fn mined_with(executable: &Path, broker: &str) -> Result<Measure, Failure> {
    let starkeep = Server::starkeep(executable, &home()?, MAP, &["--kafka", broker])?;
    for seed in 1..=WORLDS {
        create_world(&starkeep, 4, seed)?;
    }
    let planets = planets_with_deposits(&starkeep)?;
    Ok(mines(starkeep, planets, 64))
}

fn created_with(executable: &Path, broker: &str) -> Result<Measure, Failure> {
    let starkeep = Server::starkeep(executable, &home()?, GAME, &["--kafka", broker])?;
    let request = http::post(starkeep.address, "/games", r#"{"maxRounds":1,"maxPlayers":1}"#);
    Ok(under_load(starkeep, [request], 4, 201))
}

/// A long log of stations, read from its beginning; beside it there is no log at all.
fn events(executable: &Path, readers: usize) -> Result<Pair, Failure> {
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

fn starts(executable: &Path, log: u32) -> Result<Measure, Failure> {
    let home = home_with_log(executable, log)?;
    let starting = Starting { executable: executable.to_owned(), home };
    Ok(Box::new(move |slice| starting.run(slice)))
}

/// The events of a large world at the end of the log; a reader comes back to another page of it each time, so
/// that what it asks for is not in memory.
fn resumes(executable: &Path, log: u32) -> Result<Measure, Failure> {
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
fn lateness(executable: &Path, deadlines: Deadlines) -> Result<Pair, Failure> {
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

fn large_rounds(executable: &Path) -> Result<Pair, Failure> {
    let mut rounds = LargeRounds::prepare(executable)?;
    let rows = (1..=bare::ROWS).map(|row| row.to_string()).collect();
    let bare = mines(Server::bare_commit()?, rows, COMMANDERS);
    Ok(Pair { ours: Box::new(move |_| rounds.run()), bare })
}

fn turbo(executable: &Path, with_commands: bool) -> Result<Measure, Failure> {
    let mut turbo = Turbo::prepare(executable, with_commands)?;
    Ok(Box::new(move |slice| turbo.run(slice)))
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
