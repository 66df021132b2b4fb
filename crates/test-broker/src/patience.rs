//! The bound on every wait: a broker that does not answer fails its test and says so, instead of hanging.
//! It is far longer than anything takes, so that no outcome depends on it.

use std::future::Future;
use std::time::Duration;

/// A start is given up by the script after two minutes; nothing else takes as long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(3);
/// The very first broker on a machine: its jars come over the network, and somebody else may be fetching them.
pub(crate) const FETCHING: Duration = Duration::from_mins(15);

#[expect(
    clippy::disallowed_methods,
    reason = "imports no crate of the house, so that every one may test with it"
)]
pub(crate) async fn patiently<T>(limit: Duration, awaited: &str, future: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(limit, future).await;
    outcome.unwrap_or_else(|_| panic!("waited in vain for {awaited}"))
}
