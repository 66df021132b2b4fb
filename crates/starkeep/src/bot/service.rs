//! The game service as bots see it: a request that needs an answer is repeated until the service answers.
//! While it is away that is said once a second, with how long it has been, however many bots wait for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use starkeep_client::{ClientError, GameClient};
use starkeep_contract::problem::Kind;
use starkeep_platform::clock::{Clock, Monotonic};
use tokio::sync::watch;

use super::error::BotError;

/// Between two attempts, unless the service names another span; also between two sentences.
const WAIT: Duration = Duration::from_secs(1);

pub(super) struct Service {
    pub(super) client: GameClient,
    url: String,
    clock: Arc<dyn Clock>,
    absence: Mutex<Absence>,
}

impl Service {
    pub(super) fn new(url: &str, clock: Arc<dyn Clock>) -> Result<Arc<Self>, BotError> {
        let client = GameClient::new(url).map_err(BotError::address)?.with_clock(clock.clone());
        Ok(Arc::new(Self { client, url: url.to_owned(), clock, absence: Mutex::default() }))
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
                self.say_back();
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
            self.say_back();
        }
    }

    fn say_away(&self, reason: &str) {
        let mut absence = self.absence.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sentence) = absence.sentence(&self.url, self.clock.monotonic()) {
            tracing::warn!(reason, "{sentence}");
        }
    }

    fn say_back(&self) {
        let mut absence = self.absence.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sentence) = absence.end(self.clock.monotonic()) {
            tracing::info!("{sentence}");
        }
    }
}

/// How long the service has been away, and when that was last said.
#[derive(Default)]
struct Absence {
    /// Since when, and when it was said.
    away: Option<(Monotonic, Monotonic)>,
    /// Before the first answer the address may be wrong.
    was_there: bool,
}

impl Absence {
    /// What is to be said now; nothing if it was said less than a second ago.
    fn sentence(&mut self, url: &str, now: Monotonic) -> Option<String> {
        let since = match self.away {
            Some((_, said)) if now.since(said) < WAIT => return None,
            Some((since, _)) => since,
            None => now,
        };
        self.away = Some((since, now));
        Some(match (self.was_there, now.since(since).as_secs()) {
            (true, 0) => format!("the game service at {url} is away; waiting for it"),
            (true, seconds) => {
                format!("the game service at {url} has been away for {seconds} s; waiting for it")
            }
            (false, 0) => {
                format!("no game service answers at {url}; waiting for it (--game-url names another)")
            }
            (false, seconds) => format!(
                "no game service has answered at {url} for {seconds} s; waiting for it (--game-url names another)"
            ),
        })
    }

    /// What is to be said when it has answered; nothing if it was not away.
    fn end(&mut self, now: Monotonic) -> Option<String> {
        self.was_there = true;
        let (since, _) = self.away.take()?;
        Some(format!("the game service answers, after {} s", now.since(since).as_secs()))
    }
}

/// How long to wait before the next attempt, and why, if the fault is transient.
fn transient(fault: &ClientError) -> Option<(Duration, &str)> {
    let (wait, reason) = match fault {
        ClientError::Unreachable { reason, .. } => (WAIT, reason.as_str()),
        ClientError::Refused(problem)
            if matches!(problem.code.kind(), Kind::Away | Kind::TooMany | Kind::TooSlow) =>
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

    const URL: &str = "http://host:8080";

    fn at(millis: u64) -> Monotonic {
        Monotonic(5_000_000_000).after(Duration::from_millis(millis))
    }

    #[test]
    fn an_absence_is_said_once_a_second_with_its_length() {
        let mut absence = Absence::default();
        assert_eq!(absence.end(at(0)), None, "it was not away");
        let mut said = |millis| absence.sentence(URL, at(millis));
        assert_eq!(said(0).unwrap(), "the game service at http://host:8080 is away; waiting for it");
        assert_eq!((said(0), said(999)), (None, None));
        let lasting = said(1_000).unwrap();
        assert_eq!(lasting, "the game service at http://host:8080 has been away for 1 s; waiting for it");
        assert_eq!(said(1_999), None);
        let lasting = said(62_500).unwrap();
        assert_eq!(lasting, "the game service at http://host:8080 has been away for 62 s; waiting for it");
        assert_eq!(absence.end(at(63_000)).unwrap(), "the game service answers, after 63 s");
        assert_eq!(absence.end(at(64_000)), None);
        let again = absence.sentence(URL, at(70_000)).unwrap();
        assert_eq!(again, "the game service at http://host:8080 is away; waiting for it");
    }

    #[test]
    fn before_the_first_answer_another_address_is_suggested() {
        let mut absence = Absence::default();
        for millis in [0, 1_000] {
            let said = absence.sentence(URL, at(millis)).unwrap();
            assert!(said.contains(URL) && said.contains("--game-url"), "{said}");
        }
        absence.end(at(2_000)).unwrap();
        let later = absence.sentence(URL, at(3_000)).unwrap();
        assert!(!later.contains("--game-url"), "{later}");
    }
}
