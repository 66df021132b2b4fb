//! Games: their clock, their rounds, and a restart with many of them.

use super::{Figure, MeasuredPath, Mode};
use crate::lateness::Deadlines;
use crate::pairs::{Pair, clocks, latencies, rounds};

pub(super) const GAMES: &[MeasuredPath] = &[
    MeasuredPath {
        name: "lateness-1",
        what: "p99 lateness of boundaries, 1 game, rounds of 100 ms, 4 programs",
        beside: "bare loop over deadlines + SQLite group commit of one row each",
        at_least: 0.67,
        figure: Figure::Lateness,
        mode: Mode::Quick,
        prepare: |executable| {
            clocks::lateness_of_one(executable, Deadlines { games: 1, round_millis: 100 }, 4)
        },
    },
    MeasuredPath {
        name: "lateness-1000",
        what: "p99 lateness of boundaries, 1,000 games, rounds of 500 ms",
        beside: "the same, 1,000 timers",
        at_least: 0.67,
        figure: Figure::Lateness,
        mode: Mode::Quick,
        prepare: |executable| {
            clocks::lateness_of_many(executable, Deadlines { games: 1_000, round_millis: 500 })
        },
    },
    MeasuredPath {
        name: "latency-result",
        what: "p99 from the end of the input to a command's result, 100 commands, half load",
        beside: "bare axum + SQLite group commit, as many at once",
        at_least: 0.5,
        figure: Figure::Lateness,
        mode: Mode::Quick,
        prepare: latencies::input_end_to_result,
    },
    MeasuredPath {
        name: "round-10000",
        what: "commands executed, a round of 100 players with 10,000 robots",
        beside: "bare axum + SQLite group commit of one row and one event, 256 clients",
        at_least: 0.5,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: rounds::large_rounds,
    },
    MeasuredPath {
        name: "turbo-1",
        what: "rounds in turbo, 1 game of 2 bots, a move or mining each",
        beside: "bare loop of as many dependent commits",
        at_least: 0.5,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: |executable| rounds::turbo_beside_commits(executable, 1),
    },
    MeasuredPath {
        name: "turbo-100",
        what: "rounds in turbo, 100 games of 2 bots, a move or mining each",
        beside: "100 such loops at once",
        at_least: 0.5,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: |executable| rounds::turbo_beside_commits(executable, 100),
    },
    MeasuredPath {
        name: "turbo-idle",
        what: "rounds in turbo, 1 game of 2 bots, a move or mining each",
        beside: "the same game without commands",
        at_least: 0.2,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| {
            let turbo = |with_commands| rounds::turbo(executable, 1, with_commands);
            Ok(Pair { ours: turbo(true)?, bare: turbo(false)? })
        },
    },
    MeasuredPath {
        name: "restart",
        what: "start until /health answers, 1,000,000 events and 1,000 ended games",
        beside: "the same, 10,000 events and 10 ended games",
        at_least: 0.83,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: |executable| {
            let starts = |games, log| clocks::starts(executable, games, log);
            Ok(Pair { ours: starts(1_000, 1_000_000)?, bare: starts(10, 10_000)? })
        },
    },
];
