//! The one home of time in the benchmark: reading it, waiting for it, and waiting no longer than it allows.
//! A benchmark measures the machine's own time, so there is no clock to inject here.

use std::time::{Duration, Instant};

use crate::failure::Failure;

#[expect(clippy::disallowed_methods, reason = "the benchmark's only reading of the clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns at once if the instant has passed.
#[expect(clippy::disallowed_methods, reason = "the benchmark's only waiting for the clock")]
pub(crate) fn wait_until(instant: Instant) {
    std::thread::sleep(instant.saturating_duration_since(now()));
}

/// The same for a task among others, to a millisecond.
#[expect(clippy::disallowed_methods, reason = "the benchmark's only waiting for the clock in a task")]
pub(crate) async fn sleep_until(instant: Instant) {
    tokio::time::sleep_until(instant.into()).await;
}

/// The future's output, unless it takes longer.
#[expect(clippy::disallowed_methods, reason = "the benchmark's only waiting for something or the clock")]
pub(crate) async fn before<T>(limit: Instant, future: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit.saturating_duration_since(now()), future).await.ok()
}

/// The future's output, or a failure when it takes longer than `limit`.
#[expect(clippy::disallowed_methods, reason = "the benchmark's only time limit")]
pub(crate) async fn within<T>(
    limit: Duration,
    future: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::time::timeout(limit, future)
        .await
        .unwrap_or_else(|_| Err(Failure::new(format!("no end after {limit:?}"))))
}
