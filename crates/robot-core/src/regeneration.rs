//! Regeneration: a robot gets energy, up to what it can hold.
//! It costs nothing and is possible everywhere.

use starkeep_core_types::{CommandId, RobotId};

use crate::fleet::Fleet;
use crate::robot::Robot;

/// A command to regenerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regeneration {
    pub command: CommandId,
    pub robot: RobotId,
}

/// What came of a command: the robot afterwards; None if there is no such robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegenerationResult {
    pub command: Regeneration,
    pub robot: Option<Robot>,
}

/// One result for each command, in their order.
pub fn regenerate(fleet: &mut Fleet, commands: &[Regeneration]) -> Vec<RegenerationResult> {
    let each = |command: &Regeneration| {
        let robot = fleet.get(command.robot).map(|robot| {
            let energy = (robot.energy + robot.levels.energy_regen()).min(robot.levels.max_energy());
            Robot { energy, ..*robot }
        });
        if let Some(robot) = robot {
            fleet.put(robot);
        }
        RegenerationResult { command: *command, robot }
    };
    commands.iter().map(each).collect()
}
