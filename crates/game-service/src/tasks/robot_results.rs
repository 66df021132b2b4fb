//! What the topics of executors tell that have no event stream: which commands were carried out, and players' accounts. The dispatcher
//! waits for robots' results between two batches, receipts show all of them, and scores are made from them. What was read and how far
//! each topic has been read are one commit, so nothing is missed over a restart; in memory is only what somebody waits for.

use std::sync::Arc;

use starkeep_contract::robot::{BANK_CREATED, FIGHTING, MINING, MOVEMENT, REGENERATION, TRADES};
use starkeep_game_core::ExecutorKind;
use starkeep_platform::consumer::{TopicConsumers, WhenLost};
use starkeep_platform::tasks::{Leader, TaskHandle};

use super::topic_loop::keep_reading;
use crate::app::App;
use crate::topic_results::Reading;

/// Reads the topics.
#[derive(Clone)]
pub struct RobotResultConsumer {
    app: Arc<App>,
    broker: Arc<dyn TopicConsumers>,
}

impl RobotResultConsumer {
    pub(crate) fn new(app: Arc<App>, broker: Arc<dyn TopicConsumers>) -> Self {
        Self { app, broker }
    }

    pub fn start(&self, leader: &Leader) {
        let (robots, trading) = (ExecutorKind::Robots, ExecutorKind::Trading);
        for (task, topic, executor) in [
            ("listen-to-movement", MOVEMENT, robots),
            ("listen-to-fighting", FIGHTING, robots),
            ("listen-to-mining", MINING, robots),
            ("listen-to-regeneration", REGENERATION, robots),
            ("listen-to-trades", TRADES, trading),
            ("listen-to-bank-created", BANK_CREATED, trading),
        ] {
            let this = self.clone();
            leader.run(task, move |task| this.clone().run(executor, topic, task));
        }
    }

    async fn run(self, executor: ExecutorKind, topic: &'static str, task: TaskHandle) {
        tokio::select! {
            biased;
            () = task.stopped() => return,
            () = self.app.until_told_by_topics(executor) => {}
        }
        keep_reading(&task, &*self.app.clock, || self.read(executor, topic, &task)).await;
    }

    /// Reads until something is wrong, or the topic is not there.
    async fn read(
        &self,
        executor: ExecutorKind,
        topic: &'static str,
        task: &TaskHandle,
    ) -> Result<(), String> {
        let position = self.app.store.image().position_of(topic).map(ToOwned::to_owned);
        let consumer = self.broker.subscribe(topic, position.as_deref(), WhenLost::Fail).await;
        let Some(mut consumer) = consumer.map_err(|fault| fault.to_string())? else { return Ok(()) };
        let mut reading = None;
        loop {
            let records = consumer.next().await.map_err(|fault| fault.to_string())?;
            if records.is_empty() {
                reading.get_or_insert_with(|| Reading::begin(&self.app.topic_results, topic));
            }
            self.app.topic_results.note(&records);
            let recorded = self.app.record_topic(task.epoch(), executor, topic, &records).await;
            recorded.map_err(|failure| format!("records could not be recorded: {failure:?}"))?;
            if reading.is_some() {
                task.ran(Ok(()), None);
            }
        }
    }
}
