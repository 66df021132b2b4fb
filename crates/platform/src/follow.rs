//! Following another service's events: each item is handed on with its position, once, in order, over faults of both sides.
//! Whoever is handed one commits what it learned and the position together; after a restart it begins after that position.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use starkeep_http_client::{EventStream, Item};

use crate::clock::Clock;
use crate::tasks::TaskHandle;

/// How long a stream that fails, or a store that cannot be written, is left alone.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Runs as a task of the leader until that is stopped. `record` is called again with the same item where it fails.
pub async fn follow<F, Fut>(task: TaskHandle, clock: Arc<dyn Clock>, mut stream: EventStream, record: F)
where
    F: Fn(Item, String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<(), String>> + Send,
{
    let following = async {
        loop {
            let item = match stream.next().await {
                Ok(item) => item,
                Err(fault) => {
                    fail(&task, &*clock, fault.to_string()).await;
                    continue;
                }
            };
            let position = stream.position().unwrap_or_default().to_owned();
            while let Err(fault) = record(item.clone(), position.clone()).await {
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
