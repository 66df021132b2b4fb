//! What the clients of the self-test were told: a journal of every acknowledgement, and how often nobody knows what happened.
//! The checks compare it with what the services say later.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
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
    GameRead,
}

impl Operation {
    pub const ALL: [Self; 7] = [
        Self::Registration,
        Self::Game,
        Self::Join,
        Self::Command,
        Self::Mining,
        Self::PlanetRead,
        Self::GameRead,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Registration => "registrations",
            Self::Game => "games created, started, ended",
            Self::Join => "joins",
            Self::Command => "commands",
            Self::Mining => "minings",
            Self::PlanetRead => "reads of planets",
            Self::GameRead => "reads of games",
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
    GameChanged { game: String, change: GameChange, span: Span },
    Command { id: Uuid, game: String, round: u64, invoked: Monotonic },
    Mining { transaction: Uuid, planet: String, mined: i64, left: i64, span: Span },
    PlanetRead { planet: String, amount: i64, span: Span },
    GameRead { game: String, seen: GameState, span: Span },
}

/// What a client does to a game that there is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GameChange {
    Join { player: String },
    Start,
    End,
}

/// What of a game is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GameState {
    /// None where no status is shown, or one that nobody knows.
    pub(crate) status: Option<GameStatus>,
    pub(crate) round: u64,
    pub(crate) players: BTreeSet<String>,
}

impl GameState {
    /// As `GET /games/{gameId}` shows it.
    pub(crate) fn shown(game: &Value) -> Self {
        let players = game["participatingPlayers"].as_array().into_iter().flatten();
        Self {
            status: GameStatus::of(&game["gameStatus"]),
            round: game["currentRoundNumber"].as_u64().unwrap_or_default(),
            players: players.filter_map(|player| player.as_str().map(str::to_owned)).collect(),
        }
    }
}

impl Acknowledged {
    pub(crate) fn operation(&self) -> Operation {
        match self {
            Self::Player { .. } => Operation::Registration,
            Self::GameChanged { change: GameChange::Join { .. }, .. } => Operation::Join,
            Self::GameCreated { .. } | Self::GameChanged { .. } => Operation::Game,
            Self::Command { .. } => Operation::Command,
            Self::Mining { .. } => Operation::Mining,
            Self::PlanetRead { .. } => Operation::PlanetRead,
            Self::GameRead { .. } => Operation::GameRead,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameStatus {
    Created,
    Running,
    Ended,
}

impl GameStatus {
    /// Events call a game started that is shown as running.
    pub(crate) fn of(word: &Value) -> Option<Self> {
        match word.as_str()? {
            "created" => Some(Self::Created),
            "started" | "running" => Some(Self::Running),
            "ended" => Some(Self::Ended),
            _ => None,
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
    /// Of all changes of games that were asked for, when first.
    changes_asked_for: BTreeMap<(String, GameChange), Monotonic>,
    /// Created, and not known to be ended.
    open_games: Vec<String>,
    /// In the order in which they were ended.
    ended_games: Vec<String>,
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

    pub(crate) fn game_created(&self, game: String) {
        self.shared().open_games.push(game.clone());
        self.journal.note(Acknowledged::GameCreated { game });
    }

    pub(crate) fn game_changed(&self, game: String, change: GameChange, span: Span) {
        if change == GameChange::End {
            let mut shared = self.shared();
            shared.open_games.retain(|open| *open != game);
            shared.ended_games.push(game.clone());
        }
        self.journal.note(Acknowledged::GameChanged { game, change, span });
    }

    /// Those that are not ended, and so many that were ended last.
    pub(crate) fn games_to_watch(&self, ended: usize) -> Vec<String> {
        let shared = self.shared();
        shared.open_games.iter().chain(shared.ended_games.iter().rev().take(ended)).cloned().collect()
    }

    /// When it was asked for first: now, or before.
    pub(crate) fn change_asked_for(&self, game: &str, change: &GameChange, now: Monotonic) -> Monotonic {
        *self.shared().changes_asked_for.entry((game.to_owned(), change.clone())).or_insert(now)
    }

    pub(crate) fn changes_asked_for(&self) -> BTreeMap<(String, GameChange), Monotonic> {
        self.shared().changes_asked_for.clone()
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
