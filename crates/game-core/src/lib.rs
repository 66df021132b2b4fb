//! The rules of games and rounds: plain functions from a game and a command to a [`Change`] or a [`Rejection`].
//! No I/O, no clock, no wire format and no chance live here: instants and ids are passed in, so that a game can be replayed.

mod change;
mod change_settings;
mod command;
mod create;
mod end;
mod game;
mod game_clock;
mod join;
mod made_world;
mod pace;
mod pause;
mod player;
mod policy;
mod recovery_code;
mod rejection;
mod replenishment;
mod robot;
mod robot_game;
mod roster;
mod round;
mod round_seed;
mod rounds;
mod settings;
mod slots;
mod stall;
mod standings;
mod start;
mod status;
mod time;
mod timer;

pub use starkeep_core_types::{
    Amounts, CommandId, GameId, PlayerId, ResourceKind, RobotId, RoundId, Upgrade, WorldId,
};

pub use change::{Change, ClockChange, EndReason, Event, Retire, Retirement, RosterChange, UnsentReason};
pub use command::{Command, Execution, ExecutorKind, Kind, Order};
pub use create::{NewGame, check_new, create};
pub use game::{Ended, Game, Running, StartUnderWay, State};
pub use game_clock::{Boundary, BoundaryKind, GameClock};
pub use made_world::{MadeWorld, ReplenishmentMode};
pub use player::{Player, Token, check_registration, normalized};
pub use policy::{Policy, WorldMade};
pub use recovery_code::RecoveryCodeHash;
pub use rejection::Rejection;
pub use robot::{OwnerConflict, Robot, RobotReport};
pub use robot_game::RobotGame;
pub use roster::Roster;
pub use round::{Phase, Round};
pub use settings::{
    DEFAULT_ROUND_LENGTH, DEFAULT_START_MONEY, Field, MAX_PLAYERS, MAX_ROUNDS, NAME_LENGTHS, Pace,
    ROUND_LENGTHS, START_MONEY,
};
pub use slots::Slots;
pub use stall::HEARTBEAT;
pub use standings::{Deed, Standing, StandingChanges, Standings, TrackedRobot, ranked};
pub use start::Start;
pub use status::Status;
pub use time::Moment;
pub use timer::Timer;
