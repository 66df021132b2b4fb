//! A whole game with nothing but the rules: bots on a generated world, their orders carried out by the cores of map, robots
//! and trading, in the order in which the services do it. Whatever a bot may not do fails here.

mod execution;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use starkeep_bot_core::{Bot, Deposit, Direction, Neighbour, Order, OwnRobot, SeenPlanet, View};
use starkeep_map_core::{
    GENERATOR_VERSION, IdGenerator, NewWorld, Nonce, Origin, PlanetKind, ReplenishmentMode, Slot, Spec,
    Style, World, WorldId, generate,
};
use starkeep_robot_core as robots;
use starkeep_robot_core::{Books, Fleet, PlanetId, PlayerId, ResourceKind, Rng, Robot, RobotId};
use starkeep_trading_core::{Amounts, Market};
use uuid::Uuid;

pub(crate) const START_MONEY: u64 = 200;
/// With rounds of 12 seconds and the default interval.
const ROUNDS_BETWEEN_REPLENISHMENTS: u32 = 5;

/// From what a game follows.
#[derive(Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) bots: u32,
    pub(crate) rounds: u32,
    /// Planets and robots get other ids.
    pub(crate) id_seed: u64,
}

/// A game and what has come of it.
pub(crate) struct Game {
    pub(crate) setup: Setup,
    pub(crate) market: Market,
    pub(crate) fleet: Fleet,
    pub(crate) books: Books,
    /// How often each kind of result occurred: channels of the robot service, types of `trades`.
    pub(crate) results: BTreeMap<&'static str, usize>,
    /// What was sold in all.
    pub(crate) sold: Amounts,
    /// Everything that was ordered, without ids, to compare two games.
    pub(crate) told: Vec<String>,
    world: World,
    slots: BTreeMap<PlanetId, Slot>,
    players: Vec<(PlayerId, Bot)>,
    rng: Rng,
    ids: IdGenerator,
    spawned: u64,
}

impl Game {
    /// Plays it to its end.
    pub(crate) fn play(setup: Setup) -> Self {
        let mut game = Self::new(setup);
        for round in 1..=setup.rounds {
            game.play_round(round);
        }
        game
    }

