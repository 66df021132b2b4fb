//! The rules of a round for 1,000 robots on 100 planets: moves, attacks, minings.

use std::collections::BTreeMap;
use std::hint::black_box;

use starkeep_robot_core::{
    Amounts, Attack, CommandId, Fleet, MiningOrder, Move, Neighbour, Planet, PlanetFault, PlanetId, PlayerId,
    ResourceKind, Rng, Robot, RobotId, fight, move_robots, plan_mining, settle_mining,
};
use uuid::Uuid;

use crate::measured::count;

const ROBOTS: u64 = 1_000;
const PLANETS: u64 = 100;

/// Everybody to the next planet.
pub(super) fn moves(times: u32) {
    let (fleets, planets) = (fleets(times), planets());
    let mut fleets = fleets.iter();
    let command =
        |number| Move { command: command(number), robot: robot(number), target: planet(number + 1) };
    let commands: Vec<_> = (0..ROBOTS).map(command).collect();
    count(times, || {
        let mut fleet = fleets.next().expect("one for each time").clone();
        let results = move_robots(&mut fleet, &commands, |id| known(&planets, id));
        assert!(results.iter().all(|result| result.outcome.is_ok()));
        drop(black_box(fleet));
    });
}

/// Everybody on its planet.
pub(super) fn minings(times: u32) {
    let (fleets, planets) = (fleets(times), planets());
    let mut fleets = fleets.iter();
    let order = |number| MiningOrder { command: command(number), robot: robot(number) };
    let orders: Vec<_> = (0..ROBOTS).map(order).collect();
    count(times, || {
        let mut fleet = fleets.next().expect("one for each time").clone();
        let plan = plan_mining(&fleet, &orders, 1, |id| known(&planets, id));
        assert!(plan.refused.is_empty());
        for site in &plan.sites {
            drop(black_box(settle_mining(&mut fleet, site, 1, Ok(site.requested()))));
        }
    });
}

/// Everybody strikes somebody on its planet; half of them do not survive it and leave something behind.
pub(super) fn attacks(times: u32) {
    let fleets = fleets(times);
    let mut fleets = fleets.iter();
    let attack = |number| Attack {
        command: command(number),
        attacker: robot(number),
        target: robot((number + PLANETS) % ROBOTS),
    };
    let attacks: Vec<_> = (0..ROBOTS).map(attack).collect();
    count(times, || {
        let mut fleet = fleets.next().expect("one for each time").clone();
        let battle = fight(&mut fleet, &attacks, &mut Rng::from_seed(7));
        assert_eq!(battle.destroyed.len(), 500);
        drop(black_box(battle));
    });
}

/// One for each time, because hash maps are seeded at random. A batch runs on a clone, as it does in the service.
fn fleets(times: u32) -> Vec<Fleet> {
    (0..times).map(|_| fleet()).collect()
}

fn fleet() -> Fleet {
    let mut fleet = Fleet::default();
    for number in 0..ROBOTS {
        let new = Robot::new(robot(number), number, PlayerId(id(4, number % 10)), planet(number));
        let health = if number < ROBOTS / 2 { 1 } else { new.health };
        fleet.put(Robot { health, cargo: Amounts::new([5, 0, 0, 0, 0]), ..new });
    }
    fleet
}

/// In a ring; there is coal on each.
fn planets() -> BTreeMap<PlanetId, Planet> {
    let neighbour = |number, direction: &str| Neighbour {
        planet: planet(number),
        movement_difficulty: 1,
        direction: direction.to_owned(),
    };
    let with_neighbours = |number| Planet {
        id: planet(number),
        movement_difficulty: 1,
        is_station: false,
        resource: Some(ResourceKind::Coal),
        neighbours: vec![neighbour(number + 1, "east"), neighbour(number + PLANETS - 1, "west")],
    };
    (0..PLANETS).map(|number| (planet(number), with_neighbours(number))).collect()
}

fn known(planets: &BTreeMap<PlanetId, Planet>, id: PlanetId) -> Result<&Planet, PlanetFault> {
    planets.get(&id).ok_or(PlanetFault::Unknown)
}

fn robot(number: u64) -> RobotId {
    RobotId(id(1, number))
}

fn planet(number: u64) -> PlanetId {
    PlanetId(id(2, number % PLANETS))
}

fn command(number: u64) -> CommandId {
    CommandId(id(3, number))
}

fn id(kind: u64, number: u64) -> Uuid {
    Uuid::from_u64_pair(kind, number)
}
