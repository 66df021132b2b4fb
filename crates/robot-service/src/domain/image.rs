//! The image that reads are rendered from and decisions are made on: the games that are followed, the robots of those that
//! have not ended, and the minings that the map still has to answer.
//!
//! Robots of ended games are only in the store. A game that ends while the map owes answers keeps its robots in memory
//! until those are booked: what the map gave is in nobody's books otherwise.

use std::collections::BTreeMap;

use imbl::OrdMap;
use jiff::Timestamp;
use starkeep_executor::{GameRefusal, GameStatus, Games};
use starkeep_platform::intent::Intents;
use starkeep_robot_core::{Books, CommandId, Fleet, GameId, Robot, RobotId};

use super::change::{
    Mining, MiningCall, Order, ReceivedGame, RobotsMoved, SpawnedRobots, Surroundings, added,
};
use super::executed_ids::ExecutedIds;

/// Cheap to clone: a clone shares everything that it does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    pub(crate) games: Games,
    pub(crate) minings: Intents<MiningCall>,
    /// What is around robots that were spawned, until it is told.
    pub(crate) surroundings: Intents<SpawnedRobots>,
    /// How far the game service's events were read.
    pub(crate) position: Option<String>,
    /// When some of them were missed for the last time.
    pub(crate) last_gap: Option<Timestamp>,
    robots: OrdMap<GameId, GameRobots>,
    /// Orders that this batch asked about.
    loaded_orders: BTreeMap<CommandId, Order>,
}

/// The robots of one game.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GameRobots {
    pub(crate) fleet: Fleet,
    pub(crate) books: Books,
    /// How many were spawned so far.
    pub(crate) spawned: u64,
    pub(crate) executed: ExecutedIds,
}

impl Image {
    /// As a store has kept it; games and their robots are added.
    pub(crate) fn new(
        position: Option<String>,
        last_gap: Option<Timestamp>,
        minings: Intents<MiningCall>,
        surroundings: Intents<SpawnedRobots>,
    ) -> Self {
        Self { minings, surroundings, position, last_gap, ..Self::default() }
    }

    /// The robots of a game that takes orders.
    pub(crate) fn taking_orders(&self, game: GameId) -> Result<&GameRobots, GameRefusal> {
        let game = self.games.meant(Some(game))?;
        self.robots.get(&game).ok_or(GameRefusal::Unknown { game })
    }

    /// The robots of a game that are in memory.
    pub(crate) fn robots_of(&self, game: GameId) -> Option<&GameRobots> {
        self.robots.get(&game)
    }

    /// Every game whose robots are in memory.
    pub(crate) fn fleets(&self) -> impl Iterator<Item = (GameId, &GameRobots)> {
        self.robots.iter().map(|(game, robots)| (*game, robots))
    }

    /// A robot that is in memory, and its game.
    pub(crate) fn find(&self, robot: RobotId) -> Option<(GameId, &Robot)> {
        self.fleets().find_map(|(game, robots)| Some((game, robots.fleet.get(robot)?)))
    }

    /// The minings of a game that the map has not answered.
    pub(crate) fn open_minings(&self, game: GameId) -> impl Iterator<Item = &Mining> {
        self.minings.iter().filter(move |mining| mining.call.game == game)
    }

    /// Of a game, in the order of their ids.
    pub(crate) fn untold(&self, game: GameId) -> impl Iterator<Item = &Surroundings> {
        self.surroundings.iter().filter(move |untold| untold.call.game == game)
    }

    /// What was loaded for this batch.
    pub(crate) fn order(&self, transaction: CommandId) -> Option<&Order> {
        self.loaded_orders.get(&transaction)
    }

    pub(crate) fn load_order_for_batch(&mut self, transaction: CommandId, order: Order) {
        // What an earlier decision of the batch did goes before what the store still says.
        self.loaded_orders.entry(transaction).or_insert(order);
    }

    /// As a store has kept it.
    pub(crate) fn insert_robots(&mut self, game: GameId, robots: GameRobots) {
        self.robots.insert(game, robots);
    }

    pub(super) fn evict_loaded(&mut self) {
        self.loaded_orders = BTreeMap::new();
    }

    pub(super) fn absorb_received(&mut self, position: &str, gap: Option<Timestamp>, games: &[ReceivedGame]) {
        self.position = Some(position.to_owned());
        self.last_gap = gap.or(self.last_gap);
        for ReceivedGame { id, state } in games {
            match state {
                Some(state) => self.games.restore(*id, *state),
                None => {
                    self.games.remove(*id);
                }
            }
            self.keep_what_is_needed(*id);
        }
    }

    pub(super) fn move_robots(&mut self, moved: &RobotsMoved) {
        // Also of a game that has ended.
        moved.told.iter().for_each(|told| self.surroundings.remove(*told));
        let Some(robots) = self.robots.get_mut(&moved.game) else { return };
        moved.untold.iter().for_each(|untold| self.surroundings.begin(untold.clone()));
        for robot in &moved.robots {
            robots.spawned = robots.spawned.max(robot.number);
            robots.fleet.put(*robot);
        }
        for destroyed in &moved.destroyed {
            robots.fleet.remove(*destroyed);
        }
        robots.books = added(robots.books, &moved.books);
        robots.executed.add(&moved.executed);
        if let Some((transaction, order)) = &moved.order {
            self.loaded_orders.insert(*transaction, order.clone());
        }
        moved.begun.iter().for_each(|mining| self.minings.begin(mining.clone()));
        moved.settled.iter().for_each(|mining| self.minings.remove(*mining));
        self.keep_what_is_needed(moved.game);
    }

    fn keep_what_is_needed(&mut self, game: GameId) {
        match self.games.get(game).map(|game| game.status) {
            Some(GameStatus::Created | GameStatus::Running) => drop(self.robots.entry(game).or_default()),
            Some(GameStatus::Ended) if self.open_minings(game).next().is_some() => {}
            Some(GameStatus::Ended) => drop(self.robots.remove(&game)),
            None => {
                let open: Vec<_> = self.open_minings(game).map(|mining| mining.id).collect();
                for mining in open {
                    self.minings.remove(mining);
                }
                let untold: Vec<_> = self.untold(game).map(|untold| untold.id).collect();
                for untold in untold {
                    self.surroundings.remove(untold);
                }
                self.robots.remove(&game);
            }
        }
    }
}
