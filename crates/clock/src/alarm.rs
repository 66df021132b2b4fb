//! Sleeping to a fraction of a millisecond: a thread that sleeps instead of the runtime, whose timers have whole ones.
//! It is meant for few sleepers and for the last milliseconds of a long sleep.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

/// Those who sleep, by the instant of their waking and the order in which they came.
type Sleepers = BTreeMap<(Instant, u64), oneshot::Sender<()>>;

/// The thread ends when this is dropped and nobody sleeps any longer.
#[derive(Default)]
pub(crate) struct Alarm {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    sleepers: Sleepers,
    /// How many have ever come.
    arrivals: u64,
    is_running: bool,
    is_dropped: bool,
}

impl Alarm {
    /// Ends at the instant. Where no thread can be started it ends at once, with an error.
    pub(crate) fn at(&self, instant: Instant) -> oneshot::Receiver<()> {
        let (wake, woken) = oneshot::channel();
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_running {
            let shared = self.shared.clone();
            let thread = std::thread::Builder::new().name("alarm".to_owned());
            if thread.spawn(move || shared.run()).is_err() {
                return woken;
            }
            state.is_running = true;
        }
        state.arrivals += 1;
        let key = (instant, state.arrivals);
        let is_next = state.sleepers.first_key_value().is_none_or(|(first, _)| key < *first);
        state.sleepers.insert(key, wake);
        drop(state);
        if is_next {
            self.shared.changed.notify_one();
        }
        woken
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).is_dropped = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    #[expect(clippy::disallowed_methods, reason = "this is the home of time")]
    fn run(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            while let Some(first) = state.sleepers.first_entry().filter(|first| first.key().0 <= now) {
                // The sleeper may have been cancelled.
                let _ = first.remove().send(());
            }
            let next = state.sleepers.first_key_value().map(|((instant, _), _)| *instant);
            state = match next {
                Some(next) => {
                    let waited = self.changed.wait_timeout(state, next.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None if state.is_dropped => return,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "this is the home of time")]
    async fn sleepers_wake_in_the_order_of_their_instants_and_never_early() {
        let alarm = Alarm::default();
        let begin = Instant::now();
        let spans = [3, 1, 2].map(Duration::from_millis);
        let order = Arc::new(Mutex::new(Vec::new()));
        let sleepers = spans.map(|span| {
            let (woken, order) = (alarm.at(begin + span), order.clone());
            async move {
                woken.await.unwrap();
                assert!(begin.elapsed() >= span);
                order.lock().unwrap().push(span);
            }
        });
        futures::future::join_all(sleepers).await;
        let mut expected = spans;
        expected.sort();
        assert_eq!(*order.lock().unwrap(), expected);
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "this is the home of time")]
    async fn one_that_has_passed_wakes_at_once_and_one_that_nobody_waits_for_does_no_harm() {
        let alarm = Alarm::default();
        drop(alarm.at(Instant::now()));
        alarm.at(Instant::now()).await.unwrap();
        assert!(alarm.shared.state.lock().unwrap().sleepers.is_empty());
    }
}
