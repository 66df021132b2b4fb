//! The measured paths, one row each: what is measured, beside what, and how good is good enough.
//! A new path is a further row and, in `pairs`, a function that prepares both of its sides.

use std::path::Path;

use crate::failure::Failure;
use crate::lateness::Deadlines;
use crate::pairs::{
    LONG, Pair, SHORT, balancing, balancing_small, beside_a_broker, commands, created_with, drawing, events,
    large_rounds, largest_world, lateness, mined_with, minings, planet, resumes, starts, turbo,
    waits_for_largest_world,
};

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
    MeasuredPath {
        name: "draw-1m",
        what: "planets drawn, in a world of 1,000,000",
        beside: "the same, in a world of 1,000",
        at_least: 0.67,
        figure: Figure::Rate,
        prepare: |_| Ok(drawing(102_000, 100)),
    },
    MeasuredPath {
        name: "draw-100k",
        what: "planets drawn, in a world of 100,000",
        beside: "the same, in a world of 1,000",
        at_least: 0.67,
        figure: Figure::Rate,
        prepare: |_| Ok(drawing(10_200, 100)),
    },
    MeasuredPath {
        name: "draw-10k",
        what: "planets drawn, in a world of 10,000",
        beside: "the same, in a world of 1,000",
        at_least: 0.67,
        figure: Figure::Rate,
        prepare: |_| Ok(drawing(1_020, 100)),
    },
    MeasuredPath {
        name: "balance-1k",
        what: "planets of balanced worlds of 1,000 for 99 players, draw and balance",
        beside: "the draw alone",
        at_least: 0.091,
        figure: Figure::Rate,
        prepare: |_| Ok(balancing(99)),
    },
    MeasuredPath {
        name: "balance-100k",
        what: "planets of balanced worlds of 100,000, draw and balance",
        beside: "the draw alone",
        at_least: 0.091,
        figure: Figure::Rate,
        prepare: |_| Ok(balancing(10_000)),
    },
    MeasuredPath {
        name: "balance-1m",
        what: "planets of balanced worlds of 1,000,000, draw and balance",
        beside: "the draw alone",
        at_least: 0.091,
        figure: Figure::Rate,
        prepare: |_| Ok(balancing(102_000)),
    },
    MeasuredPath {
        name: "balance-small",
        what: "p99 of a balanced world for 9 players, draw and balance",
        beside: "50 ms, the most that a small world may take",
        at_least: 1.0,
        figure: Figure::Lateness,
        prepare: |_| Ok(balancing_small(9)),
    },
    MeasuredPath {
        name: "world-largest",
        what: "POST /gameworlds for 10,000 players",
        beside: "the draw alone",
        at_least: 0.04,
        figure: Figure::Rate,
        prepare: largest_world,
    },
    MeasuredPath {
        name: "world-largest-others",
        what: "the longest wait of others for a world for 10,000 players",
        beside: "50 ms, the most that they may wait",
        at_least: 1.0,
        figure: Figure::Lateness,
        prepare: waits_for_largest_world,
    },
];
