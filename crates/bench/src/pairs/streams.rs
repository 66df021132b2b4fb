//! What is read of the log: streams by one reader and by many, and a reader who comes back near the end.
//! The log is long, and beside the streams there is none at all.

use std::path::Path;

use serde::Deserialize;

use super::{Measure, Pair, under_load};
use crate::failure::Failure;
use crate::http;
use crate::long_log::long_log;
use crate::one_core::OneCore;
use crate::prepare::{create_world, get_json};
use crate::program::Server;
use crate::streaming::Streaming;

/// Logs that are to be resumed from in the same time.
pub(crate) const LONG: u32 = 1_000_000;
pub(crate) const MEDIUM: u32 = 100_000;
pub(crate) const SHORT: u32 = 10_000;

#[derive(Deserialize)]
struct EventPage {
    events: Vec<PublishedEvent>,
    next: String,
}

#[derive(Deserialize)]
pub(super) struct PublishedEvent {
    id: String,
    pub(super) headers: serde_json::Value,
    pub(super) payload: serde_json::Value,
}

/// A long log of stations, read from its beginning; beside it there is no log at all.
pub(crate) fn events(executable: &Path, readers: usize) -> Result<Pair, Failure> {
    let starkeep = with_long_log(executable)?;
    let event = first_station(&starkeep)?;
    let data = serde_json::json!({ "headers": event.headers, "payload": event.payload }).to_string();
    let bare = {
        let _one_core = OneCore::hold()?;
        Server::bare_stream(&data)?
    };
    Ok(Pair { ours: reads(starkeep, readers), bare: reads(bare, readers) })
}

/// The same log, read by many and by one.
pub(crate) fn readers(executable: &Path, many: usize, few: usize) -> Result<Pair, Failure> {
    Ok(Pair { ours: reads(with_long_log(executable)?, many), bare: reads(with_long_log(executable)?, few) })
}

/// The log has more than a reader takes in the longest slice, so that it stays on one connection here and on the bare side:
/// what is measured is the delivery, and not how new connections get up to speed.
fn with_long_log(executable: &Path) -> Result<Server, Failure> {
    let home = long_log(executable, LONG)?;
    let _one_core = OneCore::hold()?;
    Server::starkeep_map(executable, &home)
}

pub(super) fn first_station(starkeep: &Server) -> Result<PublishedEvent, Failure> {
    let page: EventPage = get_json(starkeep, "/events?channels=spacestation-created&limit=1")?;
    page.events.into_iter().next().ok_or_else(|| Failure::new("the log is empty"))
}

fn reads(server: Server, readers: usize) -> Measure {
    let request = http::get_stream(server.address, "/events?after=start").into();
    let streaming = Streaming { address: server.address, request, readers };
    Box::new(move |slice| {
        let _one_core = OneCore::hold()?;
        server.metered(|| streaming.run(slice))
    })
}

/// The events of a large world at the end of the log; a reader comes back to another page of it each time, so
/// that what it asks for is not in memory.
pub(crate) fn resumes(executable: &Path, log: u32) -> Result<Measure, Failure> {
    let home = long_log(executable, log)?;
    let starkeep = Server::starkeep_map(executable, &home)?;
    let mut page: EventPage = get_json(&starkeep, "/events?after=end")?;
    create_world(&starkeep, 6_000, 2)?;
    let mut seen = Vec::new();
    loop {
        page = get_json(&starkeep, &format!("/events?limit=256&after={}", page.next))?;
        let Some(event) = page.events.pop() else { break };
        seen.push(event.id);
    }
    drop(starkeep);
    let starkeep = Server::starkeep_map(executable, &home)?;
    // The last page has nothing after its end.
    seen.pop();
    let requests = seen
        .iter()
        .map(|id| http::get(starkeep.address, &format!("/events?limit=1&after={id}")))
        .collect::<Vec<_>>();
    Ok(under_load(starkeep, requests, 1, 200))
}
