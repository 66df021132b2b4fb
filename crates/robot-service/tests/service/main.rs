//! Tests of the robot service: every endpoint over its router, with a map and a game service in memory and a clock that the
//! tests move themselves. The rules of robots are tested in the core, commits in the platform.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod admission;
mod commands;
mod crashes;
mod events;
mod fake_game;
mod fake_map;
mod fighting;
mod gateways;
mod harness;
mod health;
mod history;
mod mining;
mod moving;
mod orders;
mod ownership;
mod reading;
mod recording;
mod replicas;
mod spawning;
mod stream;
mod surroundings;
mod words;
mod worked_example;
