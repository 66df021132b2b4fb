//! What the game service keeps, in words: what a decision may ask for, what it may change, and why it may not.
//! The rules of a single game are the core's; what holds between games stands in the image.

mod commands;
mod image;
mod players;

use jiff::Timestamp;
use starkeep_game_core::{
    Change as GameChange, GameId, Kind, Moment, Player, PlayerId, Retirement, Robot, RobotId, Token, WorldId,
};
use starkeep_platform::decision::Domain;

pub(crate) use self::commands::{BatchState, NewCommand, RoundBatches};
pub(crate) use self::image::{Heartbeat, Image};
pub(crate) use self::players::Players;

/// The game service's domain.
pub enum Games {}

/// What a decision needs to be loaded.
pub enum Key {
    /// A game, also one that has ended and left the memory.
    Game(GameId),
}

/// What one decision writes.
pub enum Change {
    /// The rules changed, made or removed a game; what that means for the batches of a round that is over.
    Game(Box<GameChange>, Vec<(Kind, BatchState)>),
    /// A game is to be created as soon as its world is made.
    CreationBegun {
        game: GameId,
        world: WorldId,
    },
    /// It is not: what may have been made of its world is to be removed.
    CreationWithdrawn {
        game: GameId,
        world: WorldId,
    },
    /// A world that belongs to no game was left behind.
    Stray(Retirement),
    /// The map has heard of the retirement.
    Retired(Retirement),
    /// So much service time has passed, and these schedules do not count all of it.
    Heartbeat {
        at: Moment,
        wall: Timestamp,
        shifted: Vec<GameChange>,
    },
    Registered(Player),
    Renewed {
        player: PlayerId,
        token: Token,
    },
    /// News of robots, and the position that the stream has been read up to with them, if they come from one.
    Heard {
        robots: Vec<(RobotId, Robot)>,
        position: Option<(&'static str, String)>,
    },
    /// Commands, in the order in which they are taken.
    NewCommand(Vec<NewCommand>),
    /// A batch that is being sent from now on, or never will be.
    Begun {
        game: GameId,
        round: u32,
        kind: Kind,
        fate: BatchState,
    },
    /// What became of a batch that was being sent; its round, and even its game, may be over.
    Settled {
        game: GameId,
        round: u32,
        kind: Kind,
        fate: BatchState,
    },
    /// Whatever was being sent when the last process ended may have arrived.
    Interrupted,
}

impl From<GameChange> for Change {
    fn from(change: GameChange) -> Self {
        Self::Game(Box::new(change), Vec::new())
    }
}

/// Why a decision changed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rejection {
    /// A rule says no.
    Rule(starkeep_game_core::Rejection),
    /// What was to be done is done already, or has been overtaken.
    NothingToDo,
}

impl From<starkeep_game_core::Rejection> for Rejection {
    fn from(rejection: starkeep_game_core::Rejection) -> Self {
        Self::Rule(rejection)
    }
}

impl Domain for Games {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        image.absorb(change);
    }

    fn evict(image: &mut Image) {
        image.settle();
    }
}
