//! What a command did: the game before and after, and everything that has to be committed together with it.
//! Nobody else invents an event; how one is stored or published is not known here.

use std::time::Duration;

use starkeep_core_types::{GameId, PlayerId, RoundId, WorldId};
use uuid::Uuid;

use crate::game::Game;
use crate::round::{Phase, Round};
use crate::time::Moment;

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// None: the game was created.
    pub before: Option<Game>,
    /// None: the game was deleted.
    pub after: Option<Game>,
    /// In the order in which they happened.
    pub events: Vec<Event>,
    pub new_round: Option<Round>,
    pub roster: Option<RosterChange>,
    /// Who has just said to be ready.
    pub ready: Option<PlayerId>,
    /// What becomes of commands that were not sent, where a round is over.
    pub unsent: Option<UnsentReason>,
    /// Worlds that are to be retired at the map, sooner or later.
    pub retire: Vec<Retirement>,
    /// The game's world is to be replenished before the round that begins here.
    pub replenish: bool,
    /// Why the game ends here, if it does.
    pub end: Option<EndReason>,
}

/// What brings a game to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Its last round is over.
    RoundsOver,
    ByHost,
    /// The host has set fewer rounds than it has begun.
    MaxRoundsLowered,
}

/// Who came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RosterChange {
    /// The transaction links the join to what comes of it elsewhere; of joins from long ago it is not known.
    Joined { player: PlayerId, transaction: Option<Uuid> },
    /// Before the start: nothing of the player stays.
    Left(PlayerId),
    /// After the start: the player keeps the place.
    TakenOut(PlayerId),
}

/// Why commands of a round that is over were not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsentReason {
    /// The execution phase was over before it came to them.
    OutOfTime,
    /// The game was ended first.
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Created(GameId),
    Started(GameId),
    Ended(GameId),
    Deleted(GameId),
    RoundStarted {
        game: GameId,
        round: RoundId,
        number: u32,
    },
    InputEnded {
        game: GameId,
        round: RoundId,
        number: u32,
    },
    RoundEnded {
        game: GameId,
        round: RoundId,
        number: u32,
    },
    PlayerJoined {
        game: GameId,
        player: PlayerId,
    },
    PlayerLeft {
        game: GameId,
        player: PlayerId,
        /// That of the join.
        transaction: Option<Uuid>,
    },
    /// A host has changed the clock, which now stands as shown; no phase where none is open.
    Clock {
        game: GameId,
        change: ClockChange,
        round: u32,
        open: Option<(Phase, Duration)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    Paused,
    Resumed,
    Stepped,
    Pace,
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
    /// The same, but its seed stays hidden: the world that replaced it may have the same.
    Seal,
    Delete,
}

impl Change {
    /// A change without events.
    pub(crate) fn new(before: &Game, after: Game) -> Self {
        Self {
            before: Some(before.clone()),
            after: Some(after),
            events: Vec::new(),
            new_round: None,
            roster: None,
            ready: None,
            unsent: None,
            retire: Vec::new(),
            replenish: false,
            end: None,
        }
    }

    pub(crate) fn announcing(self, events: impl IntoIterator<Item = Event>) -> Self {
        Self { events: events.into_iter().collect(), ..self }
    }

    /// Announces what was done to the clock, after all other events.
    pub(crate) fn announcing_clock(mut self, change: ClockChange, at: Moment) -> Self {
        self.events.extend(self.after.as_ref().map(|game| Event::clock(change, game, at)));
        self
    }

    pub(crate) fn opening(self, round: Round) -> Self {
        Self { new_round: Some(round), ..self }
    }

    pub(crate) fn with_unsent(self, unsent: UnsentReason) -> Self {
        Self { unsent: Some(unsent), ..self }
    }

    pub(crate) fn retiring(mut self, worlds: impl IntoIterator<Item = WorldId>, how: Retire) -> Self {
        self.retire.extend(worlds.into_iter().map(|world| Retirement { world, how }));
        self
    }
}

impl Event {
    pub(crate) fn clock(change: ClockChange, game: &Game, at: Moment) -> Self {
        let open = game.time(at).and_then(|clock| clock.phase.zip(clock.phase_ends_in));
        Self::Clock { game: game.id, change, round: game.current_round(), open }
    }

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
