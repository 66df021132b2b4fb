//! Random games: whatever is commanded, the books balance, nobody holds more than fits, the dead do nothing, and the same
//! seed and commands give the same game.

mod world;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use starkeep_robot_core::{
    Amounts, Attack, Books, Fleet, MiningOrder, Move, PlanetId, Regeneration, ResourceKind, Restoration, Rng,
    Robot, RobotId, Upgrade, fight, move_robots, plan_mining, regenerate, settle_mining,
};
use world::{World, command, planet, robot};

const PLANETS: u128 = 6;
const ROBOTS: u128 = 10;

#[derive(Clone, Debug)]
enum Batch {
    Spawn(u128, u128),
    Move(Vec<(u128, u128)>),
    Mine(Vec<u128>),
    Fight(Vec<(u128, u128)>),
    Regenerate(Vec<u128>),
    Unload(u128),
    Upgrade(u128, usize, u32),
    Restore(u128, Restoration),
}

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let number = || 1..=ROBOTS;
    let some = || prop::collection::vec(1..=ROBOTS, 0..8);
    let pairs = |most| prop::collection::vec((1..=ROBOTS, 1..=most), 0..12);
    let restoration = prop_oneof![Just(Restoration::Health), Just(Restoration::Energy)];
    let batch = prop_oneof![
        3 => (number(), 1..=PLANETS).prop_map(|(robot, planet)| Batch::Spawn(robot, planet)),
        2 => pairs(PLANETS).prop_map(Batch::Move),
        4 => some().prop_map(Batch::Mine),
        4 => pairs(ROBOTS).prop_map(Batch::Fight),
        1 => some().prop_map(Batch::Regenerate),
        1 => number().prop_map(Batch::Unload),
        3 => (number(), 0..7_usize, 1..=5_u32).prop_map(|(robot, of, level)| Batch::Upgrade(robot, of, level)),
        1 => (number(), restoration).prop_map(|(robot, what)| Batch::Restore(robot, what)),
    ];
    prop::collection::vec(batch, 1..80)
}

/// A game with its map and its books.
struct Game {
    world: World,
    deposits: BTreeMap<PlanetId, u64>,
    books: Books,
    rng: Rng,
    destroyed: BTreeSet<RobotId>,
    /// Everything that came out, to compare two runs.
    said: String,
}

impl Game {
    fn new(seed: u64) -> Self {
        let everywhere: Vec<u128> = (1..=PLANETS).collect();
        // The last planet has no deposit.
        let kinds = ResourceKind::ALL.map(Some).into_iter().chain([None]);
        let planets: Vec<_> = kinds
            .zip(1..=PLANETS)
            .zip([1, 2, 3].into_iter().cycle())
            .map(|((kind, number), difficulty)| (number, difficulty, kind, everywhere.as_slice()))
            .collect();
        let world = World::new(&planets);
        let deposits = (1..=5).map(|number| (planet(number), 400)).collect();
        let (books, rng) = (Books::default(), Rng::from_seed(seed));
        Self { world, deposits, books, rng, destroyed: BTreeSet::new(), said: String::new() }
    }

