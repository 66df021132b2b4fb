//! The time limit on every wait: a broker that does not answer fails its test with a message, instead of hanging.
//! The limits are far longer than anything takes, so that no outcome depends on them.

use std::future::Future;
use std::time::Duration;

/// The script gives up a start of an old broker after ten minutes, five for each of its two programs; nothing else takes as long.
pub(crate) const WAIT_LIMIT: Duration = Duration::from_mins(12);
/// For the first broker on a machine: its jars are downloaded, and another process may be doing that already.
pub(crate) const FETCH_LIMIT: Duration = Duration::from_mins(15);

#[expect(
    clippy::disallowed_methods,
    reason = "imports no crate of the workspace, so that each of them may test with it"
)]
pub(crate) async fn within<T>(limit: Duration, awaited: &str, future: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(limit, future).await;
    outcome.unwrap_or_else(|_| panic!("{awaited} did not come within {limit:?}"))
}
