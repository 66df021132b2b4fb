//! The one place where work that takes long without waiting is handed to other threads.
//! A simulation passes `InlineBlocking`, which runs it at once, so that a run can be reproduced.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

/// Something to be computed, which leaves its result where its owner finds it.
pub type BlockingWork = Box<dyn FnOnce() + Send>;

/// Runs work that would keep the threads of the runtime busy for long.
pub trait BlockingPool: Send + Sync + 'static {
    /// The error says that the work panicked.
    fn run(&self, work: BlockingWork) -> BoxFuture<'static, Result<(), String>>;
}

/// Computes the result on the pool. Begins at once, whether or not the future is polled.
pub fn run_blocking<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
    pool: &dyn BlockingPool,
    work: W,
) -> impl Future<Output = Result<T, String>> + Send + use<T, W> {
    let (reply, result) = oneshot::channel();
    let done = pool.run(Box::new(move || {
        let _ = reply.send(work());
    }));
    async move {
        done.await?;
        result.await.map_err(|_| "the work was not done".to_owned())
    }
}

/// The runtime's own threads for blocking work.
pub struct TokioBlocking;

impl BlockingPool for TokioBlocking {
    fn run(&self, work: BlockingWork) -> BoxFuture<'static, Result<(), String>> {
        tokio::task::spawn_blocking(work).map(|done| done.map_err(|fault| fault.to_string())).boxed()
    }
}

/// Runs the work at once, on the thread that asks.
pub struct InlineBlocking;

impl BlockingPool for InlineBlocking {
    fn run(&self, work: BlockingWork) -> BoxFuture<'static, Result<(), String>> {
        work();
        futures::future::ready(Ok(())).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn both_pools_give_the_result() {
        for pool in [&TokioBlocking as &dyn BlockingPool, &InlineBlocking] {
            assert_eq!(run_blocking(pool, || 6 * 7).await, Ok(42));
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_error_of_its_caller_only() {
        let outcome = run_blocking(&TokioBlocking, || panic!("no result")).await;
        assert!(outcome.is_err_and(|fault: String| fault.contains("no result")));
    }
}
