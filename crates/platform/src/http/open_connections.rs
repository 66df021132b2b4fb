//! The open connections of a server. When there are as many as may be, those that have waited longest for a request are closed
//! to make room: clients that connect and say nothing keep nobody else out.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use futures::task::AtomicWaker;
use pin_project_lite::pin_project;

use super::kept_timer::KeptTimer;

/// Of so many waiting connections one is closed at a time: looking through all of them takes a while.
const ONE_OF: usize = 64;

/// Clones are the same connections.
#[derive(Clone, Default)]
pub(super) struct OpenConnections(Arc<Inner>);

#[derive(Default)]
struct Inner {
    by_number: Mutex<HashMap<u64, Arc<OpenConnection>>>,
    next_number: AtomicU64,
}

struct OpenConnection {
    timer: KeptTimer,
    is_to_close: AtomicBool,
    task: AtomicWaker,
}

impl OpenConnections {
    /// Runs a connection to its end, or until it is closed to make room.
    pub(super) fn run<F: Future>(
        &self,
        timer: KeptTimer,
        connection: F,
    ) -> impl Future<Output = ()> + use<F> {
        let number = self.0.next_number.fetch_add(1, Ordering::Relaxed);
        let open =
            Arc::new(OpenConnection { timer, is_to_close: AtomicBool::new(false), task: AtomicWaker::new() });
        self.by_number().insert(number, open.clone());
        let connections = self.clone();
        async move {
            Closable { connection, open }.await;
            connections.by_number().remove(&number);
        }
    }

    /// Asks those to close that have waited longest for a request, unless one comes after all. How many were asked.
    pub(super) fn close_longest_waiting(&self) -> usize {
        let mut waiting: Vec<(Instant, Arc<OpenConnection>)> = self
            .by_number()
            .values()
            .filter_map(|open| Some((open.timer.waits_until()?, open.clone())))
            .collect();
        let closed = waiting.len().div_ceil(ONE_OF);
        if closed < waiting.len() {
            waiting.select_nth_unstable_by_key(closed, |(until, _)| *until);
        }
        for (_, open) in &waiting[..closed] {
            open.is_to_close.store(true, Ordering::Release);
            open.task.wake();
        }
        closed
    }

    fn by_number(&self) -> MutexGuard<'_, HashMap<u64, Arc<OpenConnection>>> {
        self.0.by_number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pin_project! {
    /// A connection that ends when it is asked to, unless a request has come meanwhile.
    struct Closable<F> {
        #[pin]
        connection: F,
        open: Arc<OpenConnection>,
    }
}

impl<F: Future> Future for Closable<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        // First, or it might be asked between the question and the registration, and never told.
        this.open.task.register(context.waker());
        if this.connection.poll(context).is_ready() {
            return Poll::Ready(());
        }
        if this.open.is_to_close.load(Ordering::Acquire) {
            if this.open.timer.waits_until().is_some() {
                return Poll::Ready(());
            }
            this.open.is_to_close.store(false, Ordering::Release);
        }
        Poll::Pending
    }
}
