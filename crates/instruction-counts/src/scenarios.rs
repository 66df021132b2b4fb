//! Everything that is counted: a name, how often it is done, and a function that sets it up and does it.
//! A figure is the count of all repetitions divided by their number; of pages, a hundred times that.

mod events;
mod game_core;
mod game_service;
mod map_core;
mod map_service;
mod robot_core;
mod robot_service;
mod trading_core;

pub(crate) struct Scenario {
    /// Part, and what is done there once.
    pub(crate) name: &'static str,
    pub(crate) times: u32,
    /// Sets it up, and does it that often within `measured::count`.
    pub(crate) run: fn(u32),
}

/// A kind of commit whose pages in the write-ahead log are counted.
pub(crate) struct Commits {
    pub(crate) name: &'static str,
    pub(crate) times: u32,
    /// The number of requests in a commit.
    at_once: u32,
    /// Given `times` and `at_once`, the pages of a hundred commits.
    run: fn(u32, u32) -> u64,
}

impl Commits {
    pub(crate) fn pages(&self, times: u32) -> u64 {
        (self.run)(times, self.at_once)
    }
}

pub(crate) const COMMITS: &[Commits] = &[
    Commits { name: "command", times: 100, at_once: 1, run: game_service::pages_of_commands },
    Commits { name: "64 commands", times: 20, at_once: 64, run: game_service::pages_of_commands },
    Commits { name: "join", times: 100, at_once: 1, run: game_service::pages_of_joins },
    Commits { name: "64 joins", times: 20, at_once: 64, run: game_service::pages_of_joins },
    Commits { name: "mining", times: 100, at_once: 1, run: map_service::pages_of_minings },
    Commits { name: "64 minings", times: 20, at_once: 64, run: map_service::pages_of_minings },
    Commits { name: "move", times: 100, at_once: 1, run: robot_service::pages_of_moves },
    Commits { name: "64 moves", times: 20, at_once: 64, run: robot_service::pages_of_moves },
];

pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario { name: "game-core: create a game", times: 1_000, run: game_core::create_a_game },
    Scenario { name: "game-core: end a phase", times: 1_000, run: game_core::end_a_phase },
    Scenario { name: "game-core: take an order", times: 1_000, run: game_core::take_an_order },
    Scenario { name: "game-service: GET /games, 10 games", times: 100, run: game_service::list_games },
    Scenario { name: "game-service: GET /games/{id}/time", times: 100, run: game_service::show_time },
    Scenario {
        name: "game-service: POST /commands, in memory",
        times: 100,
        run: game_service::command_in_memory,
    },
    Scenario {
        name: "game-service: POST /commands, on a file",
        times: 100,
        run: game_service::command_on_a_file,
    },
    Scenario {
        name: "game-service: POST /players, on a file",
        times: 100,
        run: game_service::register_on_a_file,
    },
    Scenario { name: "game-service: PUT joins, on a file", times: 100, run: game_service::join_on_a_file },
    Scenario { name: "map-core: generate a world", times: 1, run: map_core::generate_a_world },
    Scenario { name: "map-core: mine", times: 1_000, run: map_core::mine },
    Scenario { name: "map-core: replenish 100 deposits", times: 10, run: map_core::replenish },
    Scenario { name: "map-service: GET /planets/{id}", times: 100, run: map_service::show_a_planet },
    Scenario { name: "map-service: POST minings, in memory", times: 100, run: map_service::mine_in_memory },
    Scenario { name: "map-service: POST minings, on a file", times: 100, run: map_service::mine_on_a_file },
    Scenario { name: "platform: append 10 events to the log", times: 100, run: events::append },
    Scenario { name: "platform: render an event for a stream", times: 100, run: events::render },
    Scenario { name: "robot-core: 1,000 attacks", times: 40, run: robot_core::attacks },
    Scenario { name: "robot-core: 1,000 minings", times: 10, run: robot_core::minings },
    Scenario { name: "robot-core: 1,000 moves", times: 20, run: robot_core::moves },
    Scenario {
        name: "robot-service: POST 1,000 moves, on a file",
        times: 4,
        run: robot_service::move_on_a_file,
    },
    Scenario { name: "trading-core: 100 purchases", times: 10, run: trading_core::purchases },
    Scenario { name: "trading-core: 100 sales", times: 10, run: trading_core::sales },
];
