//! The timer of a connection for hyper, which takes a new one for every request and drops it once the request's head is there.
//! Here the dropped one is kept and set again: nothing is entered into, or taken out of, the runtime's timers a request. It also
//! tells since when a connection has waited for a head.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

/// Of one connection, which waits for one thing at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptTimer(Arc<Mutex<Place>>);

#[derive(Debug, Default)]
struct Place {
    kept: Option<Pin<Box<tokio::time::Sleep>>>,
    /// Until when the connection waits for a head, if it does.
    waits_until: Option<Instant>,
}

impl KeptTimer {
    /// Until when the connection waits for the head of a request; none while a request is read or answered.
    pub(super) fn waits_until(&self) -> Option<Instant> {
        self.place().waits_until
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for KeptTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    #[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let mut place = self.place();
        place.waits_until = Some(deadline);
        let sleep = match place.kept.take() {
            Some(mut kept) => {
                kept.as_mut().reset(deadline.into());
                kept
            }
            None => Box::pin(tokio::time::sleep_until(deadline.into())),
        };
        Box::pin(KeptSleep { sleep: Some(sleep), timer: self.clone() })
    }

    #[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

/// Goes back to its place when it is dropped.
struct KeptSleep {
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    timer: KeptTimer,
}

impl Future for KeptSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.sleep.as_mut().map_or(Poll::Ready(()), |sleep| sleep.as_mut().poll(context))
    }
}

impl Sleep for KeptSleep {}

impl Drop for KeptSleep {
    fn drop(&mut self) {
        let mut place = self.timer.place();
        place.kept = self.sleep.take();
        place.waits_until = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_is_used_again_fires_at_its_new_deadline() {
        let timer = KeptTimer::default();
        let start = timer.now();
        for (after, fires_after) in [(60, 60), (10, 70), (5, 75)] {
            timer.sleep(Duration::from_secs(after)).await;
            assert_eq!(timer.now() - start, Duration::from_secs(fires_after));
        }
        assert_eq!(timer.waits_until(), None);
        let waiting = timer.sleep(Duration::from_mins(1));
        assert_eq!(timer.waits_until(), Some(timer.now() + Duration::from_mins(1)));
        drop(waiting);
        assert_eq!(timer.waits_until(), None);
        let kept = timer.place().kept.take().expect("it was kept");
        assert!(!kept.is_elapsed());
    }
}
