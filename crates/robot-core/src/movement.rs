//! Movement: from a planet to a neighbour, for the energy that the target costs.
//! A batch is a chain: a robot's second move starts where its first one ended.

use starkeep_core_types::{CommandId, PlanetId, RobotId};

use crate::fleet::Fleet;
use crate::planet::{Planet, PlanetFault};
use crate::robot::Robot;

/// A command to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub command: CommandId,
    pub robot: RobotId,
    pub target: PlanetId,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveResult {
    pub command: Move,
    /// The robot afterwards; a failed move changes nothing.
    pub robot: Option<Robot>,
    pub outcome: Result<(), MoveFailure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveFailure {
    UnknownRobot,
    Target(PlanetFault),
    NoNeighbour,
    TooLittleEnergy { cost: u32, energy: u32 },
}

/// One result for each command, in their order. `planet` says what the map told of a target.
pub fn move_robots<'a>(
    fleet: &mut Fleet,
    commands: &[Move],
    planet: impl Fn(PlanetId) -> Result<&'a Planet, PlanetFault>,
) -> Vec<MoveResult> {
    let mut results = Vec::with_capacity(commands.len());
    for command in commands {
        let before = fleet.get(command.robot).copied();
        let (robot, outcome) = match moved(before, planet(command.target)) {
            Ok(after) => {
                fleet.put(after);
                (Some(after), Ok(()))
            }
            Err(failure) => (before, Err(failure)),
        };
        results.push(MoveResult { command: *command, robot, outcome });
    }
    results
}

fn moved(robot: Option<Robot>, target: Result<&Planet, PlanetFault>) -> Result<Robot, MoveFailure> {
    let robot = robot.ok_or(MoveFailure::UnknownRobot)?;
    let target = target.map_err(MoveFailure::Target)?;
    if !target.borders_on(robot.planet) {
        return Err(MoveFailure::NoNeighbour);
    }
    let cost = target.movement_difficulty;
    let paid = robot.without_energy(cost);
    let paid = paid.ok_or(MoveFailure::TooLittleEnergy { cost, energy: robot.energy })?;
    Ok(Robot { planet: target.id, ..paid })
}
