//! Batches of commands on small worlds: the rules one by one, in the order of their checks.
//! Whole games of random batches are in `histories`.

mod world;

use starkeep_robot_core::{
    Amounts, Attack, AttackFailure, Books, MiningFailure, MiningOrder, MiningRefusal, Move, MoveFailure,
    PlanetFault, Regeneration, ResourceKind, Rng, Robot, Upgrade, fight, move_robots, plan_mining,
    regenerate, settle_mining,
};
use world::{World, command, planet, player, robot};

/// A station 1 and a coal planet 2 of difficulty 2 beside it; 3 is nobody's neighbour.
fn world() -> World {
    World::new(&[(1, 1, None, &[2]), (2, 2, Some(ResourceKind::Coal), &[1]), (3, 1, None, &[])])
}

#[test]
fn a_move_fails_by_the_first_check_that_it_does_not_pass() {
    let mut world = world();
    world.spawn(1, 1, 1);
    let tired = Robot { energy: 1, ..world.spawn(2, 1, 1) };
    world.fleet.put(tired);
    let to = |robot_number, target| Move {
        command: command(1),
        robot: robot(robot_number),
        target: planet(target),
    };
    for (order, failure) in [
        (to(9, 2), MoveFailure::UnknownRobot),
        (to(1, 8), MoveFailure::Target(PlanetFault::Unknown)),
        (to(1, 3), MoveFailure::NoNeighbour),
        (to(1, 1), MoveFailure::NoNeighbour),
        (to(2, 2), MoveFailure::TooLittleEnergy { cost: 2, energy: 1 }),
    ] {
        let before = world.fleet.clone();
        let results = move_robots(&mut world.fleet, &[order], |id| World::planet(&world.planets, id));
        assert_eq!(results[0].outcome, Err(failure), "{order:?}");
        assert_eq!(world.fleet, before, "a failed move costs nothing");
    }
}

#[test]
fn two_moves_of_a_robot_are_a_chain() {
    let mut world = world();
    world.spawn(1, 1, 1);
    let to = |target| Move { command: command(1), robot: robot(1), target: planet(target) };
    let results =
        move_robots(&mut world.fleet, &[to(2), to(1), to(1)], |id| World::planet(&world.planets, id));
    let energies: Vec<_> = results.iter().map(|result| result.robot.unwrap().energy).collect();
    assert_eq!(energies, [18, 17, 17]);
    assert_eq!(results[2].outcome, Err(MoveFailure::NoNeighbour));
    assert_eq!(world.fleet.get(robot(1)).unwrap().planet, planet(1));
}

#[test]
fn a_robot_regenerates_up_to_its_limit_wherever_it_is() {
    let mut world = world();
    let used = Robot { energy: 18, ..world.spawn(1, 1, 3) };
    world.fleet.put(used);
    let of = |number| Regeneration { command: command(1), robot: robot(number) };
    let results = regenerate(&mut world.fleet, &[of(1), of(1), of(9)]);
    let energies: Vec<_> = results.iter().map(|result| result.robot.map(|robot| robot.energy)).collect();
    assert_eq!(energies, [Some(20), Some(20), None]);
}

#[test]
fn a_mining_is_refused_by_the_first_check_that_it_does_not_pass() {
    let mut world = World::new(&[
        (1, 1, None, &[]),
        (2, 1, Some(ResourceKind::Coal), &[]),
        (4, 1, Some(ResourceKind::Gem), &[]),
    ]);
    world.spawn(1, 1, 1);
    world.spawn(2, 1, 2);
    world.spawn(4, 1, 4);
    let tired = Robot { energy: 2, ..world.spawn(5, 1, 2) };
    world.fleet.put(tired);
    // A planet that the map no longer knows.
    world.spawn(6, 1, 9);
    let of = |number| MiningOrder { command: command(number), robot: robot(number) };
    let orders = [of(9), of(1), of(2), of(2), of(4), of(5), of(6)];
    let plan = plan_mining(&world.fleet, &orders, 3, |id| World::planet(&world.planets, id));
    let refused: Vec<_> = plan.refused.iter().map(|result| (result.order, result.outcome)).collect();
    assert_eq!(
        refused,
        [
            (of(9), Err(MiningFailure::UnknownRobot)),
            (of(1), Err(MiningFailure::NoResource { planet: planet(1) })),
            (of(2), Err(MiningFailure::MinesAlready)),
            (of(4), Err(MiningFailure::LevelTooLow { resource: ResourceKind::Gem })),
            (of(5), Err(MiningFailure::TooLittleEnergy { cost: 3, energy: 2 })),
            (of(6), Err(MiningFailure::NoResource { planet: planet(9) })),
        ]
    );
    assert_eq!(plan.sites.len(), 1);
    assert_eq!((plan.sites[0].planet, plan.sites[0].requested()), (planet(2), 2));
}

