//! Following another service's events: each item is handed on with its position, once, in order, over faults of both sides.
//! Whoever is handed one commits what it learned and the position together; after a restart it begins after that position.

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

/// Runs as a task of the leader until that is stopped. `record` is called again with the same item where it fails.
pub async fn follow<F, Fut>(task: TaskHandle, clock: Arc<dyn Clock>, stream: EventStream, record: F)
where
    F: Fn(Item, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), String>> + Send,
{
    let record = |items: Vec<Item>, position| {
        let first = items.into_iter().next();
        let recorded = first.map(|item| record(item, position));
        async move {
            match recorded {
                None => Ok(()),
                Some(recorded) => recorded.await,
            }
        }
    };
    follow_with(task, clock, stream, 1, record).await;
}

/// The same for who records many items in one commit: those that have arrived are handed on together.
pub async fn follow_batches<F, Fut>(task: TaskHandle, clock: Arc<dyn Clock>, stream: EventStream, record: F)
where
    F: Fn(Vec<Item>, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), String>> + Send,
{
    follow_with(task, clock, stream, LARGEST_BATCH, record).await;
}

async fn follow_with<F, Fut>(
    task: TaskHandle,
    clock: Arc<dyn Clock>,
    mut stream: EventStream,
    at_most: usize,
    record: F,
) where
    F: Fn(Vec<Item>, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), String>> + Send,
{
    let following = async {
        loop {
            let items = match stream.next_batch(at_most).await {
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
