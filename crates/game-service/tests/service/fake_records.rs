//! Robot, trading and map services that are asked for what happened in a game, in memory: each tells what a test has set.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{self, StreamExt as _};
use starkeep_contract::events::Publisher;
use starkeep_game_core::WorldId;
use starkeep_game_service::ports::{LookupFault, RecordedEvent, RecordedEvents, RecordedWorld, Records};
use uuid::Uuid;

/// So many events are told at once.
const PAGE: usize = 3;

#[derive(Default)]
pub(crate) struct FakeRecords {
    events: Mutex<BTreeMap<&'static str, Vec<RecordedEvent>>>,
    away: Mutex<Option<&'static str>>,
}

impl FakeRecords {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn tell(&self, service: Publisher, events: Vec<RecordedEvent>) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).insert(service.name(), events);
    }

    pub(crate) fn go_away(&self, service: Publisher) {
        *self.away.lock().unwrap_or_else(PoisonError::into_inner) = Some(service.name());
    }

    fn check(&self, service: Publisher) -> Result<(), LookupFault> {
        let away = *self.away.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = || LookupFault { service: service.name(), reason: "it is away".to_owned() };
        if away == Some(service.name()) { Err(fault()) } else { Ok(()) }
    }
}

impl Records for FakeRecords {
    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<RecordedWorld>, LookupFault>> {
        let told = self.check(Publisher::Map).map(|()| {
            let planets = ["[{\"x\":0", ",\"y\":0}]"].map(|piece| Ok(Bytes::from_static(piece.as_bytes())));
            let gameworld = format!(r#"{{"id":"{world}"}}"#);
            Some(RecordedWorld { gameworld, planets: stream::iter(planets).boxed() })
        });
        ready(told).boxed()
    }

    fn events<'a>(
        &'a self,
        of: Publisher,
        _: Uuid,
        after: &'a str,
    ) -> BoxFuture<'a, Result<RecordedEvents, LookupFault>> {
        let told = self.check(of).map(|()| {
            let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            let events = events.get(of.name()).cloned().unwrap_or_default();
            let begin = if after == "start" { 0 } else { after.parse().expect("its own position") };
            let end = events.len().min(begin + PAGE);
            let next = (end < events.len()).then(|| end.to_string());
            RecordedEvents { events: events[begin..end].to_vec(), next }
        });
        ready(told).boxed()
    }
}
