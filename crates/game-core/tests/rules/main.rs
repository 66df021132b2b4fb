//! The rules as tables: one row for each case that the interface names, whole rejections and event lists compared.
//! Histories that nobody thought of are in `history`, where they are made up at random.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod commanding;
mod creating;
mod ending;
mod freezing;
mod history;
mod joining;
mod legal_history;
mod pacing;
mod pausing;
mod rejections;
mod replenishing;
mod robot_games;
mod samples;
mod schedule;
mod settings;
mod starting;
