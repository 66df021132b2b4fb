//! The in-memory store of the robot service: its tables as plain values, behind the same port as every other store.
//! They mirror the tables in `sql`; a property test compares them.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{FutureExt as _, ready};
use jiff::Timestamp;
use starkeep_executor::{FollowedGame, GameStatus};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::intent::Intents;
use starkeep_platform::memory::{Disturbance, Memory, MemoryTables};
use starkeep_platform::replica::ReplicaId;
use starkeep_robot_core::{Books, CommandId, GameId, Robot, RobotId};

use crate::domain::{
    Change, ExecutedIds, GameRobots, Image, Key, MiningCall, Order, ReceivedGame, Robots, RobotsMoved,
    SpawnedRobots, added,
};
use crate::ports::{Asked, Store};

/// The robot service's store in memory.
pub type MemoryStore = Memory<Robots>;

/// An empty store. `disturb` moves clock and chance on while a decision is made a second time.
pub fn open(replica: ReplicaId, disturb: Disturbance) -> Arc<MemoryStore> {
    Memory::<Robots>::new(replica, disturb)
}

impl Store for Memory<Robots> {
    fn robot(&self, robot: RobotId) -> Asked<'_, Option<(GameId, Robot)>> {
        ready(Ok(self.read(|tables| tables.robot(robot)))).boxed()
    }

    fn robots_of(&self, game: GameId) -> Asked<'_, Vec<Robot>> {
        ready(Ok(self.read(|tables| tables.robots_of(game)))).boxed()
    }

    fn order(&self, transaction: CommandId) -> Asked<'_, Option<Order>> {
        ready(Ok(self.read(|tables| tables.order(transaction)))).boxed()
    }
}

/// Everything durable.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    games: BTreeMap<GameId, FollowedGame>,
    position: Option<String>,
    last_gap: Option<Timestamp>,
    /// By game and number.
    robots: BTreeMap<(GameId, u64), Robot>,
    /// How many were spawned, and the books.
    fleets: BTreeMap<GameId, (u64, Books)>,
    /// Batch by batch.
    executed: Vec<(GameId, Vec<CommandId>)>,
    orders: BTreeMap<CommandId, (GameId, Order)>,
    minings: Intents<MiningCall>,
    surroundings: Intents<SpawnedRobots>,
}

impl Tables {
    pub(crate) fn robot(&self, robot: RobotId) -> Option<(GameId, Robot)> {
        self.robots.iter().find(|(_, known)| known.id == robot).map(|((game, _), robot)| (*game, *robot))
    }

    pub(crate) fn robots_of(&self, game: GameId) -> Vec<Robot> {
        self.robots.range((game, 0)..=(game, u64::MAX)).map(|(_, robot)| *robot).collect()
    }

    pub(crate) fn order(&self, transaction: CommandId) -> Option<Order> {
        self.orders.get(&transaction).map(|(_, order)| order.clone())
    }

    fn forget(&mut self, game: GameId) {
        self.games.remove(&game);
        self.robots.retain(|(of, _), _| *of != game);
        self.fleets.remove(&game);
        self.executed.retain(|(of, _)| *of != game);
        self.orders.retain(|_, (of, _)| *of != game);
        let open = self.minings.iter().filter(|mining| mining.call.game == game);
        for mining in open.map(|mining| mining.id).collect::<Vec<_>>() {
            self.minings.remove(mining);
        }
        let untold = self.surroundings.iter().filter(|untold| untold.call.game == game);
        for untold in untold.map(|untold| untold.id).collect::<Vec<_>>() {
            self.surroundings.remove(untold);
        }
    }

    fn save_moved(&mut self, moved: &RobotsMoved) -> Result<(), String> {
        let game = moved.game;
        for robot in &moved.robots {
            if robot.health <= 0 || robot.cargo.total() > robot.levels.max_storage() {
                return Err(format!("robot {} cannot be like this: {robot:?}", robot.id));
            }
            self.robots.insert((game, robot.number), *robot);
        }
        self.robots.retain(|_, robot| !moved.destroyed.contains(&robot.id));
        let (spawned, books) = self.fleets.entry(game).or_default();
        *spawned = moved.robots.iter().map(|robot| robot.number).max().unwrap_or(0).max(*spawned);
        *books = added(*books, &moved.books);
        if !moved.executed.is_empty() {
            self.executed.push((game, moved.executed.clone()));
        }
        if let Some((transaction, order)) = &moved.order
            && self.orders.insert(*transaction, (game, order.clone())).is_some()
        {
            return Err(format!("order {transaction} was carried out before"));
        }
        moved.begun.iter().for_each(|mining| self.minings.begin(mining.clone()));
        moved.settled.iter().for_each(|mining| self.minings.remove(*mining));
        moved.untold.iter().for_each(|untold| self.surroundings.begin(untold.clone()));
        moved.told.iter().for_each(|told| self.surroundings.remove(*told));
        Ok(())
    }

    fn game_robots(&self, game: GameId) -> GameRobots {
        let (spawned, books) = self.fleets.get(&game).copied().unwrap_or_default();
        let mut robots =
            GameRobots { spawned, books, executed: ExecutedIds::default(), ..GameRobots::default() };
        self.robots_of(game).into_iter().for_each(|robot| robots.fleet.put(robot));
        let batches = self.executed.iter().filter(|(of, _)| *of == game);
        batches.for_each(|(_, ids)| robots.executed.add(ids));
        robots
    }
}

impl MemoryTables for Robots {
    type Tables = Tables;

    fn load(tables: &Tables) -> Image {
        let (minings, surroundings) = (tables.minings.clone(), tables.surroundings.clone());
        let mut image = Image::new(tables.position.clone(), tables.last_gap, minings, surroundings);
        for (id, game) in &tables.games {
            image.games.restore(*id, *game);
            if game.status != GameStatus::Ended || image.open_minings(*id).next().is_some() {
                image.insert_robots(*id, tables.game_robots(*id));
            }
        }
        image
    }

    fn fetch(tables: &Tables, key: &Key, image: &mut Image) {
        let Key::Order(transaction) = *key;
        if let Some(order) = tables.order(transaction) {
            image.load_order_for_batch(transaction, order);
        }
    }

    fn save(tables: &mut Tables, change: &Change, _: &DocumentWrites) -> Result<(), String> {
        match change {
            Change::Received { position, gap, games } => {
                tables.position = Some(position.clone());
                tables.last_gap = gap.or(tables.last_gap);
                for ReceivedGame { id, state } in games {
                    match state {
                        Some(state) => drop(tables.games.insert(*id, *state)),
                        None => tables.forget(*id),
                    }
                }
                Ok(())
            }
            Change::Robots(moved) => tables.save_moved(moved),
            Change::TakenOver { minings, by } => {
                for mining in minings {
                    tables.minings.take_over(*mining, *by);
                }
                Ok(())
            }
        }
    }
}
