//! Mining: one request to the map for each planet, and the sharing of what it gives.
//!
//! It crosses two services, so it has two halves. [`plan_mining`] refuses what cannot be and groups the rest by planet; the
//! map is asked for each of the sites; [`settle_mining`] shares the answer among the miners of a site. Example: robots of
//! speeds 2 and 5 mine on one planet; the map is asked for 7 and gives 3; they get 1 and 2. What does not fit into a robot
//! is lost: neither other miners nor the planet get it.

use std::collections::{BTreeMap, BTreeSet};

use starkeep_core_types::{CommandId, PlanetId, ResourceKind, RobotId};

use crate::fleet::Fleet;
use crate::planet::{Planet, PlanetFault};
use crate::robot::Robot;
use crate::shares::{Shares, shares};

/// A command to mine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiningOrder {
    pub command: CommandId,
    pub robot: RobotId,
}

/// What is refused at once, and where to mine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MiningPlan {
    pub refused: Vec<MiningResult>,
    /// In the order of their first miners.
    pub sites: Vec<MiningSite>,
}

/// The miners of one planet, in the order of their commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MiningSite {
    pub planet: PlanetId,
    pub resource: ResourceKind,
    pub miners: Vec<Miner>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miner {
    pub order: MiningOrder,
    /// As it was when the map was asked.
    pub speed: u64,
}

impl MiningSite {
    /// What the map is asked for, whatever fits into the robots.
    pub fn requested(&self) -> u64 {
        self.miners.iter().map(|miner| miner.speed).sum()
    }
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MiningResult {
    pub order: MiningOrder,
    /// The robot afterwards.
    pub robot: Option<Robot>,
    /// What lies on its planet, as far as the map has told.
    pub resource: Option<ResourceKind>,
    /// How much the robot took in.
    pub outcome: Result<u64, MiningFailure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MiningFailure {
    UnknownRobot,
    /// An earlier command of the same batch has the robot mine already.
    MinesAlready,
    NoResource {
        planet: PlanetId,
    },
    LevelTooLow {
        resource: ResourceKind,
    },
    TooLittleEnergy {
        cost: u32,
        energy: u32,
    },
    /// The map refused to mine there, or did not answer.
    Map {
        planet: PlanetId,
        refusal: MiningRefusal,
    },
}

/// Why the map gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MiningRefusal {
    UnknownPlanet,
    BadAnswer,
    NoAnswer,
}

/// `planet` says what the map told of a robot's planet, `energy` what each mining costs.
pub fn plan_mining<'a>(
    fleet: &Fleet,
    orders: &[MiningOrder],
    energy: u32,
    planet: impl Fn(PlanetId) -> Result<&'a Planet, PlanetFault>,
) -> MiningPlan {
    let mut plan = MiningPlan::default();
    let (mut mining, mut site_of) = (BTreeSet::new(), BTreeMap::new());
    for order in orders {
        let robot = fleet.get(order.robot);
        let known = robot.and_then(|robot| planet(robot.planet).ok()).and_then(|planet| planet.resource);
        match check(robot, known, mining.contains(&order.robot), energy) {
            Ok((robot, resource)) => {
                mining.insert(robot.id);
                let miner = Miner { order: *order, speed: robot.levels.mining_speed() };
                let site = *site_of.entry(robot.planet).or_insert_with(|| {
                    plan.sites.push(MiningSite { planet: robot.planet, resource, miners: vec![] });
                    plan.sites.len() - 1
                });
                plan.sites[site].miners.push(miner);
            }
            Err(failure) => {
                let (robot, outcome) = (robot.copied(), Err(failure));
                plan.refused.push(MiningResult { order: *order, robot, resource: known, outcome });
            }
        }
    }
    plan
}

fn check(
    robot: Option<&Robot>,
    resource: Option<ResourceKind>,
    mines_already: bool,
    cost: u32,
) -> Result<(&Robot, ResourceKind), MiningFailure> {
    let robot = robot.ok_or(MiningFailure::UnknownRobot)?;
    if mines_already {
        return Err(MiningFailure::MinesAlready);
    }
    let resource = resource.ok_or(MiningFailure::NoResource { planet: robot.planet })?;
    if !robot.levels.can_mine(resource) {
        return Err(MiningFailure::LevelTooLow { resource });
    }
    let paid = robot.without_energy(cost);
    paid.ok_or(MiningFailure::TooLittleEnergy { cost, energy: robot.energy })?;
    Ok((robot, resource))
}

/// Shares what the map gave: one result for each miner, in their order, and how much was lost. A robot that is gone by now
/// loses its share.
pub fn settle_mining(
    fleet: &mut Fleet,
    site: &MiningSite,
    energy: u32,
    answer: Result<u64, MiningRefusal>,
) -> (Vec<MiningResult>, u64) {
    let mined = match answer {
        Ok(mined) => mined,
        Err(refusal) => {
            let failure = MiningFailure::Map { planet: site.planet, refusal };
            let failed = |miner: &Miner| MiningResult {
                order: miner.order,
                robot: fleet.get(miner.order.robot).copied(),
                resource: Some(site.resource),
                outcome: Err(failure),
            };
            return (site.miners.iter().map(failed).collect(), 0);
        }
    };
    let gained = share_out(fleet, site, mined);
    let settled = |(miner, gained): (&Miner, &u64)| {
        let robot = fleet.get(miner.order.robot).map(|robot| Robot {
            // What it had was checked before the map was asked.
            energy: robot.energy.saturating_sub(energy),
            ..*robot
        });
        if let Some(robot) = robot {
            fleet.put(robot);
        }
        let outcome = robot.map(|_| *gained).ok_or(MiningFailure::UnknownRobot);
        MiningResult { order: miner.order, robot, resource: Some(site.resource), outcome }
    };
    let results = site.miners.iter().zip(&gained).map(settled).collect();
    (results, mined - gained.iter().sum::<u64>())
}

/// How much each miner takes in.
fn share_out(fleet: &mut Fleet, site: &MiningSite, mined: u64) -> Vec<u64> {
    let speeds: Vec<_> = site.miners.iter().map(|miner| miner.speed).collect();
    let Shares { whole, mut rest, rest_order } = shares(&speeds, mined);
    let mut take_in = |miner: usize, amount| {
        let Some(mut robot) = fleet.get(site.miners[miner].order.robot).copied() else { return 0 };
        let taken = robot.take_in(site.resource, amount);
        fleet.put(robot);
        taken
    };
    let mut gained: Vec<_> =
        whole.iter().enumerate().map(|(miner, amount)| take_in(miner, *amount)).collect();
    for miner in rest_order {
        if rest == 0 {
            break;
        }
        // A unit for which a robot has no room goes to the next one.
        let taken = take_in(miner, 1);
        gained[miner] += taken;
        rest -= taken;
    }
    gained
}
