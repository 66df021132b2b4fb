//! Fighting: a batch of attacks, and what it leaves behind.
//!
//! All damage of a batch counts: a robot whose health is gone strikes and can be struck until the batch is over. Then, planet
//! by planet, the dead are removed and what they held is given to the robots that still stand there, whoever owns them.

use std::collections::{BTreeMap, BTreeSet};

use starkeep_core_types::{Amounts, CommandId, PlanetId, PlayerId, Rng, RobotId};

use crate::fleet::Fleet;
use crate::loot;
use crate::robot::Robot;

/// A command to attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attack {
    pub command: CommandId,
    pub attacker: RobotId,
    pub target: RobotId,
}

/// What came of a command: both robots afterwards, as far as they exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackResult {
    pub command: Attack,
    pub attacker: Option<Robot>,
    pub target: Option<Robot>,
    pub outcome: Result<(), AttackFailure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackFailure {
    UnknownAttacker,
    UnknownTarget,
    /// A robot cannot attack itself; its player's other robots it can.
    AttacksItself,
    OtherPlanet,
    TooLittleEnergy {
        cost: u32,
        energy: u32,
    },
}

/// What came of a whole batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Battle {
    /// One for each command, in their order.
    pub results: Vec<AttackResult>,
    /// In the order in which the planets were first fought on, and on each in the order of spawning.
    pub destroyed: Vec<Destroyed>,
    /// In the same order: the robots that stand where something was given away, with what they hold now.
    pub distributed: Vec<Robot>,
    /// What nobody had room for.
    pub lost: Amounts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destroyed {
    /// As it was at the end.
    pub robot: Robot,
    /// Whose robot struck last.
    pub by: PlayerId,
}

/// `rng` decides who gets what cannot be shared evenly.
pub fn fight(fleet: &mut Fleet, attacks: &[Attack], rng: &mut Rng) -> Battle {
    let mut battle = Battle::default();
    let mut last_strikes = BTreeMap::new();
    let (mut planets, mut seen) = (Vec::new(), BTreeSet::new());
    for command in attacks {
        let result = strike(fleet, *command);
        if let AttackResult { attacker: Some(attacker), outcome: Ok(()), .. } = &result {
            last_strikes.insert(command.target, attacker.player);
            if seen.insert(attacker.planet) {
                planets.push(attacker.planet);
            }
        }
        battle.results.push(result);
    }
    for planet in planets {
        clear(fleet, planet, &last_strikes, rng, &mut battle);
    }
    battle
}

fn strike(fleet: &mut Fleet, command: Attack) -> AttackResult {
    let before = (fleet.get(command.attacker).copied(), fleet.get(command.target).copied());
    match check(before.0, before.1) {
        Ok((attacker, target)) => {
            fleet.put(attacker);
            fleet.put(target);
            AttackResult { command, attacker: Some(attacker), target: Some(target), outcome: Ok(()) }
        }
        Err(failure) => AttackResult { command, attacker: before.0, target: before.1, outcome: Err(failure) },
    }
}

/// Both robots after the strike.
fn check(attacker: Option<Robot>, target: Option<Robot>) -> Result<(Robot, Robot), AttackFailure> {
    let attacker = attacker.ok_or(AttackFailure::UnknownAttacker)?;
    let target = target.ok_or(AttackFailure::UnknownTarget)?;
    if attacker.id == target.id {
        return Err(AttackFailure::AttacksItself);
    }
    if attacker.planet != target.planet {
        return Err(AttackFailure::OtherPlanet);
    }
    let cost = attacker.levels.attack_energy();
    let paid = attacker.without_energy(cost);
    let paid = paid.ok_or(AttackFailure::TooLittleEnergy { cost, energy: attacker.energy })?;
    Ok((paid, Robot { health: target.health.saturating_sub(attacker.levels.attack_damage()), ..target }))
}

/// Removes the dead of a planet and gives away what they held.
fn clear(
    fleet: &mut Fleet,
    planet: PlanetId,
    last_strikes: &BTreeMap<RobotId, PlayerId>,
    rng: &mut Rng,
    battle: &mut Battle,
) {
    let dead: Vec<_> =
        fleet.on_planet(planet).filter(|id| fleet.get(*id).is_some_and(|robot| robot.health <= 0)).collect();
    let mut pool = Amounts::NONE;
    for id in dead {
        let (Some(robot), Some(by)) = (fleet.remove(id), last_strikes.get(&id)) else { continue };
        pool.add_all(robot.cargo);
        battle.destroyed.push(Destroyed { robot, by: *by });
    }
    if pool.is_empty() {
        return;
    }
    let standing: Vec<_> = fleet.on_planet(planet).filter_map(|id| fleet.get(id).copied()).collect();
    let (standing, lost) = loot::share_out(standing, pool, rng);
    battle.lost.add_all(lost);
    for robot in standing {
        fleet.put(robot);
        battle.distributed.push(robot);
    }
}
