//! The game service as bots see it: a request that needs an answer is repeated until the service answers.
//! That it is away, or refuses for now, is said once, and how long that was when it is over, however many bots wait for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use starkeep_client::{ClientError, GameClient};
use starkeep_platform::chance::{Chance, jittered};
use starkeep_platform::clock::{Clock, Monotonic};
use tokio::sync::watch;
use tokio::sync::watch::error::RecvError;

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
        let mut waiting = None;
        loop {
            let outcome = call().await;
            let Some((wait, reason)) = outcome.as_ref().err().and_then(transient) else {
                drop(waiting);
                self.answered();
                return outcome;
            };
            waiting.get_or_insert_with(|| self.wait(reason));
            let wait = wait.unwrap_or_else(|| jittered(&*self.chance, WAIT));
            self.clock.sleep_until(self.clock.monotonic().after(wait)).await;
        }
    }

    /// Says so while the event stream is not connected. Never returns.
    pub(super) async fn watch(&self, mut is_reached: watch::Receiver<bool>) {
        loop {
            // A connection that is made again at once was no absence: nobody may have looked at it since it was lost.
            let lost = async {
                is_reached.wait_for(|is_reached| !is_reached).await?;
                is_reached.changed().await?;
                Ok::<_, RecvError>(!*is_reached.borrow_and_update())
            };
            match lost.await {
                Ok(true) => {
                    let waiting = self.wait(Reason::Unreachable("there is no connection"));
                    if is_reached.wait_for(|is_reached| *is_reached).await.is_ok() {
                        drop(waiting);
                        self.answered();
                    }
                }
                Ok(false) => {}
                // The stream is gone; nobody waits for it.
                Err(_) => std::future::pending().await,
            }
        }
    }

    fn absence(&self) -> MutexGuard<'_, Absence> {
        self.absence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more waits, until what is given back is dropped.
    fn wait(&self, reason: Reason<'_>) -> Waiting<'_> {
        if let Some(sentence) = self.absence().begin(&self.url, reason, self.clock.monotonic()) {
            tracing::warn!("{sentence}");
        }
        Waiting(self)
    }

    fn answered(&self) {
        if let Some(sentence) = self.absence().end(self.clock.monotonic()) {
            tracing::info!("{sentence}");
        }
    }
}

/// Somebody who has asked in vain and asks again.
struct Waiting<'a>(&'a Service);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.absence().waiting -= 1;
    }
}

/// Why somebody waits.
#[derive(Clone, Copy)]
enum Reason<'a> {
    Unreachable(&'a str),
    /// The title of the problem. Not its detail, which might repeat what was asked, and with it a token.
    Refused(&'static str),
}

/// Since when the service is away, or refuses.
#[derive(Default)]
struct Absence {
    since: Option<Monotonic>,
    /// So many ask again.
    waiting: usize,
    /// Before the first answer the address may be wrong.
    was_there: bool,
}

impl Absence {
    /// What is to be said now; nothing if it was said before.
    fn begin(&mut self, url: &str, reason: Reason<'_>, now: Monotonic) -> Option<String> {
        self.waiting += 1;
        if self.since.is_some() {
            return None;
        }
        self.since = Some(now);
        Some(match reason {
            Reason::Refused(title) => format!("the game service at {url} refuses: {title}; waiting for it"),
            Reason::Unreachable(why) if self.was_there => {
                format!("the game service at {url} is away: {why}; waiting for it")
            }
            Reason::Unreachable(why) => {
                format!("no game service answers at {url}: {why}; waiting for it (--game-url names another)")
            }
        })
    }

    /// What is to be said when somebody was answered; nothing if others still wait: not everything is refused on a full disk.
    fn end(&mut self, now: Monotonic) -> Option<String> {
        self.was_there = true;
        if self.waiting > 0 {
            return None;
        }
        let since = self.since.take()?;
        Some(format!("the game service answers, after {} s", now.since(since).as_secs()))
    }
}

/// How long the service wants to be left alone, and why it does not answer, if the fault is transient.
fn transient(fault: &ClientError) -> Option<(Option<Duration>, Reason<'_>)> {
    match fault {
        ClientError::Unreachable { reason, .. } => Some((None, Reason::Unreachable(reason))),
        ClientError::Refused(problem) if fault.is_transient() => {
            let wait = problem.retry_after_seconds.map(|seconds| Duration::from_secs(seconds.into()));
            Some((wait, Reason::Refused(problem.code.title())))
        }
        ClientError::Refused(_) | ClientError::Unreadable { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use starkeep_contract::{Code, Problem};
    use starkeep_platform::chance::SystemChance;
    use starkeep_platform::clock::ManualClock;

    use super::*;

    const URL: &str = "http://host:8080";
    const AWAY: Reason<'_> = Reason::Unreachable("refused");
    const FULL: Reason<'_> = Reason::Refused("the server's disk is full");

    fn at(millis: u64) -> Monotonic {
        Monotonic(5_000_000_000).after(Duration::from_millis(millis))
    }

    #[test]
    fn an_absence_is_said_once_and_its_length_at_its_end() {
        for (reason, sentence) in [
            (AWAY, "the game service at http://host:8080 is away: refused; waiting for it"),
            (FULL, "the game service at http://host:8080 refuses: the server's disk is full; waiting for it"),
        ] {
            let mut absence = Absence::default();
            assert_eq!(absence.end(at(0)), None, "it was not away");
            assert_eq!(absence.begin(URL, reason, at(0)).unwrap(), sentence);
            assert_eq!(absence.begin(URL, reason, at(1_000)), None);
            for waiting in [1, 0] {
                assert_eq!(absence.end(at(62_500)), None, "others wait");
                absence.waiting = waiting;
            }
            assert_eq!(absence.end(at(63_000)).unwrap(), "the game service answers, after 63 s");
            assert_eq!(absence.end(at(64_000)), None);
            assert_eq!(absence.begin(URL, reason, at(70_000)).unwrap(), sentence);
        }
    }

    #[test]
    fn before_the_first_answer_another_address_is_suggested() {
        let mut absence = Absence::default();
        let said = absence.begin(URL, AWAY, at(0)).unwrap();
        assert!(said.contains(URL) && said.contains("--game-url"), "{said}");
        absence.waiting = 0;
        absence.end(at(2_000)).unwrap();
        let later = absence.begin(URL, AWAY, at(3_000)).unwrap();
        assert!(!later.contains("--game-url"), "{later}");
    }

    #[tokio::test]
    async fn an_answer_ends_no_absence_as_long_as_anybody_waits() {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        let service = Service::new(URL, clock, Arc::new(SystemChance)).unwrap();
        let is_away = || service.absence().since.is_some();
        let full = || ClientError::Refused(Problem::new(Code::DiskFull, ""));
        let answered = async || service.until_answered(|| async { Ok(()) }).await.unwrap();
        answered().await;
        let mut waiting = Box::pin(service.until_answered(|| async { Err::<(), _>(full()) }));
        assert!((&mut waiting).now_or_never().is_none() && is_away());
        answered().await;
        assert!(is_away(), "what is refused is still refused");
        // A round is over before it was answered.
        drop(waiting);
        assert!(is_away(), "nobody knows");
        answered().await;
        assert!(!is_away());
    }
}
