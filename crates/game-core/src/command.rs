//! What players order their robots and traders to do, and when an order is taken.
//! How one is sent, and what the services that carry it out make of it, is not known here.

use std::time::Duration;

use starkeep_core_types::{CommandId, GameId, PlayerId, RobotId};
use uuid::Uuid;

use crate::game::{Game, Running};
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::robot::Robot;
use crate::robot_game::RobotGame;
use crate::round::Phase;
use crate::time::Moment;

/// An order that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub id: CommandId,
    pub game: GameId,
    pub round: u32,
    pub player: PlayerId,
    pub order: Order,
    /// Counted within its game, from 1: later ones have higher places.
    pub place: u64,
}

/// Planets and items of trades are texts that mean something to the trading service alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    Sell { robot: RobotId, item: Option<String>, planet: Option<String> },
    Buy { robot: RobotId, item: String, planet: Option<String> },
    BuyRobots { quantity: u32, planet: Option<String> },
    Move { robot: RobotId, planet: Uuid },
    Fight { robot: RobotId, target: RobotId },
    Mine { robot: RobotId },
    Regenerate { robot: RobotId },
}

/// What orders are about; in the order in which those of a round are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Selling,
    Buying,
    Movement,
    Battle,
    Mining,
    Regeneration,
}

/// Who carries commands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExecutorKind {
    Trading,
    Robots,
}

/// An execution phase that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    pub round: u32,
    /// How long it goes on.
    pub left: Duration,
    /// How long it lasts as a whole.
    pub span: Duration,
}

/// With less than this left of a phase no batch is sent any more: its answer would come too late.
const LEAST_FOR_A_BATCH: Duration = Duration::from_millis(50);

impl Execution {
    /// Is it worth while to begin with a batch? In a phase below half a second a tenth of it is enough.
    pub fn leaves_time_for_a_batch(&self) -> bool {
        !self.left.is_zero() && self.left >= LEAST_FOR_A_BATCH.min(self.span / 10)
    }
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Selling, Self::Buying, Self::Movement, Self::Battle, Self::Mining, Self::Regeneration];

    pub fn executor(self) -> ExecutorKind {
        match self {
            Self::Selling | Self::Buying => ExecutorKind::Trading,
            Self::Movement | Self::Battle | Self::Mining | Self::Regeneration => ExecutorKind::Robots,
        }
    }
}

impl Order {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Sell { .. } => Kind::Selling,
            Self::Buy { .. } | Self::BuyRobots { .. } => Kind::Buying,
            Self::Move { .. } => Kind::Movement,
            Self::Fight { .. } => Kind::Battle,
            Self::Mine { .. } => Kind::Mining,
            Self::Regenerate { .. } => Kind::Regeneration,
        }
    }

    /// The robot that acts; the last order to it in a round wins. Robots are bought by none.
    pub fn robot(&self) -> Option<RobotId> {
        match self {
            Self::BuyRobots { .. } => None,
            Self::Sell { robot, .. }
            | Self::Buy { robot, .. }
            | Self::Move { robot, .. }
            | Self::Fight { robot, .. }
            | Self::Mine { robot }
            | Self::Regenerate { robot } => Some(*robot),
        }
    }
}

impl Order {
    /// The trading service carries out a purchase of at most so many robots.
    pub fn check_size(&self, most: u32) -> Result<(), Rejection> {
        match self {
            Self::BuyRobots { quantity, .. } if *quantity > most => {
                Err(Rejection::OrderTooLarge { quantity: *quantity, most })
            }
            _ => Ok(()),
        }
    }
}

impl Game {
    /// The round in which an order of this player is taken now. `known` tells what is known of a robot.
    pub fn take_order(
        &self,
        policy: &Policy,
        player: PlayerId,
        order: &Order,
        known: impl FnOnce(RobotId) -> Option<Robot>,
        now: Moment,
    ) -> Result<u32, Rejection> {
        let running = self.running()?;
        self.check_plays(player)?;
        running.check_collecting(self.id, now)?;
        if let Some(robot) = order.robot() {
            let known = check_robot(robot, known(robot), player)?;
            check_game(policy, robot, known.game, self.id)?;
        }
        Ok(running.round.number)
    }

    /// Is its execution phase open?
    pub fn is_executing(&self) -> bool {
        self.running().is_ok_and(|running| running.phase == Phase::Execution)
    }

    /// The execution phase, if it is open.
    pub fn execution(&self, now: Moment) -> Option<Execution> {
        let running = self.running().ok().filter(|_| self.is_executing())?;
        let span = running.round.execution_span();
        let left = running.phase_ends.saturating_sub(running.game_time(now));
        // The time of a game that stands is nobody's to run out of.
        let left = if running.timer.paused { span } else { left };
        Some(Execution { round: running.round.number, left, span })
    }

    /// How long the open round still takes commands; nothing if that is another round, or its input has ended.
    pub fn collection_left(&self, round: u32, now: Moment) -> Duration {
        match self.running() {
            Ok(running) if running.round.number == round && running.phase == Phase::Collection => {
                running.phase_ends.saturating_sub(running.game_time(now))
            }
            _ => Duration::ZERO,
        }
    }
}

impl Running {
    /// The phase decides, not the clock.
    pub(crate) fn check_collecting(&self, game: GameId, now: Moment) -> Result<(), Rejection> {
        match self.phase {
            Phase::Countdown => {
                let left = self.phase_ends.saturating_sub(self.game_time(now));
                Err(Rejection::FirstRoundNotBegun { game, left, paused: self.timer.paused })
            }
            Phase::Collection => Ok(()),
            Phase::Execution => {
                let ended = self.phase_ends.saturating_sub(self.round.execution_span());
                let late_by = self.game_time(now).saturating_sub(ended);
                Err(Rejection::NotCollecting { game, round: self.round.number, late_by })
            }
        }
    }
}

fn check_robot(robot: RobotId, known: Option<Robot>, player: PlayerId) -> Result<Robot, Rejection> {
    match known {
        None => Err(Rejection::UnknownRobot { robot }),
        Some(Robot { owner, .. }) if owner.is_some_and(|owner| owner != player) => {
            Err(Rejection::ForeignRobot { robot })
        }
        Some(Robot { alive: false, .. }) => Err(Rejection::RobotDestroyed { robot }),
        Some(known) => Ok(known),
    }
}

/// Only some dialects ask for what was concluded about a robot's game; what its own service has said always counts.
fn check_game(policy: &Policy, robot: RobotId, own: RobotGame, game: GameId) -> Result<(), Rejection> {
    match own {
        RobotGame::Own(own) if own != game => Err(Rejection::RobotOfAnotherGame { robot, game: own }),
        _ if policy.robots_end_with_game && !own.allows(game) => Err(Rejection::RobotOfEarlierGame { robot }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_needs_50_ms_of_its_phase_or_a_tenth_of_a_short_one() {
        for (span, least) in [(15_000, 50), (500, 50), (499, 50), (250, 25), (10, 1), (1, 1)] {
            let with_left = |left| Execution {
                round: 1,
                left: Duration::from_millis(left),
                span: Duration::from_millis(span),
            };
            assert!(with_left(least).leaves_time_for_a_batch(), "{span}");
            assert!(!with_left(least - 1).leaves_time_for_a_batch(), "{span}");
        }
        let tenth = Execution { round: 1, left: Duration::from_micros(100), span: Duration::from_millis(1) };
        assert!(tenth.leaves_time_for_a_batch());
    }
}
