//! What the other services have recorded of a game, over HTTP: the gameworld as it was made, and pages of their events.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{StreamExt as _, TryStreamExt as _};
use http::{HeaderValue, StatusCode, header};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use starkeep_contract::events::Publisher;
use starkeep_game_core::WorldId;
use starkeep_http_client::{Call, Caller, Failure};
use starkeep_platform::clock::Clock;
use uuid::Uuid;

use super::service_callers::{ExecutorCaller, ServiceCallers};
use crate::ports::{LookupFault, RecordedEvent, RecordedEvents, RecordedWorld, Records};

/// For the head of an answer. A page of events, or a large gameworld, is read within a second.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Events of one page; the most that there may be.
const PAGE: usize = 1000;

/// An event takes about a kilobyte, one with many robots or players more.
const LARGEST_PAGE: usize = 64 * 1024 * 1024;

pub struct HttpRecords(ServiceCallers);

impl HttpRecords {
    pub fn new(callers: &ServiceCallers, clock: &Arc<dyn Clock>) -> Self {
        Self(callers.with_timeout(clock, LONGEST_WAIT))
    }

    async fn ask_world(&self, world: WorldId) -> Result<Option<RecordedWorld>, Failure> {
        let gameworld = Call::get(format!("/gameworlds/{world}")).largest_answer(LARGEST_PAGE);
        let Some(gameworld) = if_known(self.0.map.send(&gameworld).await)? else { return Ok(None) };
        let gameworld: Box<RawValue> = gameworld.json()?;
        let planets = Call::get(format!("/gameworlds/{world}/planets?as_made=true"));
        let Some(planets) = if_known(self.0.map.open(&planets).await)? else { return Ok(None) };
        let pieces = planets.into_body().into_data_stream().map_ok(without_line_breaks);
        let planets = pieces.map_err(|fault| fault_of(Publisher::Map, fault.to_string()));
        Ok(Some(RecordedWorld { gameworld: gameworld.get().to_owned(), planets: planets.boxed() }))
    }

    async fn ask_events(
        caller: &Caller,
        subject: &str,
        id: Uuid,
        after: &str,
    ) -> Result<RecordedEvents, Failure> {
        let path = format!("/events?{subject}={id}&limit={PAGE}&after={after}");
        let call = Call::get(path)
            .header(header::ACCEPT, HeaderValue::from_static("application/json"))
            .largest_answer(LARGEST_PAGE);
        let Some(answer) = if_known(caller.send(&call).await)? else { return Ok(RecordedEvents::default()) };
        let page: Page = answer.json()?;
        if page.gap.is_some() {
            return Err(Failure::Unreadable("its log does not go on where it was read before".to_owned()));
        }
        let next = Some(page.next).filter(|_| page.events.len() >= PAGE);
        let events = page.events.iter().map(|event| recorded(event)).collect::<Result<_, _>>()?;
        Ok(RecordedEvents { events, next })
    }
}

impl Records for HttpRecords {
    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<RecordedWorld>, LookupFault>> {
        let asked = self.ask_world(world);
        asked.map(|told| told.map_err(|failure| fault_of(Publisher::Map, failure.to_string()))).boxed()
    }

    fn events<'a>(
        &'a self,
        of: Publisher,
        id: Uuid,
        after: &'a str,
    ) -> BoxFuture<'a, Result<RecordedEvents, LookupFault>> {
        let (caller, subject) = match of {
            Publisher::Map => (Some(self.0.map.clone()), "gameworld_id"),
            Publisher::Robot => (with_log(self.0.robot.as_ref()), "gameId"),
            Publisher::Trading => (with_log(self.0.trading.as_ref()), "gameId"),
            // Its log is read in this process.
            Publisher::Game => (None, "gameId"),
        };
        async move {
            let Some(caller) = caller else { return Ok(RecordedEvents::default()) };
            let told = Self::ask_events(&caller, subject, id, after).await;
            told.map_err(|failure| fault_of(of, failure.to_string()))
        }
        .boxed()
    }
}

/// A page of events whose own JSON is kept as it is.
#[derive(Deserialize)]
struct Page {
    events: Vec<Box<RawValue>>,
    next: String,
    gap: Option<serde::de::IgnoredAny>,
}

/// All that is needed of an event.
#[derive(Deserialize)]
struct EventForm {
    #[serde(default)]
    about: AboutForm,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AboutForm {
    round_number: Option<u32>,
}

fn recorded(event: &RawValue) -> Result<RecordedEvent, Failure> {
    let form: EventForm =
        serde_json::from_str(event.get()).map_err(|fault| Failure::Unreadable(fault.to_string()))?;
    Ok(RecordedEvent { round: form.about.round_number, json: event.get().to_owned() })
}

/// Another implementation of the map has no such route, and a world may have been removed.
fn if_known<T>(answer: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match answer {
        Err(Failure::Refused(refusal)) if refusal.status == StatusCode::NOT_FOUND => Ok(None),
        answer => answer.map(Some),
    }
}

/// Between the values of a JSON document a line break means nothing, and within a text there is none.
fn without_line_breaks(piece: Bytes) -> Bytes {
    if piece.contains(&b'\n') {
        return piece.iter().copied().filter(|byte| *byte != b'\n').collect();
    }
    piece
}

/// Of executors only ours have a log.
fn with_log(executor: Option<&ExecutorCaller>) -> Option<Caller> {
    executor.filter(|executor| executor.is_of_ours()).map(ExecutorCaller::caller)
}

fn fault_of(service: Publisher, reason: String) -> LookupFault {
    LookupFault { service: service.name(), reason }
}
