//! Which topics of executors without an event stream are being read, and which results of robots' commands the dispatcher waits for.
//! In memory only: what the topics tell is committed by the consumer before it is noted here.

use std::collections::HashSet;
use std::sync::Arc;

use starkeep_contract::robot::{FIGHTING, MINING, MOVEMENT, REGENERATION, TRANSACTION_ID};
use starkeep_game_core::{ExecutorKind, Kind};
use starkeep_platform::consumer::Record;
use tokio::sync::watch;
use uuid::Uuid;

use crate::domain::{Followed, topics_of};
use crate::ports::Batch;

#[derive(Default)]
pub(crate) struct TopicResults {
    /// Commands whose results are waited for and have not come.
    missing: watch::Sender<HashSet<Uuid>>,
    /// Topics that are being read, and whose records of before have been read.
    read: watch::Sender<HashSet<&'static str>>,
}

impl TopicResults {
    /// None if nobody would notice the results of the batch.
    pub(crate) fn expect(self: &Arc<Self>, batch: &Batch) -> Option<ExpectedResults> {
        let topic = topic_of(batch.kind).filter(|topic| self.read.borrow().contains(topic))?;
        let commands: Vec<_> = batch.commands.iter().map(|command| command.id.0).collect();
        self.missing.send_modify(|missing| missing.extend(&commands));
        Some(ExpectedResults { results: self.clone(), topic, commands })
    }

    /// Is everything read at once that these executors tell in their topics?
    pub(crate) fn reads(&self, told: Followed) -> bool {
        let read = self.read.borrow();
        let executors = [ExecutorKind::Trading, ExecutorKind::Robots].into_iter();
        executors
            .filter(|executor| told.follows(*executor))
            .flat_map(topics_of)
            .all(|topic| read.contains(topic))
    }

    pub(crate) fn note(&self, records: &[Record]) {
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
    results: Arc<TopicResults>,
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

/// Says that a topic is read, and that its records of before have been read, for as long as that is so.
pub(crate) struct Reading<'a> {
    results: &'a TopicResults,
    topic: &'static str,
}

impl<'a> Reading<'a> {
    pub(crate) fn begin(results: &'a TopicResults, topic: &'static str) -> Self {
        results.read.send_if_modified(|read| read.insert(topic));
        Self { results, topic }
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.results.read.send_if_modified(|read| read.remove(self.topic));
    }
}
