//! The game service as bots see it: a request that needs an answer is repeated until the service answers.
//! It is logged once that the service is unreachable, however many bots wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use starkeep_client::{ClientError, GameClient};
use starkeep_contract::Code;
use starkeep_contract::problem::Kind;
use starkeep_platform::clock::Clock;

use super::error::BotError;

/// Between two attempts, unless the service names another span.
const WAIT_SECONDS: u32 = 1;

pub(super) struct Service {
    pub(super) client: GameClient,
    clock: Arc<dyn Clock>,
    away: AtomicBool,
}

impl Service {
    pub(super) fn new(url: &str, clock: Arc<dyn Clock>) -> Result<Arc<Self>, BotError> {
        let client = GameClient::new(url).map_err(BotError::address)?.with_clock(clock.clone());
        Ok(Arc::new(Self { client, clock, away: AtomicBool::new(false) }))
    }

    /// Repeats the call until it is answered. For what may be asked twice: a lost answer may have been a success.
    pub(super) async fn until_answered<T, F>(&self, call: impl Fn() -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        loop {
            let outcome = call().await;
            let Some((wait, reason)) = outcome.as_ref().err().and_then(transient) else {
                self.away.store(false, Ordering::Relaxed);
                return outcome;
            };
            if !self.away.swap(true, Ordering::Relaxed) {
                tracing::warn!(reason, "the game service is unreachable; waiting for it");
            }
            self.clock.sleep_until(self.clock.monotonic().after(wait)).await;
        }
    }
}

/// How long to wait before the next attempt, and why, if the fault is transient.
fn transient(fault: &ClientError) -> Option<(Duration, &str)> {
    let (seconds, reason) = match fault {
        ClientError::Unreachable { reason, .. } => (WAIT_SECONDS, reason.as_str()),
        ClientError::Refused(problem)
            if problem.code.kind() == Kind::Away || problem.code == Code::RequestTimeout =>
        {
            // Not the service's detail: it might repeat what was asked, and with it a token.
            (problem.retry_after_seconds.unwrap_or(WAIT_SECONDS), problem.code.title())
        }
        ClientError::Refused(_) | ClientError::Unreadable { .. } => return None,
    };
    Some((Duration::from_secs(u64::from(seconds)), reason))
}
