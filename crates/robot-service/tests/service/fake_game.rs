//! A game service in memory: it knows whose token is whose, and what was missed of its events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures::future::{BoxFuture, FutureExt as _, ready};
use starkeep_executor::{GameEvent, Games};
use starkeep_robot_core::PlayerId;
use starkeep_robot_service::ports::GameService;
use uuid::Uuid;

#[derive(Default)]
pub(crate) struct FakeGame {
    tokens: Mutex<BTreeMap<String, PlayerId>>,
    away: Mutex<bool>,
    missed: Mutex<Vec<GameEvent>>,
    asked_with: Mutex<Games>,
}

impl FakeGame {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub(crate) fn know(&self, token: &str, player: Uuid) {
        self.tokens.lock().unwrap().insert(token.to_owned(), PlayerId(player));
    }

    pub(crate) fn set_away(&self, away: bool) {
        *self.away.lock().unwrap() = away;
    }

    /// What a gap is bridged with.
    pub(crate) fn set_missed(&self, events: Vec<GameEvent>) {
        *self.missed.lock().unwrap() = events;
    }

    /// The games that were known when it was asked for the last time.
    pub(crate) fn asked_with(&self) -> Games {
        self.asked_with.lock().unwrap().clone()
    }

    fn or_away<T>(&self, answer: T) -> Result<T, String> {
        if *self.away.lock().unwrap() { Err("nobody is there".to_owned()) } else { Ok(answer) }
    }
}

impl GameService for FakeGame {
    fn player_of<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<PlayerId>, String>> {
        let player = self.tokens.lock().unwrap().get(token).copied();
        ready(self.or_away(player)).boxed()
    }

    fn missed_events<'a>(&'a self, known: &'a Games) -> BoxFuture<'a, Result<Vec<GameEvent>, String>> {
        *self.asked_with.lock().unwrap() = known.clone();
        let missed = self.missed.lock().unwrap().clone();
        ready(self.or_away(missed)).boxed()
    }
}
