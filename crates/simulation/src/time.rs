//! Simulated time: it stands still while anybody has something to do, and then goes on to the next instant that somebody waits for.
//! Everything runs in one thread, so that a run is the same whenever it is repeated.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::FutureExt as _;
use starkeep_clock::Monotonic;

#[derive(Default)]
pub(crate) struct SimulatedTime(Mutex<State>);

#[derive(Default)]
struct State {
    now: u64,
    /// How many sleepers have ever come: those of the same instant wake in the order of their coming.
    arrivals: u64,
    sleepers: BTreeMap<(u64, u64), Waker>,
    is_disturbed: bool,
    /// Wakes the runtime itself.
    root: Option<Waker>,
}

impl SimulatedTime {
    /// Runs until the future ends. What was spawned and has not ended by then is dropped.
    pub(crate) fn run<T: Send + 'static>(
        self: &Arc<Self>,
        future: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let time = self.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            // Transport time-outs are on the real clock; none of them ever ends here.
            .enable_time()
            .on_thread_park(move || time.go_on())
            .build()
            .expect("a runtime without sockets needs nothing of the machine");
        let ended = runtime.block_on(async {
            let mut running = tokio::spawn(future);
            poll_fn(|context| {
                self.state().root = Some(context.waker().clone());
                running.poll_unpin(context)
            })
            .await
        });
        ended.unwrap_or_else(|fault| std::panic::resume_unwind(fault.into_panic()))
    }

    pub(crate) fn now(&self) -> Monotonic {
        Monotonic(self.state().now)
    }

    pub(crate) fn sleep_until(self: &Arc<Self>, instant: Monotonic) -> Sleep {
        Sleep { time: self.clone(), instant: instant.0, key: None }
    }

    /// While on, clocks and chance tell something else: decisions that ask them are noticed.
    pub(crate) fn disturb(&self, on: bool) {
        self.state().is_disturbed = on;
    }

    pub(crate) fn is_disturbed(&self) -> bool {
        self.state().is_disturbed
    }

    /// Nobody has anything to do: the next sleeper wakes.
    fn go_on(&self) {
        let mut state = self.state();
        let Some(((instant, _), waker)) = state.sleepers.pop_first() else { return };
        state.now = instant.max(state.now);
        let root = state.root.clone();
        drop(state);
        waker.wake();
        // Where that was of no interest to anybody, the runtime is to come here again instead of waiting for something outside.
        root.iter().for_each(Waker::wake_by_ref);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Sleep {
    time: Arc<SimulatedTime>,
    instant: u64,
    key: Option<(u64, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let (time, instant) = (self.time.clone(), self.instant);
        let mut state = time.state();
        if state.now >= instant {
            return Poll::Ready(());
        }
        let key = *self.key.get_or_insert_with(|| {
            state.arrivals += 1;
            (instant, state.arrivals)
        });
        state.sleepers.insert(key, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.time.state().sleepers.remove(&key);
        }
    }
}
