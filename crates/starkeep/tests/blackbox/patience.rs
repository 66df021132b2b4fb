//! The bound on every wait: a promise that is not kept fails its test and says so, instead of hanging.
//! It is far longer than anything takes, so that no outcome depends on it.

use std::future::Future;
use std::time::Duration;

use starkeep_platform::clock::{SystemClock, within};

const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) async fn patiently<T>(awaited: &str, future: impl Future<Output = T>) -> T {
    let outcome = within(&*SystemClock::start(), PATIENCE, future).await;
    outcome.unwrap_or_else(|| panic!("waited in vain for {awaited}"))
}
