//! Runs many tasks with a limit on how many run at the same time.
//! A task that has not begun is kept as the item it is made from, so that thousands of them take little memory.

use std::collections::VecDeque;
use std::future::Future;

use tokio::task::JoinSet;

pub(super) struct BoundedTasks<Item, Output> {
    at_a_time: usize,
    waiting: VecDeque<Item>,
    under_way: JoinSet<Output>,
}

impl<Item, Output: Send + 'static> BoundedTasks<Item, Output> {
    pub(super) fn new(at_a_time: usize) -> Self {
        Self { at_a_time, waiting: VecDeque::new(), under_way: JoinSet::new() }
    }

    /// They are begun, in this order, by `next`.
    pub(super) fn add(&mut self, items: impl IntoIterator<Item = Item>) {
        self.waiting.extend(items);
    }

    /// How many have not come to their end.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.under_way.len()
    }

    /// The next outcome, in whatever order they come; none if nothing is left to be done. Nothing is lost where this is dropped before
    /// it has ended.
    pub(super) async fn next<F>(&mut self, begin: impl Fn(Item) -> F) -> Option<Output>
    where
        F: Future<Output = Output> + Send + 'static,
    {
        while self.under_way.len() < self.at_a_time
            && let Some(item) = self.waiting.pop_front()
        {
            self.under_way.spawn(begin(item));
        }
        match self.under_way.join_next().await? {
            Ok(output) => Some(output),
            Err(fault) => std::panic::resume_unwind(fault.into_panic()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn no_more_are_under_way_than_may_be_and_all_come_to_their_end() {
        let (started, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let mut tasks = BoundedTasks::new(3);
        tasks.add(0..10);
        let begin = |number: u32| {
            let (started, gate) = (started.clone(), gate.clone());
            async move {
                started.fetch_add(1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                number
            }
        };
        let mut ended = Vec::new();
        for round in 0..10 {
            // On this runtime's one thread, all that was spawned runs up to the gate meanwhile.
            let mut next = Box::pin(tasks.next(begin));
            for _ in 0..20 {
                assert!(futures::poll!(&mut next).is_pending());
                tokio::task::yield_now().await;
            }
            assert_eq!(started.load(Ordering::SeqCst), 10.min(3 + round));
            gate.add_permits(1);
            ended.push(next.await.unwrap());
        }
        ended.sort_unstable();
        assert_eq!(ended, (0..10).collect::<Vec<_>>());
        assert_eq!(tasks.len(), 0);
        assert_eq!(tasks.next(begin).await, None);
    }
}