#[test]
fn what_does_not_fit_is_lost_and_a_rest_unit_goes_to_the_next_robot() {
    let mut world = world();
    let full = Robot { cargo: Amounts::new([20, 0, 0, 0, 0]), ..world.spawn(1, 1, 2) };
    world.fleet.put(full);
    world.spawn(2, 1, 2);
    let orders = [2, 1].map(|number| MiningOrder { command: command(number), robot: robot(number) });
    let plan = plan_mining(&world.fleet, &orders, 0, |id| World::planet(&world.planets, id));
    for (mined, gained, lost) in [(4, [2, 0], 2), (3, [2, 0], 1)] {
        let mut fleet = world.fleet.clone();
        let (results, missing) = settle_mining(&mut fleet, &plan.sites[0], 0, Ok(mined));
        let gains: Vec<_> = results.iter().map(|result| result.outcome.unwrap()).collect();
        assert_eq!((gains.as_slice(), missing), (gained.as_slice(), lost), "{mined} mined");
    }
}

#[test]
fn a_site_that_the_map_refuses_fails_for_each_of_its_miners_once() {
    let mut world = world();
    world.spawn(1, 1, 2);
    let orders = [MiningOrder { command: command(1), robot: robot(1) }];
    let plan = plan_mining(&world.fleet, &orders, 5, |id| World::planet(&world.planets, id));
    let before = world.fleet.clone();
    let (results, lost) =
        settle_mining(&mut world.fleet, &plan.sites[0], 5, Err(MiningRefusal::UnknownPlanet));
    let failure = MiningFailure::Map { planet: planet(2), refusal: MiningRefusal::UnknownPlanet };
    assert_eq!((results.len(), results[0].outcome, lost), (1, Err(failure), 0));
    assert_eq!(world.fleet, before, "what failed costs no energy");
}

#[test]
fn a_miner_that_is_gone_by_then_loses_its_share() {
    let mut world = world();
    world.spawn(1, 1, 2);
    world.spawn(2, 1, 2);
    let orders = [1, 2].map(|number| MiningOrder { command: command(number), robot: robot(number) });
    let plan = plan_mining(&world.fleet, &orders, 0, |id| World::planet(&world.planets, id));
    world.fleet.remove(robot(1));
    let (results, lost) = settle_mining(&mut world.fleet, &plan.sites[0], 0, Ok(4));
    assert_eq!(results[0].outcome, Err(MiningFailure::UnknownRobot));
    assert_eq!((results[1].outcome, lost), (Ok(2), 2));
}

#[test]
fn an_attack_fails_by_the_first_check_that_it_does_not_pass() {
    let mut world = world();
    world.spawn(1, 1, 1);
    world.spawn(2, 2, 2);
    let tired = Robot { energy: 0, ..world.spawn(3, 1, 1) };
    world.fleet.put(tired);
    let of =
        |attacker, target| Attack { command: command(1), attacker: robot(attacker), target: robot(target) };
    for (attack, failure) in [
        (of(8, 9), AttackFailure::UnknownAttacker),
        (of(1, 9), AttackFailure::UnknownTarget),
        (of(1, 1), AttackFailure::AttacksItself),
        (of(1, 2), AttackFailure::OtherPlanet),
        (of(3, 1), AttackFailure::TooLittleEnergy { cost: 1, energy: 0 }),
    ] {
        let before = world.fleet.clone();
        let battle = fight(&mut world.fleet, &[attack], &mut Rng::from_seed(1));
        assert_eq!(battle.results[0].outcome, Err(failure), "{attack:?}");
        assert_eq!(world.fleet, before);
    }
}

/// As in the worked example: ten attacks kill, the dead robot strikes back, and its coal goes to who stands there.
#[test]
fn a_dead_robot_strikes_back_and_leaves_what_it_held() {
    let mut world = world();
    world.spawn(1, 1, 1);
    let victim = Robot { cargo: Amounts::new([2, 0, 0, 0, 0]), ..world.spawn(2, 2, 1) };
    world.fleet.put(victim);
    let of =
        |attacker, target| Attack { command: command(1), attacker: robot(attacker), target: robot(target) };
    let mut attacks = vec![of(1, 2); 10];
    attacks.push(of(2, 1));
    let battle = fight(&mut world.fleet, &attacks, &mut Rng::from_seed(1));
    let healths: Vec<_> = battle.results.iter().map(|result| result.target.unwrap().health).collect();
    assert_eq!(healths, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9]);
    assert_eq!(battle.destroyed.len(), 1);
    assert_eq!((battle.destroyed[0].robot.id, battle.destroyed[0].by), (robot(2), player(1)));
    assert_eq!(battle.distributed.len(), 1);
    assert_eq!(battle.distributed[0].cargo, Amounts::new([2, 0, 0, 0, 0]));
    assert_eq!(world.fleet.get(robot(2)), None);
    let books = Books { mined: Amounts::new([2, 0, 0, 0, 0]), ..Books::default() };
    assert_eq!(books.balance(&world.fleet), Ok(()));
}

#[test]
fn a_robot_of_ones_own_can_be_attacked() {
    let mut world = world();
    let strong = world.spawn(1, 1, 1).upgraded(Upgrade::Damage, 1).unwrap();
    world.fleet.put(strong);
    world.spawn(2, 1, 1);
    let attack = Attack { command: command(1), attacker: robot(1), target: robot(2) };
    let battle = fight(&mut world.fleet, &[attack], &mut Rng::from_seed(1));
    assert_eq!(battle.results[0].outcome, Ok(()));
    assert_eq!(world.fleet.get(robot(1)).unwrap().energy, 18);
    assert_eq!(world.fleet.get(robot(2)).unwrap().health, 8);
}
