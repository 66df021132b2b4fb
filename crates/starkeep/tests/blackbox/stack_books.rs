//! What the trading service of the existing stack knows, and when it forgets all of it: at the end of a game, whichever that is, and
//! when a game is created while one is current. When its consumers learn something is in `stack_trading`.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

#[derive(Clone, Debug)]
pub(crate) struct Books {
    /// What a player begins with.
    pub(crate) purse: u64,
    current: Option<Uuid>,
    known: BTreeSet<Uuid>,
    pub(crate) players: BTreeMap<Uuid, u64>,
    pub(crate) stations: BTreeSet<Uuid>,
    pub(crate) wiped: Vec<Wiped>,
}

/// What there was when a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wiped {
    pub(crate) game: Uuid,
    pub(crate) players: BTreeSet<Uuid>,
    pub(crate) stations: BTreeSet<Uuid>,
}

impl Wiped {
    /// Is something of the other not among it?
    pub(crate) fn lacks(&self, other: &Self) -> bool {
        !(self.players.is_superset(&other.players) && self.stations.is_superset(&other.stations))
    }
}

impl Books {
    pub(crate) fn new() -> Self {
        Self {
            purse: 200,
            current: None,
            known: BTreeSet::new(),
            players: BTreeMap::new(),
            stations: BTreeSet::new(),
            wiped: Vec::new(),
        }
    }

    pub(crate) fn status(&mut self, game: Uuid, status: &str) {
        match status {
            "created" => {
                // Also if it is the same.
                if let Some(current) = self.current {
                    self.wipe(current);
                }
                self.known.insert(game);
                self.current = Some(game);
            }
            // Whichever game it was.
            "ended" if self.known.contains(&game) => self.wipe(game),
            _ => {}
        }
    }

    fn wipe(&mut self, game: Uuid) {
        self.current = None;
        let players = std::mem::take(&mut self.players).into_keys().collect();
        self.wiped.push(Wiped { game, players, stations: std::mem::take(&mut self.stations) });
    }
}
