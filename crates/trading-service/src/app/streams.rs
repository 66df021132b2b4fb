//! Events of the game and map services: what was received is recorded with the position in the stream, in one commit with the
//! events that it causes. What is known already changes nothing.

use std::sync::{Arc, PoisonError};

use starkeep_executor::{GameEvent, WorldEvent};
use starkeep_http_client::Item;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::events::Position;
use starkeep_platform::lease::Epoch;
use starkeep_trading_core::WorldId;

use super::App;
use super::recording::{ReceivedItem, Recording, player_of, rebuilt};
use crate::domain::{Change, Image, Key, Received, Rejection, Stream, Trading};
use crate::wire::events::EventMaker;

/// The games as the game service answered when it was asked.
struct Asked {
    rosters: Arc<[u8]>,
    /// How far its events reached then, at least.
    until: Option<Position>,
}

impl App {
    /// Items of the game service's stream that arrived together, and the position of the last one. After a gap the games are
    /// asked for; what the stream then repeats is older than the answer.
    pub(crate) async fn record_game_items(
        &self,
        epoch: Epoch,
        items: &[Item],
        position: String,
    ) -> Result<(), String> {
        let has_gap = items.iter().any(|item| matches!(item, Item::Gap(_)));
        let asked = if has_gap { Some(self.ask_for_games().await?) } else { None };
        let mut until = *self.asked_until.lock().unwrap_or_else(PoisonError::into_inner);
        let mut received = Vec::new();
        for item in items {
            match (item, &asked) {
                (Item::Event(event), _) => match GameEvent::read(event) {
                    Ok(event_read) => {
                        let is_old = is_up_to(&event.id, until);
                        received.extend(event_read.map(|event| ReceivedItem::Event { event, is_old }));
                    }
                    Err(fault) => skip(&event.id, &fault),
                },
                (Item::Gap(_), Some(asked)) => {
                    received.push(ReceivedItem::Gap { rosters: asked.rosters.clone() });
                    until = asked.until;
                }
                (Item::Gap(_), None) => {}
            }
        }
        *self.asked_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
        let read = self.position(Stream::Game);
        // Before the first item nothing was missed: the gap is only how the whole stream is asked for.
        let gap = (has_gap && read.is_some()).then(|| self.clock.wall());
        let position = if is_up_to(&position, until) {
            // Whoever starts anew on the way comes by the gap again, and so knows what is old.
            read.filter(|_| gap.is_some())
        } else {
            Some(position).filter(|_| !received.is_empty())
        };
        self.record(epoch, received, Vec::new(), position.map(|position| (Stream::Game, position)), gap).await
    }

    /// Items of the map service's stream that arrived together. What a gap left out is asked for when a game needs it.
    pub(crate) async fn record_map_items(
        &self,
        epoch: Epoch,
        items: &[Item],
        position: String,
    ) -> Result<(), String> {
        let has_gap = items.iter().any(|item| matches!(item, Item::Gap(_)));
        let mut worlds = Vec::new();
        for item in items {
            let Item::Event(event) = item else { continue };
            match WorldEvent::read(event) {
                Ok(world) => worlds.extend(world),
                Err(fault) => skip(&event.id, &fault),
            }
        }
        let is_first = self.position(Stream::Map).is_none();
        let gap = (has_gap && !is_first).then(|| self.clock.wall());
        let position = Some((Stream::Map, position)).filter(|_| has_gap || !worlds.is_empty());
        self.record(epoch, Vec::new(), worlds, position, gap).await
    }

    /// A gameworld that a game plays and of which no event was received.
    pub(crate) async fn ask_for_world(&self, epoch: Epoch, world: WorldId) -> Result<(), String> {
        let world = self.others.world(world).await?;
        self.record(epoch, Vec::new(), world.into_iter().collect(), None, None).await
    }

    async fn ask_for_games(&self) -> Result<Asked, String> {
        let asked = async {
            // First: what happened up to there is in the answer.
            let until = self.others.game_position().await?.parse().ok();
            let rosters: Arc<[u8]> = self.others.rosters().await?.into();
            rebuilt(&rosters, &self.image()).map_err(|fault| {
                format!("the game service's answer to GET /rosters cannot be read: {fault}")
            })?;
            Ok(Asked { rosters, until })
        };
        let asked: Result<Asked, String> = asked.await;
        let fault = asked.as_ref().err().cloned();
        *self.rebuild_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        asked
    }

    async fn record(
        &self,
        epoch: Epoch,
        received: Vec<ReceivedItem>,
        worlds: Vec<WorldEvent>,
        position: Option<(Stream, String)>,
        gap: Option<jiff::Timestamp>,
    ) -> Result<(), String> {
        let (seed, now, image) = (self.chance.bits(), self.clock.wall(), self.image());
        let mut keys: Vec<_> = received.iter().flat_map(|item| item.games(&image)).map(Key::Market).collect();
        keys.extend(worlds.iter().filter_map(|world| player_of(&image.games, world.world)).map(Key::Market));
        let work = Decision::<Trading, ()>::new(keys, move |image: &Image| {
            let mut recording = Recording::new(image, EventMaker::new(seed, now));
            for item in &received {
                recording.record(item);
            }
            for world in &worlds {
                recording.world(world);
            }
            let Recording { moves, events, .. } = recording;
            if moves.is_empty() && position.is_none() {
                return Err(Rejection::NothingToDo);
            }
            let received = Received { moves, position: position.clone(), gap };
            Ok(Decided { change: Change::Received(received), events, output: () })
        });
        match self.apply(work.fenced_by(epoch)).await {
            Ok(()) | Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(()),
            Err(failure) => Err(format!("{failure:?}")),
        }
    }
}

/// Positions of another log cannot be compared: what stands there is new.
fn is_up_to(position: &str, until: Option<Position>) -> bool {
    let position = position.parse::<Position>().ok();
    position
        .zip(until)
        .is_some_and(|(position, until)| position.epoch == until.epoch && position.number <= until.number)
}

/// It would not become readable by reading it again.
fn skip(id: &str, fault: &serde_json::Error) {
    tracing::error!(%fault, event = id, "an event cannot be read, and is left out");
}
