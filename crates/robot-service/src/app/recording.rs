//! Recording events of the game service: those that are there and the position after them are one commit.
//! Events that say nothing to robots (who joined, that a round began) wait for a later one, and so do rounds where no other
//! replica needs to know of them: see `read_ahead`.

use std::sync::PoisonError;

use jiff::Timestamp;
use starkeep_executor::{GameChange, GameEvent, Games, RoundState};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;
use tokio::sync::watch;

use super::{App, Outcome};
use crate::domain::{Change, Image, ReceivedGame, Rejection};

/// What an item of the stream tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReceivedItem {
    Event(GameEvent),
    /// Events may be missing here.
    Gap,
}

impl App {
    /// How far the game service's events were read.
    pub(crate) fn game_position(&self) -> Option<String> {
        self.store.image().position.clone()
    }

    /// The reading begins anew.
    pub(crate) fn forget_read_ahead(&self) {
        self.read_ahead.clear();
    }

    /// What was read of the events, up to this position: one commit, at once or later. After a gap the games are asked for, and
    /// only then the position is kept.
    pub(crate) async fn record_items(
        &self,
        epoch: Epoch,
        received: Vec<ReceivedItem>,
        position: String,
    ) -> Result<(), String> {
        let (image, read) = (self.store.image(), received.len());
        let has_gap = received.contains(&ReceivedItem::Gap);
        // Before the first item nothing was missed: the gap is only how everything is asked for.
        let gap = (has_gap && image.position.is_some()).then(|| self.clock.wall());
        if gap.is_some() {
            tracing::warn!("events of the game service are missing; its games are asked for");
        }
        let events = self.events_of(received, image.games.clone()).await;
        let outcome = match events {
            Ok(events) if !has_gap && self.may_wait(&events) && self.read_ahead.add(&events, read) => Ok(()),
            Ok(events) => {
                let events = [self.read_ahead.events(), events].concat();
                let recorded = self.record(epoch, events, position, gap).await.map_err(describe);
                recorded.inspect(|()| self.read_ahead.clear())
            }
            Err(fault) => Err(fault),
        };
        if has_gap {
            *self.gap.lock().unwrap_or_else(PoisonError::into_inner) = outcome.clone().err();
        }
        outcome
    }

    /// Other replicas read no events: what they do not find in the store they do not know.
    fn may_wait(&self, events: &[GameEvent]) -> bool {
        events.is_empty() || !self.replicas.is_shared()
    }

    /// Why what was missed of the game service's events is not known yet. Whoever does not lead does not ask, and what stopped
    /// it when it led is no longer true.
    pub(crate) fn gap(&self) -> Option<String> {
        self.replicas.lease().current()?;
        self.gap.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When events were missed for the last time.
    pub(crate) fn last_gap(&self) -> Option<Timestamp> {
        self.store.image().last_gap
    }

    pub(crate) fn watch_game(&self, is_reached: watch::Receiver<bool>) {
        *self.game_is_reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(is_reached);
    }

    /// Is the game service followed, and cannot be reached? Who does not follow it does not know.
    pub(crate) fn is_game_away(&self) -> bool {
        let is_reached = self.game_is_reached.lock().unwrap_or_else(PoisonError::into_inner);
        is_reached.as_ref().is_some_and(|reached| reached.has_changed().is_ok() && !*reached.borrow())
    }

    /// What changes anything, in the order in which it was received. `known`: the games before it.
    async fn events_of(
        &self,
        received: Vec<ReceivedItem>,
        mut known: Games,
    ) -> Result<Vec<GameEvent>, String> {
        let mut all = Vec::new();
        for received in received {
            let events = match received {
                ReceivedItem::Event(event) if tells_something(&event.change) => vec![event],
                ReceivedItem::Event(_) => Vec::new(),
                ReceivedItem::Gap => self.game_service.missed_events(&known).await?,
            };
            all.extend(events.into_iter().filter(|event| known.absorb(event)));
        }
        Ok(all)
    }

    async fn record(
        &self,
        epoch: Epoch,
        events: Vec<GameEvent>,
        position: String,
        gap: Option<Timestamp>,
    ) -> Outcome<()> {
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let mut games = image.games.clone();
            let mut received: Vec<_> =
                events.iter().filter(|event| games.absorb(event)).map(|event| event.game).collect();
            received.sort_unstable();
            received.dedup();
            let games =
                received.into_iter().map(|id| ReceivedGame { id, state: games.get(id).copied() }).collect();
            let change = Change::Received { position: position.clone(), gap, games };
            Ok(Decided { change, events: Vec::new(), output: () })
        });
        self.apply(work.fenced_by(epoch)).await
    }
}

fn tells_something(events: &GameChange) -> bool {
    match events {
        GameChange::Created | GameChange::Started { .. } | GameChange::Ended | GameChange::Deleted => true,
        GameChange::Round { state, .. } => *state == RoundState::InputEnded,
        GameChange::Joined { .. } | GameChange::Left { .. } => false,
    }
}

fn describe(failure: Failure<Rejection>) -> String {
    match failure {
        Failure::Store(fault) => fault.to_string(),
        Failure::Expired => "the storage was busy for too long".to_owned(),
        Failure::AnsweredElsewhere => "another replica has answered it".to_owned(),
        Failure::Rejected(rejection) => format!("refused: {rejection:?}"),
    }
}
