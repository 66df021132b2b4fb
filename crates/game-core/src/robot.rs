//! What is known of robots: whose one is, and whether it still exists. Both are reported from elsewhere.
//! A report may come twice, and a robot's end before its beginning: two topics know no order between them.

use jiff::Timestamp;
use starkeep_core_types::{GameId, PlayerId, RobotId};

use crate::rejection::Rejection;
use crate::robot_game::RobotGame;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Robot {
    /// None: only its end has been reported yet.
    pub owner: Option<PlayerId>,
    pub alive: bool,
    pub game: RobotGame,
}

impl Robot {
    /// What it is when this game has started.
    #[must_use]
    pub fn when_starts(self, game: GameId) -> Self {
        Self { game: self.game.when_starts(game), ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotReport {
    Spawned {
        robot: RobotId,
        owner: PlayerId,
        /// When, if the report says so.
        at: Option<Timestamp>,
    },
    /// The same, and in which game: from the service itself that has the robot.
    SpawnedIn {
        robot: RobotId,
        owner: PlayerId,
        game: GameId,
    },
    Destroyed {
        robot: RobotId,
    },
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
            Self::Spawned { robot, .. } | Self::SpawnedIn { robot, .. } | Self::Destroyed { robot } => *robot,
        }
    }

    fn owner(&self) -> Option<PlayerId> {
        match self {
            Self::Spawned { owner, .. } | Self::SpawnedIn { owner, .. } => Some(*owner),
            Self::Destroyed { .. } => None,
        }
    }

    /// What is known after the report; None if that is nothing new. `game` is the one that a report means that names none.
    pub fn applied_to(&self, known: Option<Robot>, game: RobotGame) -> Result<Option<Robot>, OwnerConflict> {
        if let (Some(owner), Some(named)) = (known.and_then(|known| known.owner), self.owner())
            && owner != named
        {
            return Err(OwnerConflict { robot: self.robot(), owner });
        }
        let after = match (*self, known) {
            // Whatever was assumed before, its own service knows better. One that was destroyed stays so.
            (Self::SpawnedIn { owner, game, .. }, known) => Robot {
                owner: Some(owner),
                alive: known.is_none_or(|known| known.alive),
                game: RobotGame::Own(game),
            },
            (Self::Spawned { owner, .. }, Some(known @ Robot { game: RobotGame::Own(_), .. })) => {
                Robot { owner: Some(owner), ..known }
            }
            (Self::Spawned { at, .. }, Some(known @ Robot { owner: Some(_), .. })) => {
                // A time corrects what was assumed without one. A robot that may act everywhere goes on doing so.
                let is_better = at.is_some() && game != RobotGame::Any && known.game != RobotGame::Any;
                Robot { game: if is_better { game } else { known.game }, ..known }
            }
            // One that was destroyed stays so.
            (Self::Spawned { owner, .. }, known) => {
                Robot { owner: Some(owner), alive: known.is_none_or(|known| known.alive), game }
            }
            (Self::Destroyed { .. }, known) => {
                let game = known.map_or(RobotGame::Any, |known| known.game);
                Robot { owner: known.and_then(|known| known.owner), alive: false, game }
            }
        };
        Ok((known != Some(after)).then_some(after))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ROBOT: RobotId = RobotId(Uuid::from_u128(1));
    const OWNER: PlayerId = PlayerId(Uuid::from_u128(2));
    const LIVING: Robot = Robot { owner: Some(OWNER), alive: true, game: RobotGame::Any };

    fn spawned(at: Option<Timestamp>) -> RobotReport {
        RobotReport::Spawned { robot: ROBOT, owner: OWNER, at }
    }

    #[test]
    fn reports_in_any_order_and_number_come_to_the_same() {
        let destroyed = RobotReport::Destroyed { robot: ROBOT };
        let unowned = Robot { owner: None, alive: false, game: RobotGame::Any };
        let only = RobotGame::Only(GameId(Uuid::max()));
        for game in [RobotGame::Any, RobotGame::Next, RobotGame::Past, only] {
            let living = Robot { game, ..LIVING };
            let dead = Robot { alive: false, ..living };
            for at in [None, Some(Timestamp::UNIX_EPOCH)] {
                for (report, known, after) in [
                    (spawned(at), None, Some(living)),
                    (spawned(at), Some(living), None),
                    (spawned(at), Some(dead), None),
                    (spawned(at), Some(unowned), Some(dead)),
                    (destroyed, None, Some(unowned)),
                    (destroyed, Some(unowned), None),
                    (destroyed, Some(living), Some(dead)),
                    (destroyed, Some(dead), None),
                ] {
                    assert_eq!(report.applied_to(known, game), Ok(after), "{report:?} of {known:?}");
                }
            }
        }
    }

    #[test]
    fn a_robot_keeps_its_owner() {
        let report = RobotReport::Spawned { robot: ROBOT, owner: PlayerId(Uuid::from_u128(3)), at: None };
        for alive in [true, false] {
            let known = Robot { alive, ..LIVING };
            let conflict = OwnerConflict { robot: ROBOT, owner: OWNER };
            assert_eq!(report.applied_to(Some(known), RobotGame::Any), Err(conflict));
        }
    }

    #[test]
    fn what_its_own_service_says_of_a_robots_game_stands_whatever_else_is_reported() {
        let [own, other] = [1, 2].map(|number| GameId(Uuid::from_u128(number)));
        let said = RobotReport::SpawnedIn { robot: ROBOT, owner: OWNER, game: own };
        let living = Robot { game: RobotGame::Own(own), ..LIVING };
        let (dead, unowned) =
            (Robot { alive: false, ..living }, Robot { owner: None, alive: false, ..LIVING });
        assert_eq!(said.applied_to(None, RobotGame::Any), Ok(Some(living)));
        assert_eq!(said.applied_to(Some(unowned), RobotGame::Any), Ok(Some(dead)));
        for assumed in [RobotGame::Any, RobotGame::Next, RobotGame::Past, RobotGame::Only(other)] {
            let known = Robot { game: assumed, ..LIVING };
            assert_eq!(said.applied_to(Some(known), assumed), Ok(Some(living)));
            for at in [None, Some(Timestamp::UNIX_EPOCH)] {
                assert_eq!(spawned(at).applied_to(Some(living), assumed), Ok(None));
                assert_eq!(spawned(at).applied_to(Some(dead), assumed), Ok(None));
            }
        }
        assert_eq!(said.applied_to(Some(dead), RobotGame::Any), Ok(None), "one that was destroyed stays so");
        let conflict = Err(OwnerConflict { robot: ROBOT, owner: OWNER });
        let of_another = RobotReport::SpawnedIn { robot: ROBOT, owner: PlayerId(Uuid::max()), game: own };
        assert_eq!(of_another.applied_to(Some(living), RobotGame::Any), conflict);
    }

    #[test]
    fn a_time_corrects_the_game_that_was_assumed_without_one() {
        let [one, two] = [1, 2].map(|number| RobotGame::Only(GameId(Uuid::from_u128(number))));
        let at = Some(Timestamp::UNIX_EPOCH);
        for (known, at, game, after) in [
            (one, at, two, two),
            (one, at, RobotGame::Past, RobotGame::Past),
            (RobotGame::Next, at, RobotGame::Past, RobotGame::Past),
            (one, None, two, one),
            (RobotGame::Past, None, two, RobotGame::Past),
            (RobotGame::Any, at, one, RobotGame::Any),
            (one, at, RobotGame::Any, one),
        ] {
            let known = Robot { game: known, ..LIVING };
            let applied = spawned(at).applied_to(Some(known), game).unwrap().unwrap_or(known);
            assert_eq!(applied, Robot { game: after, ..LIVING }, "{game:?} at {at:?} of {known:?}");
        }
    }
}
