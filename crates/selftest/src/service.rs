//! One service as a client of the self-test calls it. What it is told distinguishes what certainly did not happen from what
//! nobody knows: a call whose answer was lost is never taken for either.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Method;
use serde_json::Value;
use starkeep_clock::Clock;
use starkeep_contract::Code;
use starkeep_http_client::{Call, Caller, Connections, Failure, ServiceUrl, Timeout};

/// A service that is frozen does not answer; its client gives up after this long.
const PATIENCE: Duration = Duration::from_secs(2);
const LARGEST_ANSWER: usize = 64 * 1024 * 1024;

#[derive(Clone)]
pub(crate) struct Service {
    caller: Caller,
    pub(crate) clock: Arc<dyn Clock>,
    /// Between two attempts.
    pause: Duration,
    load: LoadSwitch,
}

/// Whether the load goes on. Clones are the same switch.
#[derive(Clone, Default)]
pub(crate) struct LoadSwitch(Arc<AtomicBool>);

impl LoadSwitch {
    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a client was told.
#[derive(Debug)]
pub(crate) enum Told {
    Answer {
        status: u16,
        body: Value,
    },
    /// It certainly had no effect: it was not sent, or the service could not do it.
    NotDone,
    /// Nobody answered, or the service itself does not know.
    Unknown,
}

impl Told {
    /// Of an answer to `/health`: all parts are well.
    pub(crate) fn is_well(&self) -> bool {
        matches!(self, Self::Answer { status: 200, body } if body["status"] == "ok")
    }
}

impl Service {
    pub(crate) fn new(url: ServiceUrl, clock: Arc<dyn Clock>, pause: Duration, load: LoadSwitch) -> Self {
        let timeout = Timeout { clock: clock.clone(), after: PATIENCE };
        Self { caller: Caller::new(url, Connections::Pooled).with_timeout(timeout), clock, pause, load }
    }

    pub(crate) async fn ask(&self, call: Call) -> Told {
        match self.caller.exchange(&call.largest_answer(LARGEST_ANSWER)).await {
            Ok(answer) => {
                let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                match answer.status.as_u16() {
                    500 => Told::Unknown,
                    503 if body["code"] == Code::OutcomeUnknown.as_str() => Told::Unknown,
                    503 => Told::NotDone,
                    status => Told::Answer { status, body },
                }
            }
            Err(Failure::NotSent(_)) => Told::NotDone,
            Err(_) => Told::Unknown,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Told {
        self.ask(Call::get(path)).await
    }

    /// Asks until there is an answer; nothing where the load ends before.
    pub(crate) async fn insist(&self, call: &Call) -> Option<(u16, Value)> {
        self.until(|| self.load.has_ended(), call).await
    }

    /// The same for who checks after the load.
    pub(crate) async fn insist_for(&self, longest: Duration, path: &str) -> Option<(u16, Value)> {
        let over = self.clock.monotonic().after(longest);
        self.until(|| self.clock.monotonic() >= over, &Call::get(path)).await
    }

    /// A POST whose effect takes place once, until there is an answer; null for no body.
    pub(crate) async fn post_once(&self, path: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
        let call = Call::keyed(Method::POST, path, key);
        self.insist(&if body.is_null() { call } else { call.json(body) }).await
    }

    async fn until(&self, is_over: impl Fn() -> bool, call: &Call) -> Option<(u16, Value)> {
        while !is_over() {
            if let Told::Answer { status, body } = self.ask(call.clone()).await {
                return Some((status, body));
            }
            self.pause().await;
        }
        None
    }

    pub(crate) async fn pause(&self) {
        self.pause_for(self.pause).await;
    }

    pub(crate) async fn pause_for(&self, span: Duration) {
        self.clock.sleep_until(self.clock.monotonic().after(span)).await;
    }

    pub(crate) fn goes_on(&self) -> bool {
        !self.load.has_ended()
    }
}
