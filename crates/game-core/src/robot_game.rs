//! Which game a robot belongs to. The service that has the robots keeps them over the end of a game, so a robot is still
//! there in the next one, with its cargo, on a planet of a world that nobody plays in any longer.

use jiff::Timestamp;
use starkeep_core_types::GameId;

use crate::game::{Game, State};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RobotGame {
    /// It may act in every game: nobody has asked which one it belongs to.
    #[default]
    Any,
    /// It was announced while no game ran, and belongs to the one that starts next.
    Next,
    Only(GameId),
    /// The service that has the robot has said so: it acts in this game and in no other, in every dialect.
    Own(GameId),
    /// It was spawned before the running game, or while none ran: it acts in none from now on.
    Past,
}

impl RobotGame {
    /// Of a robot that was spawned at this time, told in whole seconds. So a game counts from the full second of its start;
    /// of two that ran in the same second it is the one that started later. Games that have ended need not be known: a robot
    /// of theirs acts no more, whichever it was.
    pub fn at<'a>(time: Timestamp, games: impl IntoIterator<Item = &'a Game>) -> Self {
        let begun = started(games).filter(|(start, _)| start.as_second() <= time.as_second());
        begun.max().map_or(Self::Past, |(_, game)| Self::Only(game))
    }

    /// Of a robot of which only is known that it is there now.
    pub fn now<'a>(games: impl IntoIterator<Item = &'a Game>) -> Self {
        started(games).max().map_or(Self::Next, |(_, game)| Self::Only(game))
    }

    /// What it is when this game has started.
    #[must_use]
    pub fn when_starts(self, game: GameId) -> Self {
        if self == Self::Next { Self::Only(game) } else { self }
    }

    /// May the robot act in this game, which runs?
    pub fn allows(self, game: GameId) -> bool {
        match self {
            Self::Any | Self::Next => true,
            Self::Only(only) | Self::Own(only) => only == game,
            Self::Past => false,
        }
    }
}

/// The games that run, with the time of their start.
fn started<'a>(games: impl IntoIterator<Item = &'a Game>) -> impl Iterator<Item = (Timestamp, GameId)> {
    games.into_iter().filter_map(|game| match &game.state {
        State::Running(running) => Some((running.started_at, game.id)),
        State::Created { .. } | State::Ended(_) => None,
    })
}
