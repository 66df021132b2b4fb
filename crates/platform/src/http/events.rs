//! `GET /events`: the log over plain HTTP, as a stream (Server-Sent Events) or as pages.
//! Both forms read the same log after the same positions; none of them holds anything a slow client could fill.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use futures::stream;
use http::{HeaderMap, HeaderValue, header};
use serde::Deserialize;
use starkeep_contract::events::{Channel, EventPage, KEEP_ALIVE_MILLIS, Publisher};
use starkeep_contract::{Bounded, Code, Problem, bounded};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::IntoParams;
use uuid::Uuid;

use super::auth::AdminToken;
use super::documented_problems::{BadParameter, TooManyReaders};
use super::{ErrorResponse, Params};
use crate::clock::{Clock, Monotonic};
use crate::decision::StoreFault;
use crate::events::{Audience, Batch, CommittedEvent, Filter, From, Log, Pages, Reader};
use crate::tasks::Stop;

/// How a stream is kept up.
struct Upkeep {
    /// A comment keeps a silent stream from being taken for dead.
    keep_alive_millis: u64,
    /// What a stream begins with: how long a client waits before it comes back.
    retry: &'static str,
}

const OF_ONE_PROCESS: Upkeep = Upkeep { keep_alive_millis: 15_000, retry: "retry: 1000\n\n" };
/// Whose replica dies or hangs finds another one at once, if it notices.
const OF_REPLICAS: Upkeep = Upkeep { keep_alive_millis: 1_000, retry: "retry: 100\n\n" };
/// A chunk of a stream is about so large at most.
const CHUNK: usize = 64 * 1024;

/// See `CommonStore::catch_up`.
pub type CatchUp = Arc<dyn Fn() -> BoxFuture<'static, Result<(), StoreFault>> + Send + Sync>;

/// What the endpoint needs to know.
#[derive(Clone)]
pub struct EventFeed {
    /// Waits until the log has all that any replica acknowledged before: a reader may come from another one.
    pub catch_up: CatchUp,
    /// Do other replicas offer the same log?
    pub is_shared: bool,
    pub log: Arc<Log>,
    pub pages: Arc<dyn Pages>,
    /// The channels of this service.
    pub channels: &'static [Channel],
    /// Shows a reader to be the host.
    pub admin_token: AdminToken,
    /// Has the game or gameworld ended? Then everybody sees which players and robots its events are about.
    pub has_ended: Arc<dyn Fn(Uuid) -> bool + Send + Sync>,
    pub clock: Arc<dyn Clock>,
    /// A place for each stream that may be open at a time.
    pub streams: Arc<Semaphore>,
    pub stop: Stop,
}

impl EventFeed {
    fn upkeep(&self) -> &'static Upkeep {
        if self.is_shared { &OF_REPLICAS } else { &OF_ONE_PROCESS }
    }

    /// Without an admin token everybody is a host.
    fn is_host(&self, headers: &HeaderMap) -> bool {
        !self.admin_token.is_set() || self.admin_token.is_shown_in(headers)
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// Only these channels, separated by commas; all if absent.
    channels: Option<String>,
    /// The last position seen; `start` is before the oldest kept event, `end` is now. `Last-Event-ID` wins.
    after: Option<String>,
    /// Only events about this game. Not at the map service.
    #[serde(rename = "gameId")]
    game_id: Option<Uuid>,
    /// Only events about this gameworld. At the map service only.
    gameworld_id: Option<Uuid>,
    /// Pages only: how many events at most.
    #[serde(default, deserialize_with = "bounded::from_text")]
    #[param(inline)]
    limit: Option<Bounded<1, 1000>>,
    /// Pages only: how many seconds to wait for a first event.
    #[serde(default, deserialize_with = "bounded::from_text")]
    #[param(inline)]
    wait: Option<Bounded<0, 30>>,
}

