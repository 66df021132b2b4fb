//! What the clients of the self-test were told: a journal of every acknowledgement, and how often nobody knows what happened.
//! The checks compare it with what the services say later.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use starkeep_clock::Monotonic;
use starkeep_fault_harness::Journal;
use uuid::Uuid;

/// What is done to the services, by what is counted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Registration,
    Game,
    Join,
    Command,
    Mining,
    PlanetRead,
}

impl Operation {
    pub const ALL: [Self; 6] =
        [Self::Registration, Self::Game, Self::Join, Self::Command, Self::Mining, Self::PlanetRead];

    pub fn name(self) -> &'static str {
        match self {
            Self::Registration => "registrations",
            Self::Game => "games created, started, ended",
            Self::Join => "joins",
            Self::Command => "commands",
            Self::Mining => "minings",
            Self::PlanetRead => "reads of planets",
        }
    }
}

/// When a call was made and when its answer was there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) invoked: Monotonic,
    pub(crate) returned: Monotonic,
}

#[derive(Clone, Debug)]
pub(crate) enum Acknowledged {
    Player { name: String, mail: String, id: String },
    GameCreated { game: String },
    GameStarted { game: String },
    GameEnded { game: String },
    Joined { game: String, player: String },
    Command { id: Uuid, game: String, round: u64, invoked: Monotonic },
    Mining { transaction: Uuid, planet: String, mined: i64, left: i64, span: Span },
    PlanetRead { planet: String, amount: i64, span: Span },
}

impl Acknowledged {
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Player { .. } => Operation::Registration,
            Self::GameCreated { .. } | Self::GameStarted { .. } | Self::GameEnded { .. } => Operation::Game,
            Self::Joined { .. } => Operation::Join,
            Self::Command { .. } => Operation::Command,
            Self::Mining { .. } => Operation::Mining,
            Self::PlanetRead { .. } => Operation::PlanetRead,
        }
    }
}

/// Clones are the same records.
#[derive(Clone, Default)]
pub(crate) struct Records {
    pub(crate) journal: Journal<Acknowledged>,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    unknown: BTreeMap<Operation, u64>,
    /// Of all minings that were asked for, when.
    asked_for: BTreeMap<Uuid, Monotonic>,
    /// Minings of which was said that they certainly did not take place.
    not_done: Vec<Uuid>,
}

impl Records {
    /// Nobody knows whether it was done.
    pub(crate) fn unknown(&self, operation: Operation) {
        *self.shared().unknown.entry(operation).or_default() += 1;
    }

    pub(crate) fn unknown_times(&self, operation: Operation) -> u64 {
        self.shared().unknown.get(&operation).copied().unwrap_or_default()
    }

    pub(crate) fn mining_asked_for(&self, transaction: Uuid, at: Monotonic) {
        self.shared().asked_for.insert(transaction, at);
    }

    pub(crate) fn minings_asked_for(&self) -> BTreeMap<Uuid, Monotonic> {
        self.shared().asked_for.clone()
    }

    pub(crate) fn mining_not_done(&self, transaction: Uuid) {
        self.shared().not_done.push(transaction);
    }

    pub(crate) fn minings_not_done(&self) -> Vec<Uuid> {
        self.shared().not_done.clone()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