    fn play(&mut self, batch: &Batch) {
        let fleet = &mut self.world.fleet;
        let planets = &self.world.planets;
        let said = match batch {
            Batch::Spawn(number, on) => {
                let is_new = fleet.get(robot(*number)).is_none() && !self.destroyed.contains(&robot(*number));
                if is_new {
                    self.world.spawn(*number, number % 3, *on);
                }
                String::new()
            }
            Batch::Move(moves) => {
                let of = |(number, target): &(u128, u128)| Move {
                    command: command(1),
                    robot: robot(*number),
                    target: planet(*target),
                };
                let moves: Vec<_> = moves.iter().map(of).collect();
                format!("{:?}", move_robots(fleet, &moves, |id| World::planet(planets, id)))
            }
            Batch::Mine(numbers) => self.mine(numbers),
            Batch::Fight(pairs) => {
                let of = |(attacker, target): &(u128, u128)| Attack {
                    command: command(1),
                    attacker: robot(*attacker),
                    target: robot(*target),
                };
                let attacks: Vec<_> = pairs.iter().map(of).collect();
                let battle = fight(fleet, &attacks, &mut self.rng);
                assert_eq!(battle.results.len(), attacks.len(), "one result for each command");
                for result in &battle.results {
                    let attacker = result.command.attacker;
                    assert!(
                        result.outcome.is_err() || !self.destroyed.contains(&attacker),
                        "the dead struck"
                    );
                }
                self.destroyed.extend(battle.destroyed.iter().map(|destroyed| destroyed.robot.id));
                self.books.lost.add_all(battle.lost);
                format!("{battle:?}")
            }
            Batch::Regenerate(numbers) => {
                let of = |number: &u128| Regeneration { command: command(1), robot: robot(*number) };
                let commands: Vec<_> = numbers.iter().map(of).collect();
                format!("{:?}", regenerate(fleet, &commands))
            }
            Batch::Unload(number) => {
                if let Some(mut emptied) = fleet.get(robot(*number)).copied() {
                    self.books.sold.add_all(emptied.unload());
                    fleet.put(emptied);
                }
                String::new()
            }
            Batch::Upgrade(number, of, level) => {
                let robot = fleet.get(robot(*number)).copied();
                let upgraded = robot.map(|robot| robot.upgraded(Upgrade::ALL[*of], *level));
                upgraded.into_iter().flatten().for_each(|robot| fleet.put(robot));
                format!("{upgraded:?}")
            }
            Batch::Restore(number, what) => {
                let robot = fleet.get(robot(*number)).map(|robot| robot.restored(*what));
                if let Some(robot) = robot {
                    fleet.put(robot);
                }
                String::new()
            }
        };
        self.said.push_str(&said);
    }

    fn mine(&mut self, numbers: &[u128]) -> String {
        let fleet = &mut self.world.fleet;
        let of = |number: &u128| MiningOrder { command: command(1), robot: robot(*number) };
        let orders: Vec<_> = numbers.iter().map(of).collect();
        let plan = plan_mining(fleet, &orders, 0, |id| World::planet(&self.world.planets, id));
        let mut results = plan.refused.clone();
        for site in &plan.sites {
            let left = self.deposits.entry(site.planet).or_default();
            let mined = site.requested().min(*left);
            *left -= mined;
            let (settled, lost) = settle_mining(fleet, site, 0, Ok(mined));
            results.extend(settled);
            self.books.mined.add(site.resource, mined);
            self.books.lost.add(site.resource, lost);
        }
        assert_eq!(results.len(), orders.len(), "one result for each command");
        format!("{results:?}")
    }
}

fn check(fleet: &Fleet, books: &Books, destroyed: &BTreeSet<RobotId>) -> Result<(), TestCaseError> {
    prop_assert_eq!(books.balance(fleet), Ok(()));
    for Robot { id, energy, health, levels, cargo, .. } in fleet.iter() {
        prop_assert!(cargo.total() <= levels.max_storage());
        prop_assert!(*energy <= levels.max_energy());
        prop_assert!((1..=levels.max_health()).contains(health));
        prop_assert!(!destroyed.contains(id));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_game_is_sound_and_repeatable(batches in batches(), seed: u64) {
        let [mut game, mut again] = [Game::new(seed), Game::new(seed)];
        for batch in &batches {
            game.play(batch);
            again.play(batch);
            check(&game.world.fleet, &game.books, &game.destroyed)?;
        }
        prop_assert_eq!(&game.said, &again.said);
        prop_assert_eq!(&game.world.fleet, &again.world.fleet);
    }
}

#[test]
fn books_that_miss_a_unit_do_not_balance() {
    let books = Books { mined: Amounts::new([1, 0, 0, 0, 0]), ..Books::default() };
    assert!(books.balance(&Fleet::default()).is_err());
}
