//! A clock that tells the test what it is asked for, so that time passes exactly when somebody waits for it.
//! Nobody else moves it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use starkeep_clock::{Clock, ManualClock, Monotonic};
use tokio::sync::mpsc;

use crate::server::patiently;

pub(crate) struct Time {
    manual: Arc<ManualClock>,
    asked: mpsc::UnboundedReceiver<Duration>,
}

struct Told {
    manual: Arc<ManualClock>,
    asked: mpsc::UnboundedSender<Duration>,
}

impl Time {
    pub(crate) fn new() -> (Self, Arc<dyn Clock>) {
        let manual = ManualClock::new(Timestamp::UNIX_EPOCH);
        let (tell, asked) = mpsc::unbounded_channel();
        (Self { manual: manual.clone(), asked }, Arc::new(Told { manual, asked: tell }))
    }

    /// Lets the span pass as soon as somebody waits exactly so long.
    pub(crate) async fn pass_when_awaited(&mut self, span: Duration) {
        self.awaited(span).await;
        self.pass(span);
    }

    /// Returns once somebody waits exactly so long.
    pub(crate) async fn awaited(&mut self, span: Duration) {
        while patiently(self.asked.recv()).await.expect("the clock is in use") != span {}
    }

    pub(crate) fn pass(&self, span: Duration) {
        self.manual.advance(span);
    }

    /// What was awaited so far is of no interest.
    pub(crate) fn forget(&mut self) {
        while self.asked.try_recv().is_ok() {}
    }
}

impl Clock for Told {
    fn monotonic(&self) -> Monotonic {
        self.manual.monotonic()
    }

    fn wall(&self) -> Timestamp {
        self.manual.wall()
    }

    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        // A test that has ended does not care any longer.
        let _ = self.asked.send(instant.since(self.monotonic()));
        self.manual.sleep_until(instant)
    }
}
