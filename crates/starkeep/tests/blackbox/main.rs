//! The executable from outside: real processes, real sockets, real files, and what must hold however it ends.
//! What needs no process (rules, wire, stores) is tested beside the code that keeps it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod bot;
mod bots;
mod chance;
mod client_methods;
mod clock_frozen;
mod clock_survives;
mod closable_port;
mod commands_survive;
mod data_dir;
mod dispatch_survives;
mod ending;
mod events_command;
mod events_memory;
mod events_survive;
mod execution_wire;
mod executors;
mod executors_away;
mod flags;
mod game_time;
mod http;
mod journal;
mod kafka_away;
mod kafka_consumes;
mod kafka_old;
mod kafka_records;
mod kafka_results;
mod kafka_survives;
mod kafka_topics;
mod killed_create;
mod killed_map;
mod killed_start;
mod many_clients;
mod many_players;
mod map_away;
mod message;
mod misplaced_secrets;
mod program;
mod proxy;
mod relayed;
mod restart;
mod rounds;
mod scale;
mod secrets;
mod stopping;
mod time_limit;
mod tokens;
mod traffic;
mod two_services;
