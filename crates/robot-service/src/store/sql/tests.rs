//! Random histories in random batches: SQLite, memory and an image that was given only the serialised changes agree with the
//! image that decisions are made on, and with what a new process would load.

use proptest::prelude::*;
use starkeep_executor::{GameChange, GameEvent, RoundState};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::{ChangeCodec, Domain};
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::memory::MemoryTables;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{SqlTables, at_once};
use starkeep_platform::sqlite::SqliteConnection;
use starkeep_robot_core::{
    Amounts, Books, CommandId, GameId, Miner, MiningOrder, MiningSite, Neighbour, PlanetId, PlayerId,
    ResourceKind, Robot, RobotId, Upgrade,
};
use uuid::Uuid;

use super::read;
use crate::domain::{
    Change, Image, Key, MiningCall, Order, ReceivedGame, Robots, RobotsMoved, SpawnedRobots,
};
use crate::store::memory;

#[derive(Clone, Debug)]
enum Step {
    Receive {
        game: u8,
        event: u8,
    },
    Spawn {
        game: u8,
        robots: u8,
    },
    /// Of the n-th living robot of the game, wrapping around.
    Change {
        game: u8,
        robot: usize,
        planet: u8,
        energy: u32,
        coal: u64,
        upgrade: Option<usize>,
    },
    Destroy {
        game: u8,
        robot: usize,
    },
    Sell {
        game: u8,
        robot: usize,
    },
    Mine {
        game: u8,
        robot: usize,
    },
    Settle {
        game: u8,
    },
    EndBatch,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let game = || 0..3_u8;
    let robot = || 0..6_usize;
    let step = prop_oneof![
        6 => (game(), 0..5_u8).prop_map(|(game, event)| Step::Receive { game, event }),
        4 => (game(), 1..4_u8).prop_map(|(game, robots)| Step::Spawn { game, robots }),
        6 => (game(), robot(), 0..3_u8, 0..20_u32, 0..4_u64, prop::option::of(0..7_usize)).prop_map(
            |(game, robot, planet, energy, coal, upgrade)| Step::Change { game, robot, planet, energy, coal, upgrade }
        ),
        2 => (game(), robot()).prop_map(|(game, robot)| Step::Destroy { game, robot }),
        2 => (game(), robot()).prop_map(|(game, robot)| Step::Sell { game, robot }),
        3 => (game(), robot()).prop_map(|(game, robot)| Step::Mine { game, robot }),
        2 => game().prop_map(|game| Step::Settle { game }),
        4 => Just(Step::EndBatch),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..60)
}

fn neighbour() -> Neighbour {
    Neighbour { planet: PlanetId(Uuid::max()), movement_difficulty: 2, direction: "east".to_owned() }
}

struct Bench {
    connection: SqliteConnection,
    tables: memory::Tables,
    image: Image,
    follower: Image,
    batch: Vec<Change>,
    last: u128,
    orders: Vec<CommandId>,
}

impl Bench {
    fn new() -> Self {
        Self {
            connection: SqliteConnection::in_memory(Robots::SQLITE_MIGRATIONS).unwrap(),
            tables: memory::Tables::default(),
            image: Image::default(),
            follower: Image::default(),
            batch: Vec::new(),
            last: 100,
            orders: Vec::new(),
        }
    }

