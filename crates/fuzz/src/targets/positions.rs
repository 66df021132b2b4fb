//! Positions of event logs, as a reader sends them back: it gets exactly what is after its position, or a gap and everything.
//! A text that is read as a position is written as it was read.

use serde_json::Value;
use starkeep_contract::Dialect;
use starkeep_platform::events::Position;

use crate::fuzzed_service::FuzzedService;
use crate::hex::percent;
use crate::mutator::Dictionary;
use crate::request::FuzzRequest;
use crate::services::game;
use crate::target::{Subject, Verdict};

pub(super) struct Positions {
    fuzzed: FuzzedService,
    /// Of all events of the log, in their order.
    ids: Vec<String>,
}

/// What a reader is to get.
#[derive(Debug, PartialEq, Eq)]
struct Expected<'a> {
    has_gap: bool,
    ids: &'a [String],
}

impl Positions {
    pub(super) fn open() -> Self {
        let fuzzed = game::open(Dialect::Standard);
        let page = page(&fuzzed, &FuzzRequest::get("/events?limit=1000")).expect("a page of events");
        Self { ids: ids_in(&page), fuzzed }
    }

    fn expected(&self, text: &str) -> Expected<'_> {
        let all = Expected { has_gap: false, ids: &self.ids };
        if let Some(seen) = self.ids.iter().position(|id| id == text) {
            return Expected { ids: &self.ids[seen + 1..], ..all };
        }
        let epoch = self.ids.first().and_then(|id| id.parse().ok()).map(|first: Position| first.epoch);
        // The position before the first event has no event whose id it could name.
        let is_begin =
            text.parse::<Position>().is_ok_and(|text| text.number == 0 && Some(text.epoch) == epoch);
        match text {
            "end" => Expected { ids: &[], ..all },
            "" | "start" => all,
            _ => Expected { has_gap: !is_begin, ..all },
        }
    }
}

impl Subject for Positions {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let text = String::from_utf8_lossy(input);
        let position = text.parse::<Position>();
        if let Ok(position) = position
            && position.to_string() != text
        {
            return Err(format!("`{text}` is read as the position {position}"));
        }
        let by_query = FuzzRequest::get(&format!("/events?limit=1000&after={}", percent(input)));
        let by_header = FuzzRequest::get("/events?limit=1000&after=end").with("last-event-id", input);
        let has_header = by_header.headers.contains_key("last-event-id");
        let expected = self.expected(&text);
        for request in [Some(by_query), Some(by_header).filter(|_| has_header)].into_iter().flatten() {
            let page = page(&self.fuzzed, &request)?;
            let ids = ids_in(&page);
            let found = Expected { has_gap: !page["gap"].is_null(), ids: &ids };
            if found != expected {
                return Err(format!("after `{text}` there is {found:?}, and not {expected:?}"));
            }
            let next = page["next"].as_str().unwrap_or_default();
            if *next != *self.ids.last().map_or("", |last| last) {
                return Err(format!("after `{text}` a reader is told to go on after `{next}`"));
            }
        }
        Ok(format!("{position:?} {} {}", expected.has_gap, expected.ids.len()).replace(char::is_numeric, ""))
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let begin = self.ids.first().map(|id| format!("{}-0-00000000", &id[..16]));
        self.ids.iter().cloned().chain(begin).map(String::into_bytes).collect()
    }

    fn dictionary(&self) -> Dictionary {
        let parts = self.ids.iter().flat_map(|id| id.split('-')).map(|part| part.as_bytes().to_vec());
        Dictionary { words: parts.collect(), lines: Vec::new() }
    }
}

fn page(fuzzed: &FuzzedService, request: &FuzzRequest) -> Result<Value, String> {
    let reply = fuzzed.ask(&request.clone().with("accept", b"application/json"))?;
    if reply.status != 200 {
        return Err(format!("{} is answered with {}", request.path(), reply.status));
    }
    Ok(reply.json())
}

fn ids_in(page: &Value) -> Vec<String> {
    let events = page["events"].as_array().into_iter().flatten();
    events.map(|event| event["id"].as_str().unwrap_or_default().to_owned()).collect()
}
