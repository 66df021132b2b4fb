//! Following another service's events: items are handed on with their position, once, in order, over faults of both sides.
//! Whoever is handed them commits what it learned and the position together; after a restart it begins after that position.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use starkeep_http_client::{EventStream, Item};
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::tasks::TaskHandle;

/// How many items are handed on together, and how many more are read meanwhile.
const LARGEST_BATCH: usize = 1000;

/// How long a stream that fails, or a store that cannot be written, is left alone.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Runs as a task of the leader until that is stopped. What arrives while items are recorded is handed on together
/// afterwards, so that who records them commits less often. `record` is called again with the same items where it fails.
pub async fn follow<F, Fut>(task: TaskHandle, clock: Arc<dyn Clock>, mut stream: EventStream, record: F)
where
    F: Fn(Arc<[Item]>, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), String>> + Send,
{
    let (received, mut to_record) = mpsc::channel(LARGEST_BATCH);
    let reading = async {
        loop {
            match stream.next().await {
                // This fails only once the recording has ended, and then the reading has, too.
                Ok(item) => drop(received.send(item).await),
                Err(fault) => fail(&task, &*clock, fault.to_string()).await,
            }
        }
    };
    let recording = async {
        loop {
            let mut items = Vec::new();
            to_record.recv_many(&mut items, LARGEST_BATCH).await;
            let items: Arc<[Item]> = items.into();
            let position = items.last().map(|item| item.position().to_owned()).unwrap_or_default();
            while let Err(fault) = record(items.clone(), position.clone()).await {
                fail(&task, &*clock, fault).await;
            }
            task.ran(Ok(()), None);
        }
    };
    tokio::select! {
        biased;
        () = task.stopped() => {}
        () = recording => {}
        () = reading => {}
    }
}

async fn fail(task: &TaskHandle, clock: &dyn Clock, fault: String) {
    let next = clock.monotonic().after(RETRY_DELAY);
    task.ran(Err(fault), Some(next));
    clock.sleep_until(next).await;
}
