//! The executable from outside: real processes, real sockets, real files, and the promises that must hold however it ends.
//! What needs no process (rules, wire, stores) is tested beside the code that keeps it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod game_time;
mod http;
mod journal;
mod message;
mod patience;
mod program;
mod proxy;
mod relayed;
mod rounds;
mod scale;
mod stage;
mod traffic;

mod bots;
mod client_walk;
mod clock_frozen;
mod clock_survives;
mod crowds;
mod data_dir;
mod ending;
mod events_command;
mod events_memory;
mod events_survive;
mod flags;
mod kafka_away;
mod kafka_listens;
mod kafka_records;
mod kafka_survives;
mod killed_create;
mod killed_map;
mod killed_start;
mod map_away;
mod restart;
mod stopping;
mod tokens;
