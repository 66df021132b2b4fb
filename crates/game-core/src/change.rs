//! What a command did: the game before and after, and everything that has to be committed together with it.
//! Nobody else invents an event; how one is stored or published is not known here.

use crate::game::Game;
use crate::ids::{GameId, PlayerId, RoundId, WorldId};
use crate::round::Round;

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// None: the game was created.
    pub before: Option<Game>,
    /// None: the game was deleted.
    pub after: Option<Game>,
    /// In the order in which they happened.
    pub events: Vec<Event>,
    pub new_round: Option<Round>,
    /// Worlds that the map is to be told about, sooner or later.
    pub retire: Vec<Retirement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Created(GameId),
    Started(GameId),
    Ended(GameId),
    RoundStarted { game: GameId, round: RoundId, number: u32 },
    InputEnded { game: GameId, round: RoundId, number: u32 },
    RoundEnded { game: GameId, round: RoundId, number: u32 },
    PlayerJoined { game: GameId, player: PlayerId },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retirement {
    pub world: WorldId,
    pub how: Retire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retire {
    /// It can still be looked at.
    Deactivate,
    Delete,
}

impl Change {
    /// A change of which nobody is told yet.
    pub(crate) fn new(before: &Game, after: Game) -> Self {
        Self {
            before: Some(before.clone()),
            after: Some(after),
            events: Vec::new(),
            new_round: None,
            retire: Vec::new(),
        }
    }

    pub(crate) fn announcing(self, events: impl IntoIterator<Item = Event>) -> Self {
        Self { events: events.into_iter().collect(), ..self }
    }

    pub(crate) fn opening(self, round: Round) -> Self {
        Self { new_round: Some(round), ..self }
    }

    pub(crate) fn retiring(mut self, worlds: impl IntoIterator<Item = WorldId>, how: Retire) -> Self {
        self.retire.extend(worlds.into_iter().map(|world| Retirement { world, how }));
        self
    }
}

impl Event {
    pub(crate) fn round_started(game: GameId, round: &Round) -> Self {
        Self::RoundStarted { game, round: round.id, number: round.number }
    }

    pub(crate) fn input_ended(game: GameId, round: &Round) -> Self {
        Self::InputEnded { game, round: round.id, number: round.number }
    }

    pub(crate) fn round_ended(game: GameId, round: &Round) -> Self {
        Self::RoundEnded { game, round: round.id, number: round.number }
    }
}