    fn new(setup: Setup) -> Self {
        let mut ids = IdGenerator::from_seed(setup.id_seed);
        let spec = Spec { players: setup.bots, style: Style::Balanced };
        let new = NewWorld {
            id: WorldId(ids.next_id()),
            player_amount: setup.bots,
            round_amount: Some(setup.rounds),
            origin: Origin::Generated { style: spec.style, version: GENERATOR_VERSION },
            replenishment: ReplenishmentMode::OnRequest,
            seed: setup.seed,
            nonce: Nonce::from_bits(setup.seed.into()),
            id_seed: setup.id_seed + 1,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let world = World::create(&new, generate(setup.seed, &spec));
        let slots = (0..).zip(world.terrain.planets()).map(|(slot, planet)| (planet.id, slot)).collect();
        let player = |number: u32| {
            let seed = setup.seed * 1000 + u64::from(number);
            (PlayerId(Uuid::from_u128(number.into())), Bot::new(seed))
        };
        let players: Vec<_> = (1..=setup.bots).map(player).collect();
        let mut market = Market::default();
        for (player, _) in &players {
            market.join(*player, START_MONEY).unwrap();
        }
        let stations = world.terrain.stations().map(|slot| world.terrain.planet(slot).id).collect();
        market.set_stations(stations);
        Self {
            setup,
            market,
            fleet: Fleet::default(),
            books: Books::default(),
            results: BTreeMap::new(),
            sold: Amounts::NONE,
            told: Vec::new(),
            world,
            slots,
            players,
            rng: Rng::from_seed(setup.seed),
            ids,
            spawned: 0,
        }
    }

    fn play_round(&mut self, round: u32) {
        self.market.begin_round(round, self.market.prices_of(round));
        let mut orders = Vec::new();
        for number in 0..self.players.len() {
            let (player, view) = (self.players[number].0, self.view(number, round));
            let given = self.players[number].1.orders(&view);
            check(&view, &given);
            orders.extend(given.into_iter().map(|order| (player, order)));
        }
        self.told.push(format!("round {round}: {:?}, {:?}", self.kinds(&orders), self.scores()));
        self.execute(round, &orders);
        self.market.end_round(round);
        if round.is_multiple_of(ROUNDS_BETWEEN_REPLENISHMENTS) {
            let replenished = self.world.replenish(&mut self.ids, Timestamp::UNIX_EPOCH);
            self.world.apply_replenished(&replenished);
        }
    }

    /// The orders without the ids in them.
    fn kinds(&self, orders: &[(PlayerId, Order)]) -> Vec<String> {
        let number = |robot: &RobotId| self.fleet.get(*robot).map_or(0, |robot| robot.number);
        let kind = |(player, order): &(PlayerId, Order)| {
            let player = player.0.as_u128();
            let robot = order.robot().map_or(0, |robot| number(&robot));
            match order {
                Order::BuyRobots { amount } => format!("{player}: {amount} robots"),
                Order::BuyItem { item, .. } => format!("{player}: {robot} {}", item.name()),
                Order::Sell { .. } => format!("{player}: {robot} sells"),
                Order::Move { target, .. } => format!("{player}: {robot} to {:?}", self.slots[target]),
                Order::Attack { target, .. } => format!("{player}: {robot} attacks {}", number(target)),
                Order::Mine { .. } => format!("{player}: {robot} mines"),
                Order::Regenerate { .. } => format!("{player}: {robot} regenerates"),
            }
        };
        orders.iter().map(kind).collect()
    }

    /// The money of each player, in the order in which they joined.
    pub(crate) fn scores(&self) -> Vec<u64> {
        let money = |(player, _): &(PlayerId, Bot)| self.market.accounts[player].balance();
        self.players.iter().map(money).collect()
    }

    fn view(&self, number: usize, round: u32) -> View {
        let player = self.players[number].0;
        let mut own: Vec<_> = self.fleet.iter().filter(|robot| robot.player == player).copied().collect();
        own.sort_by_key(|robot| robot.number);
        let planets: BTreeSet<PlanetId> = own.iter().map(|robot| robot.planet).collect();
        View {
            round,
            last_round: self.setup.rounds,
            money: self.market.accounts[&player].balance(),
            prices: self.market.prices().resources,
            robots: own.iter().map(own_robot).collect(),
            planets: planets.into_iter().map(|planet| self.seen(planet)).collect(),
        }
    }

    fn seen(&self, id: PlanetId) -> SeenPlanet {
        let planet = self.planet(id);
        let deposit = self.world.deposits.get(&self.slots[&id]).map(|deposit| Deposit {
            kind: deposit.kind,
            amount: u64::try_from(deposit.current_amount).unwrap(),
        });
        let near = |near: &robots::Neighbour| Neighbour {
            planet: near.planet,
            movement_difficulty: near.movement_difficulty,
            direction: direction(&near.direction),
        };
        SeenPlanet {
            id,
            movement_difficulty: planet.movement_difficulty,
            is_station: planet.is_station,
            deposit,
            neighbours: planet.neighbours.iter().map(near).collect(),
        }
    }

    /// As the map tells of it.
    fn planet(&self, id: PlanetId) -> robots::Planet {
        let (terrain, slot) = (&self.world.terrain, self.slots[&id]);
        let difficulty = |slot| u32::from(terrain.planet(slot).movement_difficulty);
        let neighbours = terrain.neighbours(slot).map(|(direction, near)| robots::Neighbour {
            planet: terrain.planet(near).id,
            movement_difficulty: difficulty(near),
            direction: direction.as_str().to_owned(),
        });
        robots::Planet {
            id,
            movement_difficulty: difficulty(slot),
            is_station: terrain.planet(slot).kind == PlanetKind::SpaceStation,
            resource: self.world.deposits.get(&slot).map(|deposit| deposit.kind),
            neighbours: neighbours.collect(),
        }
    }

    fn count(&mut self, result: &'static str) {
        self.count_all(result, 1);
    }

    fn count_all(&mut self, result: &'static str, times: usize) {
        if times > 0 {
            *self.results.entry(result).or_default() += times;
        }
    }

    /// What was sold in these rounds.
    pub(crate) fn sold_in(&self, rounds: std::ops::RangeInclusive<u32>, kind: ResourceKind) -> u64 {
        let sales = self.market.sold.iter().filter(|(round, _)| rounds.contains(round));
        sales.map(|(_, sold)| sold.of(kind)).sum()
    }
}

/// What the game would refuse: two orders for a robot, or orders for a robot that is not the bot's.
fn check(view: &View, orders: &[Order]) {
    let own: BTreeSet<_> = view.robots.iter().map(|robot| robot.id).collect();
    let mut ordered = BTreeSet::new();
    for order in orders {
        let Some(robot) = order.robot() else { continue };
        assert!(own.contains(&robot), "{order:?} is not for a robot of the bot");
        assert!(ordered.insert(robot), "{order:?} is the second order for the robot");
        if let Order::Attack { target, .. } = order {
            assert!(!own.contains(target), "{order:?} is against the bot's own robot");
        }
    }
}

fn own_robot(robot: &Robot) -> OwnRobot {
    OwnRobot {
        id: robot.id,
        planet: robot.planet,
        health: robot.health,
        energy: robot.energy,
        levels: robot.levels,
        cargo: robot.cargo,
    }
}

fn direction(word: &str) -> Direction {
    match word {
        "north" => Direction::North,
        "east" => Direction::East,
        "south" => Direction::South,
        "west" => Direction::West,
        other => panic!("there is no direction {other}"),
    }
}
