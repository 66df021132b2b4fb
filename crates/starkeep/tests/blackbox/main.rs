//! The executable from outside: real processes, real sockets, real files, and the promises that must hold however it ends.
//! What needs no process (rules, wire, stores) is tested beside the code that keeps it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bot;
mod chance;
mod door;
mod execution_wire;
mod executors;
mod game_time;
mod http;
mod journal;
mod message;
mod misplaced;
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
mod commands_survive;
mod crowds;
mod data_dir;
mod dispatch_survives;
mod ending;
mod events_command;
mod events_memory;
mod events_survive;
mod executors_away;
mod flags;
mod kafka_away;
mod kafka_listens;
mod kafka_old;
mod kafka_records;
mod kafka_survives;
mod kafka_topics;
mod killed_create;
mod killed_map;
mod killed_start;
mod many_players;
mod map_away;
mod restart;
mod secrets;
mod stopping;
mod tokens;
