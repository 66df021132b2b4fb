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
            state = match wake_until(now, &mut state.sleepers) {
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

/// Wakes those whose instant has come, in their order; the instant of the next.
fn wake_until(now: Instant, sleepers: &mut Sleepers) -> Option<Instant> {
    while let Some(first) = sleepers.first_entry().filter(|first| first.key().0 <= now) {
        // The sleeper may have been cancelled.
        let _ = first.remove().send(());
    }
    sleepers.first_key_value().map(|((instant, _), _)| *instant)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this is the home of time")]
    fn each_is_woken_when_its_instant_has_come_and_the_next_is_known() {
        let begin = Instant::now();
        let instants = [3, 1, 2, 2].map(|millis| begin + Duration::from_millis(millis));
        let mut sleepers = Sleepers::new();
        let mut woken = instants.map(|instant| {
            let (wake, woken) = oneshot::channel();
            sleepers.insert((instant, sleepers.len() as u64), wake);
            woken
        });
        let mut woken_at = |millis| {
            let next = wake_until(begin + Duration::from_millis(millis), &mut sleepers);
            let asleep = woken.each_mut().map(|woken| woken.try_recv() == Err(TryRecvError::Empty));
            (asleep, next)
        };
        assert_eq!(woken_at(0), ([true; 4], Some(instants[1])));
        assert_eq!(woken_at(1), ([true, false, true, true], Some(instants[2])));
        assert_eq!(woken_at(2), ([true, false, false, false], Some(instants[0])));
        assert_eq!(woken_at(3), ([false; 4], None));
    }

    /// The thread waits for somebody who comes earlier, too.
    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "this is the home of time")]
    async fn nobody_wakes_early_or_waits_for_one_who_sleeps_longer() {
        let alarm = Alarm::default();
        let begin = Instant::now();
        let (span, long) = (Duration::from_millis(3), Duration::from_hours(1));
        let mut later = alarm.at(begin + long);
        alarm.at(begin + span).await.unwrap();
        assert!(begin.elapsed() >= span);
        assert_eq!(later.try_recv(), Err(TryRecvError::Empty));
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
