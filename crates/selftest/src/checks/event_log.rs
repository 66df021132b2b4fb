//! The log of one service, read over its API from where the last reading ended. It must be dense: each position one after the last.

use http::HeaderValue;
use serde_json::Value;
use starkeep_fault_harness::HarnessError;
use starkeep_http_client::Call;

use super::{PATIENCE, Violations};
use crate::service::{Service, Told};

pub(super) struct EventLog {
    name: &'static str,
    service: Service,
    after: String,
    last_number: Option<u64>,
    /// All positions, in their order.
    pub(super) ids: Vec<String>,
}

impl EventLog {
    pub(super) fn new(name: &'static str, service: Service) -> Self {
        Self { name, service, after: "start".to_owned(), last_number: None, ids: Vec::new() }
    }

    /// What has come since.
    pub(super) async fn read_on(&mut self, violations: &mut Violations) -> Result<Vec<Value>, HarnessError> {
        let mut events = Vec::new();
        loop {
            let mut page = self.page().await?;
            if !page["gap"].is_null() {
                violations.add(format!("the log of the {} service has a gap: {}", self.name, page["gap"]));
            }
            let Value::Array(read) = page["events"].take() else { return Ok(events) };
            if read.is_empty() {
                return Ok(events);
            }
            for event in &read {
                self.check_position(event, violations);
            }
            events.extend(read);
            page["next"].as_str().unwrap_or_default().clone_into(&mut self.after);
        }
    }

    async fn page(&self) -> Result<Value, HarnessError> {
        let over = self.service.clock.monotonic().after(PATIENCE);
        let path = format!("/events?limit=1000&after={}", self.after);
        let page = Call::get(path).header(http::header::ACCEPT, HeaderValue::from_static("application/json"));
        while self.service.clock.monotonic() < over {
            match self.service.ask(page.clone()).await {
                Told::Answer { status: 200, body } => return Ok(body),
                _ => self.service.pause().await,
            }
        }
        Err(HarnessError(format!("the log of the {} service cannot be read", self.name)))
    }

    /// A position is made of the log's epoch, a number and a digest.
    fn check_position(&mut self, event: &Value, violations: &mut Violations) {
        let id = event["id"].as_str().unwrap_or_default();
        let number = id.split('-').nth(1).and_then(|number| number.parse().ok());
        let expected = self.last_number.map_or(number, |last: u64| Some(last + 1));
        if number.is_none() || number != expected {
            violations
                .add(format!("position {id} of the {} service follows {:?}", self.name, self.last_number));
        }
        self.last_number = number;
        self.ids.push(id.to_owned());
    }
}
