//! Every rule that a command can break, with the data that shows how.
//! Which status code or problem document it becomes is not known here.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use starkeep_core_types::{GameId, PlayerId, RobotId, WorldId};

use crate::settings::{Field, OutOfBounds};
use crate::status::Status;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    UnknownGame {
        game: GameId,
    },
    NotCreated {
        game: GameId,
        status: Status,
    },
    Ended {
        game: GameId,
    },
    NotRunning {
        game: GameId,
    },
    NotEnded {
        game: GameId,
        status: Status,
    },
    Paused {
        game: GameId,
    },
    NotPaused {
        game: GameId,
    },
    /// What belongs to the collection phase came after it.
    NotCollecting {
        game: GameId,
        round: u32,
        late_by: Duration,
    },
    /// The game has started, and its first round begins so much later; while it is paused, so much after it is resumed.
    FirstRoundNotBegun {
        game: GameId,
        left: Duration,
        paused: bool,
    },
    StartUnderWay {
        game: GameId,
    },
    /// `running` is one of the games that take up the slots.
    AnotherGameRuns {
        running: GameId,
        limit: u32,
    },
    ActiveGameExists {
        game: GameId,
    },
    /// `game` is played in it, or is being created or started in it.
    WorldInUse {
        world: WorldId,
        game: GameId,
    },
    /// Nobody plays in it any longer.
    WorldInactive {
        world: WorldId,
    },
    /// The map has no such world.
    NoSuchWorld,
    /// A host cannot name the world of a game here.
    NoGivenWorlds,
    NameTaken,
    MailTaken,
    AlreadyJoined {
        game: GameId,
        player: PlayerId,
    },
    GameFull {
        seats: u32,
    },
    NotJoined {
        game: GameId,
        player: PlayerId,
    },
    /// By the host, after the start.
    TakenOut {
        game: GameId,
        player: PlayerId,
    },
    OutOfBounds {
        field: Field,
        least: u32,
        most: u32,
        got: u32,
    },
    /// In the name of a game.
    ControlCharacters,
    /// Of robots in one purchase.
    OrderTooLarge {
        quantity: u32,
        most: u32,
    },
    UnknownRobot {
        robot: RobotId,
    },
    ForeignRobot {
        robot: RobotId,
    },
    RobotDestroyed {
        robot: RobotId,
    },
    RobotOfEarlierGame {
        robot: RobotId,
    },
    /// The service that has the robot says that it is this game's.
    RobotOfAnotherGame {
        robot: RobotId,
        game: GameId,
    },
    /// The robot was announced for somebody else before.
    OwnerConflict {
        robot: RobotId,
        owner: PlayerId,
    },
    /// Of a command that names no game.
    NoRunningGame {
        player: PlayerId,
    },
    SeveralRunningGames {
        player: PlayerId,
    },
    /// While the round was being played to its end somebody else did something to the game.
    StepOvertaken {
        game: GameId,
        round: u32,
    },
    /// The world has come for a start that is no longer under way.
    StartWithdrawn {
        game: GameId,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // What is not known is not repeated: it may be a secret in the wrong place.
            Self::UnknownGame { .. } => f.write_str("there is no game with this id"),
            Self::NotCreated { game, status } => write!(f, "game {game} is {status}, no longer created"),
            Self::Ended { game } => write!(f, "game {game} has ended"),
            Self::NotRunning { game } => write!(f, "game {game} has not started"),
            Self::NotEnded { game, status } => write!(f, "game {game} is {status}, not ended"),
            Self::Paused { game } => write!(f, "game {game} is paused already"),
            Self::NotPaused { game } => write!(f, "game {game} is not paused"),
            Self::NotCollecting { game, round, late_by } => {
                let millis = late_by.as_millis();
                write!(f, "the input of round {round} of game {game} has ended {millis} ms ago")
            }
            Self::FirstRoundNotBegun { game, left, paused: false } => {
                write!(f, "round 1 of game {game} begins in {} ms", left.as_millis())
            }
            Self::FirstRoundNotBegun { game, left, paused: true } => {
                let millis = left.as_millis();
                write!(f, "game {game} is paused: round 1 begins {millis} ms after it is resumed")
            }
            Self::StartUnderWay { game } => write!(f, "game {game} is being started"),
            Self::AnotherGameRuns { running, limit: 1 } => write!(f, "game {running} is running already"),
            Self::AnotherGameRuns { running, limit } => {
                write!(f, "{limit} games are running already, game {running} among them")
            }
            Self::ActiveGameExists { game } => write!(f, "game {game} is active: it has to end first"),
            Self::WorldInUse { world, game } => write!(f, "gameworld {world} is used by game {game}"),
            Self::WorldInactive { world } => {
                write!(f, "gameworld {world} is inactive, and a world is never made active again")
            }
            Self::NoSuchWorld => f.write_str("the map service has no gameworld with this id"),
            Self::NoGivenWorlds => f.write_str(
                "a game cannot be played in a given gameworld here: the trading service would forget its space stations, which \
                 it learned of before the game was created",
            ),
            Self::NameTaken => f.write_str("another player has this name"),
            Self::MailTaken => f.write_str("another player has this mail address"),
            // Existing clients look for these words, in this spelling.
            Self::AlreadyJoined { game, player } => {
                write!(f, "Player is already participating: player {player} has joined game {game}")
            }
            Self::GameFull { seats: 1 } => f.write_str("the only seat is taken"),
            Self::GameFull { seats } => write!(f, "all {seats} seats are taken"),
            Self::NotJoined { game, player } => write!(f, "player {player} has not joined game {game}"),
            Self::TakenOut { game, player } => {
                write!(f, "the host has taken player {player} out of game {game}")
            }
            Self::OutOfBounds { field, least, most, got } => {
                write!(f, "the {field} must be between {least} and {most}, not {got}")
            }
            Self::ControlCharacters => f.write_str("a name cannot have control characters"),
            Self::OrderTooLarge { quantity, most } => write!(
                f,
                "{quantity} robots in one purchase are too many for the trading service, which would fail half-way: buy at \
                 most {most} with one command, and the rest with further ones"
            ),
            Self::UnknownRobot { .. } => f.write_str("no robot with this id is known"),
            Self::ForeignRobot { robot } => write!(f, "robot {robot} is another player's"),
            Self::RobotDestroyed { robot } => write!(f, "robot {robot} has been destroyed"),
            Self::RobotOfEarlierGame { robot } => write!(f, "{robot} is a robot of an earlier game"),
            Self::RobotOfAnotherGame { robot, game } => write!(f, "robot {robot} belongs to game {game}"),
            Self::OwnerConflict { robot, owner } => write!(f, "robot {robot} is player {owner}'s"),
            Self::NoRunningGame { player } => write!(f, "player {player} plays in no running game"),
            Self::SeveralRunningGames { player } => {
                write!(f, "player {player} plays in several running games: name one with `gameId`")
            }
            Self::StepOvertaken { game, round } => {
                write!(
                    f,
                    "while round {round} of game {game} was played to its end somebody resumed, stepped or ended the game"
                )
            }
            Self::StartWithdrawn { game } => write!(f, "the start of game {game} was withdrawn"),
        }
    }
}

impl Error for Rejection {}
impl From<OutOfBounds> for Rejection {
    fn from(OutOfBounds { field, least, most, got }: OutOfBounds) -> Self {
        Self::OutOfBounds { field, least, most, got }
    }
}
