//! The game service as bots see it: a request that needs an answer is repeated until the service answers.
//! While it is away that is said once a second, with how long it has been, however many bots wait for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use starkeep_client::{ClientError, GameClient};
use starkeep_contract::Code;
use starkeep_contract::problem::Kind;
use starkeep_platform::clock::{Clock, Monotonic};
use tokio::sync::watch;

use super::error::BotError;

/// Between two attempts, unless the service names another span; also between two sentences.
const WAIT: Duration = Duration::from_secs(1);

pub(super) struct Service {
    pub(super) client: GameClient,
    clock: Arc<dyn Clock>,
    absence: Mutex<Absence>,
}

impl Service {
    pub(super) fn new(url: &str, clock: Arc<dyn Clock>) -> Result<Arc<Self>, BotError> {
        let client = GameClient::new(url).map_err(BotError::address)?.with_clock(clock.clone());
        Ok(Arc::new(Self { client, clock, absence: Mutex::default() }))
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// Repeats the call until it is answered. For what may be asked twice: a lost answer may have been a success.
    pub(super) async fn until_answered<T, F>(&self, call: impl Fn() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        loop {
            let outcome = call().await;
            let Some((wait, reason)) = outcome.as_ref().err().and_then(transient) else {
                self.absence.lock().unwrap_or_else(PoisonError::into_inner).end();
                return outcome;
            };
            let again = self.clock.monotonic().after(wait);
            while self.clock.monotonic() < again {
                self.say_away(reason);
                self.clock.sleep_until(again.min(self.clock.monotonic().after(WAIT))).await;
            }
        }
    }

    /// Says so while the event stream is not connected. Never returns.
    pub(super) async fn watch(&self, mut is_reached: watch::Receiver<bool>) {
        loop {
            if is_reached.wait_for(|is_reached| !is_reached).await.is_err() {
                // The stream is gone; nobody waits for it.
                return std::future::pending().await;
            }
            while !*is_reached.borrow() {
                self.say_away("there is no connection");
                let next = self.clock.monotonic().after(WAIT);
                tokio::select! {
                    _ = is_reached.wait_for(|is_reached| *is_reached) => {}
                    () = self.clock.sleep_until(next) => {}
                }
            }
            self.absence.lock().unwrap_or_else(PoisonError::into_inner).end();
        }
    }

    fn say_away(&self, reason: &str) {
        let mut absence = self.absence.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sentence) = absence.sentence(self.clock.monotonic()) {
            tracing::warn!(reason, "{sentence}");
        }
    }
}

/// How long the service has been away, and when that was last said.
#[derive(Default)]
struct Absence(Option<(Monotonic, Monotonic)>);

impl Absence {
    /// What is to be said now; nothing if it was said less than a second ago.
    fn sentence(&mut self, now: Monotonic) -> Option<String> {
        let Some((since, said)) = self.0 else {
            self.0 = Some((now, now));
            return Some("the game service is away; waiting for it".to_owned());
        };
        if now.since(said) < WAIT {
            return None;
        }
        self.0 = Some((since, now));
        Some(format!("the game service has been away for {} s; waiting for it", now.since(since).as_secs()))
    }

    fn end(&mut self) {
        self.0 = None;
    }
}

/// How long to wait before the next attempt, and why, if the fault is transient.
fn transient(fault: &ClientError) -> Option<(Duration, &str)> {
    let (wait, reason) = match fault {
        ClientError::Unreachable { reason, .. } => (WAIT, reason.as_str()),
        ClientError::Refused(problem)
            if problem.code.kind() == Kind::Away || problem.code == Code::RequestTimeout =>
        {
            let wait = problem.retry_after_seconds.map(|seconds| Duration::from_secs(seconds.into()));
            // Not the service's detail: it might repeat what was asked, and with it a token.
            (wait.unwrap_or(WAIT), problem.code.title())
        }
        ClientError::Refused(_) | ClientError::Unreadable { .. } => return None,
    };
    Some((wait, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absence_is_said_once_a_second_with_its_length() {
        let mut absence = Absence::default();
        let start = Monotonic(5_000_000_000);
        let mut said = |millis| absence.sentence(start.after(Duration::from_millis(millis)));
        assert_eq!(said(0).unwrap(), "the game service is away; waiting for it");
        assert_eq!((said(0), said(999)), (None, None));
        assert_eq!(said(1_000).unwrap(), "the game service has been away for 1 s; waiting for it");
        assert_eq!(said(1_999), None);
        assert_eq!(said(62_500).unwrap(), "the game service has been away for 62 s; waiting for it");
        absence.end();
        let again = absence.sentence(start.after(Duration::from_secs(70)));
        assert_eq!(again.unwrap(), "the game service is away; waiting for it");
    }
}