/// Follow the events of this service.
///
/// As Server-Sent Events by default, as a page with `Accept: application/json`. From where a reader begins no event is missing,
/// doubled or out of order; a position that is of no use here is answered with a `gap` first, then with all that is kept.
/// Which player and robot an event is about is shown to the host, and to everybody once the game has ended.
#[utoipa::path(get, path = "/events", operation_id = "getEvents", tag = "events", params(Wanted, ("Last-Event-ID" = Option<String>, Header,
    description = "The last position seen; wins over `after`.")), responses(
    (status = 200, description = "The stream, or a page", content(
        (String = "text/event-stream", example = "event: status\nid: 5f0d…-17-9bd1e2f0\ndata: {\"headers\":{…},\"payload\":{…},\"about\":{…}}\n\n"),
        (EventPage = "application/json"),
    )),
    BadParameter, TooManyReaders,
))]
pub async fn events(
    State(feed): State<EventFeed>,
    headers: HeaderMap,
    Params(wanted): Params<Wanted>,
) -> Result<Response, ErrorResponse> {
    let filter = Filter {
        channels: channels_of(&feed, wanted.channels.as_deref())?,
        subject: subject_of(&feed, wanted.game_id, wanted.gameworld_id)?,
    };
    let is_host = feed.is_host(&headers);
    let named =
        headers.get("last-event-id").map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let after = named.or(wanted.after).filter(|text| !text.is_empty()).map(|text| match text.as_str() {
        "start" => From::Start,
        "end" => From::End,
        _ => From::After(text),
    });
    if wants_page(&headers) {
        let reader = open(&feed, &after.unwrap_or(From::Start), filter).await?;
        let limit = wanted.limit.map_or(100, Bounded::as_u32) as usize;
        let wait = Duration::from_secs(wanted.wait.map_or(0, Bounded::as_u64));
        page(&feed, reader, is_host, limit, wait).await
    } else {
        let place = feed.streams.clone().try_acquire_owned().map_err(|_| too_many_streams())?;
        let reader = open(&feed, &after.unwrap_or(From::End), filter).await?;
        Ok(stream_of(feed, reader, is_host, place))
    }
}

fn too_many_streams() -> Problem {
    let text = "as many streams of events are open as this service serves at a time";
    Problem::new(Code::TooManyReaders, text).retry_after(5)
}

async fn open(feed: &EventFeed, from: &From, filter: Filter) -> Result<Reader, ErrorResponse> {
    (feed.catch_up)().await.map_err(|fault| ErrorResponse::unreadable(&fault.to_string()))?;
    Reader::new(feed.log.clone(), feed.pages.clone(), from, filter).await.map_err(unreadable)
}

/// A stream is the default; a page is for who asks for JSON and not for a stream.
fn wants_page(headers: &HeaderMap) -> bool {
    let accepts = |kind: &str| {
        headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|range| range.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind))
    };
    accepts("application/json") && !accepts("text/event-stream")
}

fn channels_of(feed: &EventFeed, names: Option<&str>) -> Result<Vec<Channel>, ErrorResponse> {
    let names = names.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<_> = names.collect();
    let channel = |(number, name): (usize, &&str)| {
        let known = Channel::from_name(name).filter(|channel| feed.channels.contains(channel));
        known.ok_or_else(|| {
            let list: Vec<_> = feed.channels.iter().map(|channel| channel.name()).collect();
            let (number, of, list) = (number + 1, names.len(), list.join(", "));
            // Its name is not repeated: it may be a secret in the wrong place.
            let text = format!("`channels`: number {number} of {of} is not known here; known are {list}");
            Problem::new(Code::InvalidParameter, text).at_field("channels").into()
        })
    };
    names.iter().enumerate().map(channel).collect()
}

/// What the events of this service are about, by the parameter that names it.
fn subject_of(
    feed: &EventFeed,
    game: Option<Uuid>,
    world: Option<Uuid>,
) -> Result<Option<Uuid>, ErrorResponse> {
    let is_map = feed.channels.iter().any(|channel| channel.publisher() == Publisher::Map);
    let (subject, other, field, instead) = if is_map {
        (world, game, "gameId", "gameworld_id")
    } else {
        (game, world, "gameworld_id", "gameId")
    };
    if other.is_some() {
        let text = format!("`{field}`: the events of this service are not about that; use `{instead}`");
        return Err(Problem::new(Code::InvalidParameter, text).at_field(field).into());
    }
    Ok(subject)
}

