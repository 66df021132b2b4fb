//! Ids as they stand in paths: what each names, and the problem where it names nothing.
//! An id that is no UUID names nothing, like any other unknown id.

use uuid::Uuid;

use crate::ids::{GameId, PlanetId, RobotId, TransactionId, WorldId};
use crate::problem::{Code, Problem};

/// What an id in a path stands for, and the code for one that is unknown.
pub trait PathId: Send {
    const UNKNOWN: Code;
    const NOUN: &'static str;

    fn of(uuid: Uuid) -> Self;

    /// The id as a path has it.
    fn from_text(text: &str) -> Result<Self, Problem>
    where
        Self: Sized,
    {
        Uuid::try_parse(text).map(Self::of).map_err(|_| {
            Problem::new(Self::UNKNOWN, format!("there is no such {}: its id is not a UUID", Self::NOUN))
        })
    }

    /// There is no such thing. What was asked for is not repeated: it may be a secret in the wrong place.
    fn unknown() -> Problem {
        Problem::new(Self::UNKNOWN, format!("there is no {} with this id", Self::NOUN))
    }
}

macro_rules! path_ids {
    ($($id:ident: $noun:literal, $unknown:ident;)+) => {$(
        impl PathId for $id {
            const UNKNOWN: Code = Code::$unknown;
            const NOUN: &'static str = $noun;

            fn of(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }
    )+};
}

path_ids! {
    GameId: "game", UnknownGame;
    WorldId: "gameworld", UnknownGameworld;
    PlanetId: "planet", UnknownPlanet;
    RobotId: "robot", UnknownRobot;
    TransactionId: "command", UnknownCommand;
}
