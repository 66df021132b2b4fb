//! The game service's domain: what a decision loads, what it changes and why it is refused.
//! The rules of a single game are the core's; rules between games are in the image.

mod change;
mod commands;
mod game_header;
mod image;
pub(crate) mod interest;
mod players;
mod request;
mod residents;
mod scores;
mod world_call;

use starkeep_game_core::{GameId, PlayerId, RobotId, RosterChange};
use starkeep_platform::domain::{Domain, Interest};

pub(crate) use self::change::{Change, EndedRound, GameMove, IntentMove, NewCommand};
pub(crate) use self::commands::{BatchId, BatchState, RoundBatches, Sender};
pub(crate) use self::game_header::GameHeader;
pub(crate) use self::image::{Account, Heartbeat, Image, LateTrade, OpenReplenishment, ToldRound};
pub use self::players::PlayerSearch;
pub(crate) use self::players::Players;
pub use self::request::JoinRequest;
pub(crate) use self::request::{AcceptedCommand, BatchResults, CommandInput, Refused, RoundPlayer};
pub(crate) use self::scores::{
    CommandResult, ExecutorNews, Followed, GameScores, Known, RecordedNews, results_source, topics_of,
};
pub(crate) use self::world_call::{WorldCall, intent_for, world_of};

/// The game service's domain.
pub enum Games {}

/// What a decision needs to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A game, also an ended one, which was evicted from memory.
    Game(GameId),
    /// A player, also one that takes part in no active game.
    Player(PlayerSearch),
    /// A robot, also one that is dead or whose owner does not play.
    Robot(RobotId),
    /// The living robots of a player.
    RobotsOf(PlayerId),
}

/// Why a decision changed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rejection {
    /// A rule refuses it.
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

    /// Whoever joins a game is in memory from then on, with all living robots. How many robots live after a report depends on
    /// whether they lived before. A new token must not be lost if its player joins a game later in the batch.
    fn needed_by(change: &Change) -> Vec<Key> {
        match change {
            Change::GameMoved(moved) => match moved.roster {
                Some(RosterChange::Joined { player, .. }) => keys_of_joining(player),
                Some(RosterChange::Left(_) | RosterChange::TakenOut(_)) | None => Vec::new(),
            },
            Change::TokenRenewed { player, .. } => vec![Key::Player(PlayerSearch::Id(*player))],
            _ => Vec::new(),
        }
    }

    fn concerns(change: &Change) -> Interest {
        interest::concerns(change)
    }

    fn evict(image: &mut Image) {
        image.evict();
    }
}

/// What becomes resident when the player joins a game.
pub(crate) fn keys_of_joining(player: PlayerId) -> Vec<Key> {
    vec![Key::Player(PlayerSearch::Id(player)), Key::RobotsOf(player)]
}
