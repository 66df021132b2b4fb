//! Following another service's events: items are handed on with their position, once, in order, over faults of both sides.
//! Whoever is handed them commits what it learned and the position together; after a restart it begins after that position.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use starkeep_http_client::{EventStream, Item};

use crate::clock::Clock;
use crate::tasks::TaskHandle;

/// How many items are handed on together.
const LARGEST_BATCH: usize = 1000;

/// How long a stream that fails, or a store that cannot be written, is left alone.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Runs as a task of the leader until that is stopped. Items that have arrived are handed on together, so that who records them
/// commits less often. `record` is called again with the same items where it fails.
pub async fn follow<F, Fut>(task: TaskHandle, clock: Arc<dyn Clock>, mut stream: EventStream, record: F)
where
    F: Fn(Vec<Item>, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), String>> + Send,
{
    let following = async {
        loop {
            let items = match stream.next_batch(LARGEST_BATCH).await {
                Ok(items) => items,
                Err(fault) => {
                    fail(&task, &*clock, fault.to_string()).await;
                    continue;
                }
            };
            let position = stream.position().unwrap_or_default().to_owned();
            while let Err(fault) = record(items.clone(), position.clone()).await {
                fail(&task, &*clock, fault).await;
            }
            task.ran(Ok(()), None);
        }
    };
    tokio::select! {
        biased;
        () = task.stopped() => {}
        () = following => {}
    }
}

async fn fail(task: &TaskHandle, clock: &dyn Clock, fault: String) {
    let next = clock.monotonic().after(RETRY_DELAY);
    task.ran(Err(fault), Some(next));
    clock.sleep_until(next).await;
}
