//! Tests of the trading service: every endpoint over its router, with a clock that the tests move themselves and a robot
//! service in memory. The rules of markets are tested in the core, commits in the platform.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod batches;
mod catching_up;
mod checks;
mod contract;
mod crashes;
mod fake_robots;
mod following;
mod harness;
mod histories;
mod ownership;
mod prices;
mod reading;
mod replicas;
mod robot_faults;
mod robot_wire;
mod streams;
mod turns;
mod worked_example;
