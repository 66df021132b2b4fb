//! What the topics of executors tell that have no event stream: which commands were carried out, and players' accounts. The dispatcher
//! waits for robots' results between two batches, receipts show all of them, and scores are made from them. What was read and how far
//! each topic has been read are one commit, so nothing is missed over a restart; in memory is only what somebody waits for.

use std::collections::HashSet;
use std::sync::Arc;

use starkeep_contract::robot::{
    BANK_CREATED, FIGHTING, MINING, MOVEMENT, REGENERATION, TRADES, TRANSACTION_ID,
};
use starkeep_game_core::{ExecutorKind, Kind};
use starkeep_platform::consumer::{Record, TopicConsumers, WhenLost};
use starkeep_platform::tasks::{Leader, TaskHandle};
use tokio::sync::watch;
use uuid::Uuid;

use super::topic_loop::keep_reading;
use crate::app::App;
use crate::ports::Batch;

/// What is known of results.
#[derive(Default)]
pub(crate) struct RobotResults {
    /// Commands whose results are waited for and have not come.
    missing: watch::Sender<HashSet<Uuid>>,
    /// Topics that are being read.
    read: watch::Sender<HashSet<&'static str>>,
}

impl RobotResults {
    /// None if nobody would notice the results of the batch.
    pub(crate) fn expect(self: &Arc<Self>, batch: &Batch) -> Option<ExpectedResults> {
        let topic = topic_of(batch.kind).filter(|topic| self.read.borrow().contains(topic))?;
        let commands: Vec<_> = batch.commands.iter().map(|command| command.id.0).collect();
        self.missing.send_modify(|missing| missing.extend(&commands));
        Some(ExpectedResults { results: self.clone(), topic, commands })
    }

    fn note(&self, records: &[Record]) {
        let results = records.iter().filter_map(|record| record.header(TRANSACTION_ID));
        let results: Vec<_> = results.filter_map(|id| Uuid::try_parse(id).ok()).collect();
        self.missing.send_if_modified(|missing| {
            let before = missing.len();
            for command in &results {
                missing.remove(command);
            }
            missing.len() < before
        });
    }
}

/// The results of one batch; forgotten when it is dropped.
pub(crate) struct ExpectedResults {
    results: Arc<RobotResults>,
    topic: &'static str,
    commands: Vec<Uuid>,
}

impl ExpectedResults {
    /// True once there is a result of every command, false if the topic is not read any longer.
    pub(crate) async fn all_seen(&self) -> bool {
        let (mut missing, mut read) = (self.results.missing.subscribe(), self.results.read.subscribe());
        // Neither sender goes away before this does.
        tokio::select! {
            biased;
            _ = missing.wait_for(|missing| !self.commands.iter().any(|id| missing.contains(id))) => true,
            _ = read.wait_for(|read| !read.contains(self.topic)) => false,
        }
    }
}

impl Drop for ExpectedResults {
    fn drop(&mut self) {
        // Nobody else waits for them.
        self.results.missing.send_if_modified(|missing| {
            for command in &self.commands {
                missing.remove(command);
            }
            false
        });
    }
}

/// Every command of these kinds has one result, also where it fails.
fn topic_of(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Movement => Some(MOVEMENT),
        Kind::Battle => Some(FIGHTING),
        Kind::Mining => Some(MINING),
        Kind::Regeneration => Some(REGENERATION),
        Kind::Selling | Kind::Buying => None,
    }
}

/// Reads the topics.
#[derive(Clone)]
pub struct RobotResultConsumer {
    app: Arc<App>,
    broker: Arc<dyn TopicConsumers>,
    results: Arc<RobotResults>,
}

impl RobotResultConsumer {
    pub(crate) fn new(app: Arc<App>, broker: Arc<dyn TopicConsumers>) -> Self {
        Self { app, broker, results: Arc::default() }
    }

    pub(crate) fn results(&self) -> &Arc<RobotResults> {
        &self.results
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
            () = self.app.until_told_by_topic(executor, topic) => {}
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
        let _reading = Reading::begin(&self.results, topic);
        task.ran(Ok(()), None);
        loop {
            let records = consumer.next().await.map_err(|fault| fault.to_string())?;
            self.results.note(&records);
            let recorded = self.app.record_topic(task.epoch(), executor, topic, &records).await;
            recorded.map_err(|failure| format!("records could not be recorded: {failure:?}"))?;
            task.ran(Ok(()), None);
        }
    }
}

/// Says that a topic is read, for as long as it is.
struct Reading<'a> {
    results: &'a RobotResults,
    topic: &'static str,
}

impl<'a> Reading<'a> {
    fn begin(results: &'a RobotResults, topic: &'static str) -> Self {
        results.read.send_if_modified(|read| read.insert(topic));
        Self { results, topic }
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.results.read.send_if_modified(|read| read.remove(self.topic));
    }
}