    fn next(&mut self) -> Uuid {
        self.last += 1;
        // Scattered, as random ids are.
        Uuid::from_u128(self.last.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835))
    }

    fn take(&mut self, change: Change) {
        Robots::absorb(&mut self.image, &change);
        self.batch.push(change);
    }

    fn robot(&self, game: GameId, number: usize) -> Option<Robot> {
        let fleet = &self.image.robots_of(game)?.fleet;
        let mut robots: Vec<_> = fleet.iter().copied().collect();
        robots.sort_by_key(|robot| robot.number);
        (!robots.is_empty()).then(|| robots[number % robots.len()])
    }

    fn receive(&mut self, game: GameId, event: u8) {
        let known = self.image.games.get(game).map_or(0, |game| game.round);
        let event = match event {
            0 => GameChange::Created,
            1 => GameChange::Started { world: starkeep_core_types::WorldId(game.0) },
            2 => GameChange::Round { number: known + 1, state: RoundState::InputEnded },
            3 => GameChange::Ended,
            _ => GameChange::Deleted,
        };
        let mut games = self.image.games.clone();
        games.absorb(&GameEvent { game, change: event });
        let received = vec![ReceivedGame { id: game, state: games.get(game).copied() }];
        let position = self.next().to_string();
        let gap = jiff::Timestamp::from_millisecond(i64::from(known)).ok().filter(|_| known % 2 == 1);
        self.take(Change::Received { position, gap, games: received });
        assert_eq!(self.image.games, games);
    }

    fn play(&mut self, step: &Step) {
        let game = |number: u8| GameId(Uuid::from_u128(u128::from(number) + 1));
        match *step {
            Step::Receive { game: number, event } => self.receive(game(number), event),
            Step::Spawn { game: number, robots } => self.spawn(game(number), robots),
            Step::Change { game: number, robot, planet, energy, coal, upgrade } => {
                let Some(before) = self.robot(game(number), robot) else { return };
                let mut after = Robot { planet: PlanetId(Uuid::from_u128(planet.into())), energy, ..before };
                let coal = coal.min(after.free_storage());
                after.cargo.add(ResourceKind::Coal, coal);
                if let Some(upgrade) = upgrade.map(|upgrade| Upgrade::ALL[upgrade]) {
                    let level = u32::from(after.levels.of(upgrade)) + 1;
                    after = after.upgraded(upgrade, level).unwrap_or(after);
                }
                let books = Books {
                    mined: Amounts::new([coal + 1, 0, 0, 0, 0]),
                    lost: Amounts::new([1, 0, 0, 0, 0]),
                    sold: Amounts::NONE,
                };
                let executed = vec![CommandId(self.next()), CommandId(self.next())];
                let moved =
                    RobotsMoved { robots: vec![after], books, executed, ..RobotsMoved::of(game(number)) };
                self.take(Change::from(moved));
            }
            Step::Destroy { game: number, robot } => {
                let Some(before) = self.robot(game(number), robot) else { return };
                let books = Books { lost: before.cargo, ..Books::default() };
                let destroyed = vec![before.id];
                self.take(Change::from(RobotsMoved { destroyed, books, ..RobotsMoved::of(game(number)) }));
            }
            Step::Sell { game: number, robot } => {
                let Some(mut robot) = self.robot(game(number), robot) else { return };
                let books = Books { sold: robot.unload(), ..Books::default() };
                let order = Order::Upgrade { robot: robot.id, upgrade: Upgrade::Mining, level: 1 };
                let transaction = CommandId(self.next());
                self.orders.push(transaction);
                let order = Some((transaction, order));
                self.take(Change::from(RobotsMoved {
                    robots: vec![robot],
                    books,
                    order,
                    ..RobotsMoved::of(game(number))
                }));
            }
            Step::Mine { game: number, robot } => {
                let Some(robot) = self.robot(game(number), robot) else { return };
                let command = CommandId(self.next());
                let miner = Miner { order: MiningOrder { command, robot: robot.id }, speed: 2 };
                let site =
                    MiningSite { planet: robot.planet, resource: ResourceKind::Coal, miners: vec![miner] };
                let call = MiningCall { game: game(number), round: None, site, places: vec![0], energy: 0 };
                let begun = vec![Intent { id: IntentId(command.0), owner: ReplicaId(Uuid::nil()), call }];
                self.take(Change::from(RobotsMoved {
                    begun,
                    executed: vec![command],
                    ..RobotsMoved::of(game(number))
                }));
            }
            Step::Settle { game: number } => {
                let open = self.image.open_minings(game(number)).next().map(|mining| mining.id);
                let Some(open) = open else { return };
                self.take(Change::from(RobotsMoved { settled: vec![open], ..RobotsMoved::of(game(number)) }));
            }
            Step::EndBatch => self.save(),
            Step::Restart => {
                self.save();
                self.image = at_once(<Robots as SqlTables>::load(&self.connection)).unwrap();
            }
        }
    }

    fn spawn(&mut self, game: GameId, robots: u8) {
        let Some(spawned) = self.image.robots_of(game).map(|robots| robots.spawned) else { return };
        let (player, planet) = (PlayerId(Uuid::from_u128(7)), PlanetId(Uuid::nil()));
        let robots: Vec<_> = (1..=u64::from(robots))
            .map(|number| Robot::new(RobotId(self.next()), spawned + number, player, planet))
            .collect();
        let ids = robots.iter().map(|robot| (robot.id, robot.planet)).collect();
        let transaction = CommandId(self.next());
        self.orders.push(transaction);
        let order = Some((transaction, Order::Spawn { player, robots: ids }));
        // Every second purchase has waited until this one.
        let waits = self.image.untold(game).next().is_none();
        let told = self.image.untold(game).map(|untold| untold.id).collect();
        let around = robots.iter().map(|robot| (robot.id, vec![neighbour()])).collect();
        let call = SpawnedRobots { game, round: Some(3), transaction, player, robots: around };
        let id = IntentId(robots[0].id.0);
        let untold = waits.then_some(Intent { id, owner: ReplicaId(Uuid::nil()), call });
        self.take(Change::from(RobotsMoved { robots, order, untold, told, ..RobotsMoved::of(game) }));
    }

    /// Saves the batch everywhere and compares.
    fn save(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.connection
            .batch(|rows| <Robots as SqlTables>::save(rows, &batch, &DocumentWrites::default()))
            .unwrap();
        Robots::evict(&mut self.image);
        for change in &batch {
            <Robots as MemoryTables>::save(&mut self.tables, change, &DocumentWrites::default()).unwrap();
            let read = Robots::decode(&Robots::encode(change)).unwrap();
            assert_eq!(&read, change);
            Robots::absorb(&mut self.follower, &read);
        }
        Robots::evict(&mut self.follower);
        assert_eq!(self.follower, self.image);
        assert_eq!(at_once(<Robots as SqlTables>::load(&self.connection)).unwrap(), self.image);
        assert_eq!(<Robots as MemoryTables>::load(&self.tables), self.image);
        self.compare_answers();
    }

    /// What the storage is asked for is the same from both, also of ended games.
    fn compare_answers(&self) {
        for game in (1..4).map(|number| GameId(Uuid::from_u128(number))) {
            let robots = at_once(read::robots_of(&self.connection, game)).unwrap();
            assert_eq!(robots, self.tables.robots_of(game));
            for robot in robots {
                assert_eq!(at_once(read::robot(&self.connection, robot.id)).unwrap(), Some((game, robot)));
                assert_eq!(self.tables.robot(robot.id), Some((game, robot)));
            }
        }
        for transaction in &self.orders {
            let mut images = [(); 2].map(|()| self.image.clone());
            let key = Key::Order(*transaction);
            assert!(Robots::lacks(&images[0], &key));
            at_once(Robots::find(&self.connection, &(), &key)).unwrap()(&mut images[0]).unwrap();
            <Robots as MemoryTables>::fetch(&self.tables, &key, &mut images[1]);
            assert_eq!(images[0], images[1]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 4 + 1) })]

    #[test]
    fn every_history_gives_equal_images_and_answers(steps in steps()) {
        let mut bench = Bench::new();
        for step in &steps {
            bench.play(step);
        }
        bench.save();
    }
}

#[test]
fn the_start_does_not_walk_through_ended_games() {
    let connection = SqliteConnection::in_memory(Robots::SQLITE_MIGRATIONS).unwrap();
    let connection = connection.lock();
    for select in [read::SPAWNED, read::BOOKS, read::EXECUTED, read::ROBOTS] {
        let sql = format!("EXPLAIN QUERY PLAN {}", select.of_unended);
        let mut plan = connection.prepare(&sql).unwrap();
        let steps = plan.query_map([], |row| row.get("detail")).unwrap();
        let steps = steps.collect::<rusqlite::Result<Vec<String>>>().unwrap();
        let is_slow = |step: &&String| step.starts_with("SCAN") || step.contains("TEMP B-TREE");
        let slow: Vec<_> = steps.iter().filter(is_slow).collect();
        // The games themselves are in memory, also those that have ended.
        assert_eq!(slow, ["SCAN followed_game"], "{sql}: {steps:?}");
    }
}
