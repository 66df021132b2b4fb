//! A clock that reports to the test how long it is asked to sleep, so that time passes exactly when somebody waits for it.
//! Nothing else moves it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::{Clock, ManualClock, Monotonic};
use starkeep_test_http::within_limit;
use tokio::sync::mpsc;

pub(super) struct Time {
    manual: Arc<ManualClock>,
    asked: mpsc::UnboundedReceiver<Duration>,
}

/// Waits are as long as they can be.
pub(super) struct Longest;

impl Chance for Longest {
    fn uuid(&self) -> uuid::Uuid {
        uuid::Uuid::max()
    }

    fn bits(&self) -> u64 {
        u64::MAX
    }
}

struct ReportingClock {
    manual: Arc<ManualClock>,
    asked: mpsc::UnboundedSender<Duration>,
}

impl Time {
    pub(super) fn new() -> (Self, Arc<dyn Clock>) {
        let manual = ManualClock::new(Timestamp::UNIX_EPOCH);
        let (report, asked) = mpsc::unbounded_channel();
        (Self { manual: manual.clone(), asked }, Arc::new(ReportingClock { manual, asked: report }))
    }

    /// Lets the span pass as soon as somebody waits exactly so long.
    pub(super) async fn pass_when_awaited(&mut self, span: Duration) {
        while within_limit("somebody who waits", self.asked.recv()).await.expect("the clock is in use")
            != span
        {}
        self.manual.advance(span);
    }
}

impl Clock for ReportingClock {
    fn monotonic(&self) -> Monotonic {
        self.manual.monotonic()
    }

    fn wall(&self) -> Timestamp {
        self.manual.wall()
    }

    fn sleep_until(&self, instant: Monotonic) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        // The test may have ended.
        let _ = self.asked.send(instant.since(self.monotonic()));
        self.manual.sleep_until(instant)
    }
}
