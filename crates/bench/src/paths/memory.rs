//! Resident memory of the whole program, beside the most that it may have.

use super::{Figure, MeasuredPath, Mode};
use crate::pairs::memory;

pub(super) const MEMORY: &[MeasuredPath] = &[
    MeasuredPath {
        name: "memory-idle",
        what: "resident memory, four services, idle",
        beside: "the most that it may have",
        at_least: 1.0,
        figure: Figure::Memory,
        mode: Mode::Quick,
        prepare: |executable| Ok(memory::idle(executable)),
    },
    MeasuredPath {
        name: "memory-100k",
        what: "resident memory, 100,000 planets loaded",
        beside: "the most that it may have",
        at_least: 1.0,
        figure: Figure::Memory,
        mode: Mode::Quick,
        prepare: memory::large_world,
    },
    MeasuredPath {
        name: "memory-load",
        what: "resident memory, after commands, joins, minings, look-ups and streams",
        beside: "the most that it may have",
        at_least: 1.0,
        figure: Figure::Memory,
        mode: Mode::Quick,
        prepare: |executable| Ok(memory::after_load(executable)),
    },
];