async fn page(
    feed: &EventFeed,
    mut reader: Reader,
    is_host: bool,
    limit: usize,
    wait: Duration,
) -> Result<Response, ErrorResponse> {
    let mut gap = None;
    let mut events = Vec::new();
    let until = feed.clock.monotonic().after(wait);
    while events.len() < limit {
        let Batch { gap: found, events: read } = reader.take().await.map_err(unreadable)?;
        gap = gap.or(found);
        let nothing = read.is_empty();
        events.extend(read);
        if nothing {
            if !events.is_empty() || gap.is_some() || feed.stop.is_cancelled() {
                break;
            }
            // The new events may be of other channels, so it waits again until the time is over.
            tokio::select! {
                biased;
                () = feed.clock.sleep_until(until) => break,
                () = feed.stop.cancelled() => break,
                () = reader.new_events() => {}
            }
        }
    }
    if events.len() > limit {
        events.truncate(limit);
        reader.back_to(events[limit - 1].number);
    }
    let epoch = reader.epoch();
    let mut text = String::from(r#"{"events":["#);
    for (index, event) in events.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        event.write_item(epoch, audience(feed, is_host, event), &mut text);
    }
    let next = reader.position().await.map_err(unreadable)?;
    let gap = serde_json::to_string(&gap).expect("a gap is plain data");
    let _ = write!(text, r#"],"next":"{next}","gap":{gap}}}"#);
    text.push('\n');
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// What is shown of an event depends on how its game stands when it is sent.
fn audience(feed: &EventFeed, is_host: bool, event: &CommittedEvent) -> Audience {
    if is_host || (feed.has_ended)(event.about.subject) { Audience::Host } else { Audience::Public }
}

fn stream_of(feed: EventFeed, reader: Reader, is_host: bool, place: OwnedSemaphorePermit) -> Response {
    let upkeep = feed.upkeep();
    let opening = Some(Bytes::from_static(upkeep.retry.as_bytes()));
    let keep_alive = Duration::from_millis(upkeep.keep_alive_millis);
    let quiet_until = feed.clock.monotonic().after(keep_alive);
    let streaming = Streaming { feed, reader, is_host, opening, quiet_until, _place: place };
    let chunks = stream::unfold(streaming, move |mut streaming| async move {
        let chunk = streaming.next_chunk().await?;
        streaming.quiet_until = streaming.feed.clock.monotonic().after(keep_alive);
        Some((Ok::<_, std::convert::Infallible>(chunk), streaming))
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(KEEP_ALIVE_MILLIS, HeaderValue::from(upkeep.keep_alive_millis));
    // Proxies that buffer would hold events back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct Streaming {
    feed: EventFeed,
    reader: Reader,
    is_host: bool,
    opening: Option<Bytes>,
    /// When a comment is due, unless something is sent before.
    quiet_until: Monotonic,
    /// Free again when the stream is dropped.
    _place: OwnedSemaphorePermit,
}

impl Streaming {
    /// `None` ends the stream: the service stops, or the log cannot be read; the client comes back and goes on.
    async fn next_chunk(&mut self) -> Option<Bytes> {
        if let Some(opening) = self.opening.take() {
            return Some(opening);
        }
        loop {
            if self.feed.stop.is_cancelled() {
                return None;
            }
            let batch = match self.reader.take().await {
                Ok(batch) => batch,
                Err(fault) => {
                    tracing::warn!(%fault, "an event stream was ended");
                    return None;
                }
            };
            if let Some(chunk) = self.render(&batch) {
                return Some(chunk);
            }
            tokio::select! {
                biased;
                () = self.feed.stop.cancelled() => return None,
                () = self.feed.clock.sleep_until(self.quiet_until) => {
                    // A replica that does not hear of the others has nothing to tell; another one may have.
                    if self.feed.is_shared && let Err(fault) = (self.feed.catch_up)().await {
                        tracing::debug!(?fault, "an event stream was ended: what others committed is not known");
                        return None;
                    }
                    return Some(Bytes::from_static(b": keep-alive\n\n"));
                }
                () = self.reader.new_events() => {}
            }
        }
    }

    fn render(&mut self, batch: &Batch) -> Option<Bytes> {
        let epoch = self.reader.epoch();
        if let (None, [only]) = (&batch.gap, &batch.events[..]) {
            return Some(only.frame(epoch, audience(&self.feed, self.is_host, only)));
        }
        let mut chunk = BytesMut::new();
        if let Some(gap) = &batch.gap {
            let gap = serde_json::to_string(gap).expect("a gap is plain data");
            chunk.extend_from_slice(format!("event: gap\ndata: {gap}\n\n").as_bytes());
        }
        for event in &batch.events {
            chunk.extend_from_slice(&event.frame(epoch, audience(&self.feed, self.is_host, event)));
            if chunk.len() >= CHUNK {
                self.reader.back_to(event.number);
                break;
            }
        }
        (!chunk.is_empty()).then(|| chunk.freeze())
    }
}

fn unreadable(fault: impl AsRef<str>) -> ErrorResponse {
    ErrorResponse::unreadable(fault.as_ref())
}
