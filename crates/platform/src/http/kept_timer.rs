//! The timer of a connection for hyper, which takes a new one for every request and drops it once the request's head is there.
//! Here the dropped one is kept and set again: nothing is entered into, or taken out of, the runtime's timers a request.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

/// Of one connection, which waits for one thing at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptTimer(Arc<Place>);

type Place = Mutex<Option<Pin<Box<tokio::time::Sleep>>>>;

impl Timer for KeptTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    #[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let sleep = match kept {
            Some(mut kept) => {
                kept.as_mut().reset(deadline.into());
                kept
            }
            None => Box::pin(tokio::time::sleep_until(deadline.into())),
        };
        Box::pin(KeptSleep { sleep: Some(sleep), place: self.0.clone() })
    }

    #[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

/// Goes back to its place when it is dropped.
struct KeptSleep {
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    place: Arc<Place>,
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
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = self.sleep.take();
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
        drop(timer.sleep(Duration::from_mins(1)));
        let kept = timer.0.lock().unwrap().take().expect("it was kept");
        assert!(!kept.is_elapsed());
    }
}
