//! Creates the topics of the robot and trading services: they do not do it all themselves, and not every broker does it for
//! them. A fault holds up nothing else: it is logged once, and the topics are tried again.

use std::sync::Arc;
use std::time::Duration;

use starkeep_contract::topics::{ROBOT_TOPICS, TRADING_TOPICS};
use starkeep_platform::clock::Clock;
use starkeep_platform::consumer::TopicConsumers;
use starkeep_platform::tasks::{Leader, TaskHandle};

/// After a fault.
const RETRY_DELAY: Duration = Duration::from_secs(5);
/// A broker may be replaced by an empty one.
const LOOK_EVERY: Duration = Duration::from_mins(1);

#[derive(Clone)]
pub struct TopicCreation {
    clock: Arc<dyn Clock>,
    broker: Arc<dyn TopicConsumers>,
}

impl TopicCreation {
    pub fn new(clock: Arc<dyn Clock>, broker: Arc<dyn TopicConsumers>) -> Self {
        Self { clock, broker }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("create-topics", move |task| self.clone().run(task));
    }

    async fn run(self, task: TaskHandle) {
        let topics = [ROBOT_TOPICS.as_slice(), &TRADING_TOPICS].concat();
        let mut failed = false;
        loop {
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => return,
                outcome = self.broker.create(&topics) => outcome,
            };
            match &outcome {
                Err(fault) if !failed => {
                    tracing::warn!(%fault, "the topics of the robot and trading services cannot be created");
                }
                Ok(()) if failed => tracing::info!("the topics of the robot and trading services are there"),
                _ => {}
            }
            failed = outcome.is_err();
            let next = self.clock.monotonic().after(if failed { RETRY_DELAY } else { LOOK_EVERY });
            task.ran(outcome.map_err(|fault| fault.to_string()), Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }
}
