//! The robot and the trading service together, over real HTTP between them: the recorded games of the existing services, and the
//! worked example of a whole game. Game and map are played by the test.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod both_services;
mod example_game;
mod fake_map;
mod outputs;
mod recorded;
mod recorded_differences;
mod recording;
mod robot_wire;
mod worked_example;
