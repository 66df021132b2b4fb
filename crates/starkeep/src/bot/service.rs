//! The game service as bots see it: a request that needs an answer is repeated until the service answers.
//! That it is away is said once, and how long that was when it is back, however many bots wait for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use starkeep_client::{ClientError, GameClient};
use starkeep_contract::problem::Kind;
use starkeep_platform::chance::{Chance, jittered};
use starkeep_platform::clock::{Clock, Monotonic};
use tokio::sync::watch;

use super::error::BotError;

/// The longest between two attempts, unless the service names a longer one.
const WAIT: Duration = Duration::from_secs(1);

pub(super) struct Service {
    pub(super) client: GameClient,
    url: String,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    absence: Mutex<Absence>,
}

impl Service {
    pub(super) fn new(
        url: &str,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
    ) -> Result<Arc<Self>, BotError> {
        let client = GameClient::new(url).map_err(BotError::address)?.with_clock(clock.clone());
        Ok(Arc::new(Self { client, url: url.to_owned(), clock, chance, absence: Mutex::default() }))
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    pub(super) fn chance(&self) -> Arc<dyn Chance> {
        self.chance.clone()
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
            self.say_away(reason);
            let wait = wait.unwrap_or_else(|| jittered(&*self.chance, WAIT));
            self.clock.sleep_until(self.clock.monotonic().after(wait)).await;
        }
    }

    /// Says so while the event stream is not connected. Never returns.
    pub(super) async fn watch(&self, mut is_reached: watch::Receiver<bool>) {
        loop {
            if is_reached.wait_for(|is_reached| !is_reached).await.is_err() {
                // The stream is gone; nobody waits for it.
                return std::future::pending().await;
            }
            self.say_away("there is no connection");
            if is_reached.wait_for(|is_reached| *is_reached).await.is_ok() {
                self.say_back();
            }
        }
    }

    fn say_away(&self, reason: &str) {
        let mut absence = self.absence.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sentence) = absence.begin(&self.url, self.clock.monotonic()) {
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

/// Since when the service is away.
#[derive(Default)]
struct Absence {
    away_since: Option<Monotonic>,
    /// Before the first answer the address may be wrong.
    was_there: bool,
}

impl Absence {
    /// What is to be said now; nothing if it was said before.
    fn begin(&mut self, url: &str, now: Monotonic) -> Option<String> {
        if self.away_since.is_some() {
            return None;
        }
        self.away_since = Some(now);
        Some(if self.was_there {
            format!("the game service at {url} is away; waiting for it")
        } else {
            format!("no game service answers at {url}; waiting for it (--game-url names another)")
        })
    }

    /// What is to be said when it has answered; nothing if it was not away.
    fn end(&mut self, now: Monotonic) -> Option<String> {
        self.was_there = true;
        let since = self.away_since.take()?;
        Some(format!("the game service answers, after {} s", now.since(since).as_secs()))
    }
}

/// How long the service wants to be left alone, and why it does not answer, if the fault is transient.
fn transient(fault: &ClientError) -> Option<(Option<Duration>, &str)> {
    let (wait, reason) = match fault {
        ClientError::Unreachable { reason, .. } => (None, reason.as_str()),
        ClientError::Refused(problem)
            if matches!(problem.code.kind(), Kind::Away | Kind::TooMany | Kind::TooSlow) =>
        {
            let wait = problem.retry_after_seconds.map(|seconds| Duration::from_secs(seconds.into()));
            // Not the service's detail: it might repeat what was asked, and with it a token.
            (wait, problem.code.title())
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
    fn an_absence_is_said_once_and_its_length_at_its_end() {
        let mut absence = Absence::default();
        assert_eq!(absence.end(at(0)), None, "it was not away");
        let said = absence.begin(URL, at(0)).unwrap();
        assert_eq!(said, "the game service at http://host:8080 is away; waiting for it");
        for millis in [0, 1_000, 62_500] {
            assert_eq!(absence.begin(URL, at(millis)), None);
        }
        assert_eq!(absence.end(at(63_000)).unwrap(), "the game service answers, after 63 s");
        assert_eq!(absence.end(at(64_000)), None);
        assert_eq!(absence.begin(URL, at(70_000)).unwrap(), said);
    }

    #[test]
    fn before_the_first_answer_another_address_is_suggested() {
        let mut absence = Absence::default();
        let said = absence.begin(URL, at(0)).unwrap();
        assert!(said.contains(URL) && said.contains("--game-url"), "{said}");
        absence.end(at(2_000)).unwrap();
        let later = absence.begin(URL, at(3_000)).unwrap();
        assert!(!later.contains("--game-url"), "{later}");
    }
}
