//! What is known of robots: whose one is, and whether it still exists. Both are reported from elsewhere.
//! A report may come twice, and a robot's end before its beginning: two topics know no order between them.

use starkeep_core_types::{PlayerId, RobotId};

use crate::rejection::Rejection;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Robot {
    /// None: only its end has been reported yet.
    pub owner: Option<PlayerId>,
    pub alive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotReport {
    Spawned { robot: RobotId, owner: PlayerId },
    Destroyed { robot: RobotId },
}

/// The robot is somebody else's already: nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerConflict {
    pub robot: RobotId,
    pub owner: PlayerId,
}

impl From<OwnerConflict> for Rejection {
    fn from(OwnerConflict { robot, owner }: OwnerConflict) -> Self {
        Self::OwnerConflict { robot, owner }
    }
}

impl RobotReport {
    pub fn robot(&self) -> RobotId {
        match self {
            Self::Spawned { robot, .. } | Self::Destroyed { robot } => *robot,
        }
    }

    /// What is known after the report; None if that is nothing new.
    pub fn applied_to(&self, known: Option<Robot>) -> Result<Option<Robot>, OwnerConflict> {
        let after = match (*self, known) {
            (Self::Spawned { robot, owner }, Some(Robot { owner: Some(known), .. })) if known != owner => {
                return Err(OwnerConflict { robot, owner: known });
            }
            // One that was destroyed stays so.
            (Self::Spawned { owner, .. }, known) => {
                Robot { owner: Some(owner), alive: known.is_none_or(|known| known.alive) }
            }
            (Self::Destroyed { .. }, known) => {
                Robot { owner: known.and_then(|known| known.owner), alive: false }
            }
        };
        Ok((known != Some(after)).then_some(after))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn reports_in_any_order_and_number_come_to_the_same() {
        let (robot, owner) = (RobotId(Uuid::from_u128(1)), PlayerId(Uuid::from_u128(2)));
        let (spawned, destroyed) = (RobotReport::Spawned { robot, owner }, RobotReport::Destroyed { robot });
        let living = Robot { owner: Some(owner), alive: true };
        let dead = Robot { alive: false, ..living };
        let unowned = Robot { owner: None, alive: false };
        for (report, known, after) in [
            (spawned, None, Some(living)),
            (spawned, Some(living), None),
            (spawned, Some(dead), None),
            (spawned, Some(unowned), Some(dead)),
            (destroyed, None, Some(unowned)),
            (destroyed, Some(unowned), None),
            (destroyed, Some(living), Some(dead)),
            (destroyed, Some(dead), None),
        ] {
            assert_eq!(report.applied_to(known), Ok(after), "{report:?} of {known:?}");
        }
    }

    #[test]
    fn a_robot_keeps_its_owner() {
        let (robot, owner) = (RobotId(Uuid::from_u128(1)), PlayerId(Uuid::from_u128(2)));
        let report = RobotReport::Spawned { robot, owner: PlayerId(Uuid::from_u128(3)) };
        for alive in [true, false] {
            let known = Robot { owner: Some(owner), alive };
            assert_eq!(report.applied_to(Some(known)), Err(OwnerConflict { robot, owner }));
        }
    }
}
