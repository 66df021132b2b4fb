//! The time limit on every wait: a test fails with a message instead of hanging.
//! It is far longer than anything takes, also on a machine that stands still for a minute, so that no outcome depends on it.

use std::future::Future;
use std::time::Duration;

use starkeep_clock::{SystemClock, within};

const LIMIT: Duration = Duration::from_mins(10);

pub async fn within_limit<T>(awaited: &str, future: impl Future<Output = T>) -> T {
    let outcome = within(&*SystemClock::start(), LIMIT, future).await;
    outcome.unwrap_or_else(|| panic!("waited {LIMIT:?} for {awaited}"))
}
