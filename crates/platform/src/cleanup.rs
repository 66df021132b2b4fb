//! The hourly clean-up: answers that need not be repeated any longer, and what else a service forgets after a while.
//! The log's old events are another matter: see `retention`.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use crate::clock::Clock;
use crate::common_store::CommonStore;
use crate::idempotency::ANSWER_LIFETIME;
use crate::tasks::{Leader, TaskHandle};

const EVERY: Duration = Duration::from_hours(1);

#[derive(Clone)]
pub struct Cleanup {
    clock: Arc<dyn Clock>,
    chores: Vec<Chore>,
}

#[derive(Clone)]
struct Chore {
    kept: SignedDuration,
    forget: Forget,
}

/// Forgets what is from before the instant; how much.
type Forget = Arc<dyn Fn(Timestamp) -> BoxFuture<'static, Result<usize, String>> + Send + Sync>;

impl Cleanup {
    pub fn new(store: Arc<dyn CommonStore>, clock: Arc<dyn Clock>) -> Self {
        Self { clock, chores: vec![] }.also(ANSWER_LIFETIME, move |before| {
            let store = store.clone();
            Box::pin(async move { store.forget_answers(before).await })
        })
    }

    /// Something else that is kept only for so long.
    #[must_use]
    pub fn also(
        mut self,
        kept: SignedDuration,
        forget: impl Fn(Timestamp) -> BoxFuture<'static, Result<usize, String>> + Send + Sync + 'static,
    ) -> Self {
        self.chores.push(Chore { kept, forget: Arc::new(forget) });
        self
    }

    pub fn start(self, leader: &Leader) {
        leader.run("clean-up", move |task| self.clone().run(task));
    }

    async fn run(self, task: TaskHandle) {
        loop {
            let next = self.clock.monotonic().after(EVERY);
            task.ran(self.step().await, Some(next));
            tokio::select! {
                () = task.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }

    async fn step(&self) -> Result<(), String> {
        let now = self.clock.wall();
        let mut forgotten = 0;
        for Chore { kept, forget } in &self.chores {
            forgotten += forget(now.saturating_sub(*kept).unwrap_or(Timestamp::MIN)).await?;
        }
        tracing::debug!(forgotten, "cleaned up");
        Ok(())
    }
}
