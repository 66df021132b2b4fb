//! What events say to a person, in the words of the existing service; bots compare some of them.
//! Where it has none, a short sentence.

use starkeep_robot_core::{
    AttackFailure, AttackResult, MiningFailure, MiningRefusal, MiningResult, MoveFailure, MoveResult,
    PlanetFault, RegenerationResult, RobotId,
};

pub(super) fn unknown_robot(robot: RobotId) -> String {
    format!("Robot with ID {robot} not found")
}

fn too_little_energy(cost: u32, energy: u32) -> String {
    format!("Tried to reduce energy by {cost} but only has {energy} energy")
}

const MAP_AWAY: &str = "Unexpected exception occurred: Could not connect to Map Service";

pub(super) fn planet_fault(fault: PlanetFault) -> &'static str {
    match fault {
        PlanetFault::Unknown => "The requested planet does not exist",
        PlanetFault::BadAnswer => "Unexpected exception occurred: Could not get planet data from MapService",
        PlanetFault::NoAnswer => MAP_AWAY,
    }
}

pub(super) fn movement(result: &MoveResult) -> String {
    let command = &result.command;
    match result.outcome {
        Ok(()) => "Movement successful".to_owned(),
        Err(MoveFailure::UnknownRobot) => unknown_robot(command.robot),
        Err(MoveFailure::Target(fault)) => planet_fault(fault).to_owned(),
        Err(MoveFailure::NoNeighbour) => {
            format!("The robot cannot move to the planet with ID {}", command.target)
        }
        Err(MoveFailure::TooLittleEnergy { cost, energy }) => too_little_energy(cost, energy),
    }
}

pub(super) fn mining(result: &MiningResult) -> String {
    let robot = result.order.robot;
    match result.outcome {
        Ok(_) => format!("Robot {robot} mined successfully"),
        Err(MiningFailure::UnknownRobot) => unknown_robot(robot),
        Err(MiningFailure::MinesAlready) => format!("Robot {robot} mines already in this round"),
        Err(MiningFailure::NoResource { planet }) => {
            format!("Map Service did not return any resource on the planet {planet}")
        }
        Err(MiningFailure::LevelTooLow { resource }) => {
            format!("The mining level of the robot is too low to mine the resource {}", resource.as_str())
        }
        Err(MiningFailure::TooLittleEnergy { cost, energy }) => too_little_energy(cost, energy),
        Err(MiningFailure::Map { planet, refusal }) => match refusal {
            MiningRefusal::UnknownPlanet => {
                format!("Map Service doesn't have a planet with the id {planet}")
            }
            MiningRefusal::BadAnswer => format!(
                "Unexpected exception occurred: Map Service returned internal error when trying to mine on planet {planet}"
            ),
            MiningRefusal::NoAnswer => MAP_AWAY.to_owned(),
        },
    }
}

pub(super) fn regeneration(result: &RegenerationResult) -> String {
    match &result.robot {
        // The nominal amount, also where less fitted.
        Some(robot) => format!("Robot regenerated {} energy", robot.levels.energy_regen()),
        None => unknown_robot(result.command.robot),
    }
}

pub(super) fn fighting(result: &AttackResult) -> String {
    let command = &result.command;
    match result.outcome {
        Ok(()) => "Attacking successful".to_owned(),
        Err(AttackFailure::UnknownAttacker) => unknown_robot(command.attacker),
        Err(AttackFailure::UnknownTarget) => unknown_robot(command.target),
        Err(AttackFailure::AttacksItself) => "A robot cannot attack itself".to_owned(),
        Err(AttackFailure::OtherPlanet) => {
            "The attacking robot and the defending robot are not on the same planet".to_owned()
        }
        Err(AttackFailure::TooLittleEnergy { cost, energy }) => too_little_energy(cost, energy),
    }
}
