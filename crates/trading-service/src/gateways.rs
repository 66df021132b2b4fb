//! The services that the trading service calls, over HTTP: the robot service, which delivers, and the game and map services,
//! which are asked where their streams have a gap.

mod others;
mod robots;

pub(crate) use self::others::HttpOthers;
pub(crate) use self::robots::HttpRobots;
