//! The same at three sizes: what a unit costs at the middle and at the largest size, beside the smallest.

use super::{Figure, MeasuredPath, Mode};
use crate::lateness::Deadlines;
use crate::pairs::growth;
use crate::pairs::streams::{LONG, MEDIUM};
use crate::worlds::LARGEST;

pub(super) const GROWTH: &[MeasuredPath] = &[
    MeasuredPath {
        name: "grow-planets-10k",
        what: "GET /planets/{id}, a world of 10,000",
        beside: "the same, a world of 1,000",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::planets(executable, 1_020, 100),
    },
    MeasuredPath {
        name: "grow-planets-100k",
        what: "GET /planets/{id}, a world of 100,000",
        beside: "the same, a world of 1,000",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::planets(executable, LARGEST, 100),
    },
    MeasuredPath {
        name: "grow-games-30",
        what: "boundaries in a second of CPU, 30 games",
        beside: "the same, 1 game",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::games(executable, Deadlines { games: 30, round_millis: 100 }),
    },
    MeasuredPath {
        name: "grow-games-1000",
        what: "boundaries in a second of CPU, 1,000 games",
        beside: "the same, 1 game",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::games(executable, Deadlines { games: 1_000, round_millis: 500 }),
    },
    MeasuredPath {
        name: "grow-readers-50",
        what: "events delivered, 50 SSE readers, one core",
        beside: "the same, 1 reader",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::readers(executable, 50),
    },
    MeasuredPath {
        name: "grow-readers-2000",
        what: "events delivered, 2,000 SSE readers, one core",
        beside: "the same, 1 reader",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::readers(executable, 2_000),
    },
    MeasuredPath {
        name: "grow-log-100k",
        what: "first event of a resume near the end, log of 100,000 events",
        beside: "the same, log of 10,000 events",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::log(executable, MEDIUM),
    },
    MeasuredPath {
        name: "grow-log-1m",
        what: "first event of a resume near the end, log of 1,000,000 events",
        beside: "the same, log of 10,000 events",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::log(executable, LONG),
    },
    MeasuredPath {
        name: "grow-robots-1000",
        what: "commands executed, a round with 1,000 robots",
        beside: "the same, 100 robots",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::robots(executable, 10),
    },
    MeasuredPath {
        name: "grow-robots-10000",
        what: "commands executed, a round with 10,000 robots",
        beside: "the same, 100 robots",
        at_least: 0.67,
        figure: Figure::Rate,
        mode: Mode::Full,
        prepare: |executable| growth::robots(executable, 100),
    },
];
