//! Reads a topic for as long as the leader's task runs: a broker that is away, and a topic that is not there yet, are looked
//! for again and again.

use std::time::Duration;

use starkeep_platform::clock::Clock;
use starkeep_platform::tasks::TaskHandle;

/// How long a topic that is not there, or a broker that is away, is left alone.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// `read` returns when something is wrong, or the topic is not there.
pub(super) async fn keep_reading<Reading>(task: &TaskHandle, clock: &dyn Clock, read: impl Fn() -> Reading)
where
    Reading: Future<Output = Result<(), String>>,
{
    loop {
        let outcome = tokio::select! {
            biased;
            () = task.stopped() => return,
            outcome = read() => outcome,
        };
        let next = clock.monotonic().after(LOOK_EVERY);
        task.ran(outcome, Some(next));
        tokio::select! {
            biased;
            () = task.stopped() => return,
            () = clock.sleep_until(next) => {}
        }
    }
}
