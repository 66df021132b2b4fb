//! The table of targets: everything that reads bytes from outside, and what must hold whatever they are.

mod archive;
mod asked_map;
mod changes;
mod positions;
mod requests;
mod streams;
mod world_checks;
mod worlds;

use starkeep_contract::Dialect;
use starkeep_game_service::store::Games;
use starkeep_map_service::store::Maps;
use starkeep_robot_service::store::Robots;
use starkeep_trading_service::store::Trading;

use self::archive::Archives;
use self::changes::Changes;
use self::positions::Positions;
use self::requests::Requests;
use self::streams::Streams;
use self::worlds::Worlds;
use crate::services::{game, map, robot, trading};
use crate::target::Target;

pub const TARGETS: &[Target] = &[
    Target {
        name: "game",
        about: "requests to the game service: answered as its contract says, and it stays well",
        open: || Box::new(Requests::to(game::open(Dialect::Standard))),
    },
    Target {
        name: "game-msd",
        about: "the same in the msd dialect",
        open: || Box::new(Requests::to(game::open(Dialect::Msd))),
    },
    Target {
        name: "map",
        about: "requests to the map service, in the same way",
        open: || Box::new(Requests::to(map::open()).except(map::takes_long)),
    },
    Target {
        name: "robot",
        about: "requests to the robot service, in the same way",
        open: || Box::new(Requests::to(robot::open())),
    },
    Target {
        name: "trading",
        about: "requests to the trading service, in the same way",
        open: || Box::new(Requests::to(trading::open())),
    },
    Target {
        name: "position",
        about: "positions in event logs: a reader gets what is after it, or a gap and all",
        open: || Box::new(Positions::open()),
    },
    Target {
        name: "stream",
        about: "streams of events: in whatever pieces they come, a client reads the same",
        open: || Box::new(Streams::open()),
    },
    Target {
        name: "world",
        about: "gameworlds by hand: shown as they were given, and they can be played in",
        open: || Box::new(Worlds::open()),
    },
    Target {
        name: "archive",
        about: "files of `starkeep export`: all of a file is taken, or nothing",
        open: || Box::new(Archives::open()),
    },
    Target {
        name: "game-changes",
        about: "stored changes of the game service: written as they were read",
        open: || Box::new(Changes::<Games>::new()),
    },
    Target {
        name: "map-changes",
        about: "stored changes of the map service",
        open: || Box::new(Changes::<Maps>::new()),
    },
    Target {
        name: "robot-changes",
        about: "stored changes of the robot service",
        open: || Box::new(Changes::<Robots>::new()),
    },
    Target {
        name: "trading-changes",
        about: "stored changes of the trading service",
        open: || Box::new(Changes::<Trading>::new()),
    },
];

pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
