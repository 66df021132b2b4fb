//! Consumes what the robot service publishes about its robots, from the oldest record on, each topic by itself.
//! The position in each topic is kept in the store; a broker that is away, and a topic that is not there yet, are waited for.

use std::sync::Arc;

use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use starkeep_contract::robot::{ROBOT_DESTROYED, RobotDestroyed, SPAWN_NOTIFICATION, SpawnNotification};
use starkeep_game_core::{PlayerId, RobotId, RobotReport};
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers, WhenLost};
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use super::topic_loop::keep_reading;
use crate::app::App;

#[derive(Clone)]
pub struct RobotEventConsumer {
    app: Arc<App>,
    broker: Arc<dyn TopicConsumers>,
    bad: Family<OfTopic, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfTopic {
    topic: &'static str,
}

impl RobotEventConsumer {
    pub fn new(app: Arc<App>, broker: Arc<dyn TopicConsumers>) -> Self {
        Self { app, broker, bad: Family::default() }
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Records that could not be read and were skipped";
        registry.register("robot_news_bad_records", help, self.bad.clone());
    }

    pub fn start(self, leader: &Leader) {
        let other = self.clone();
        leader.run("listen-to-spawn-notification", move |task| self.clone().run(SPAWN_NOTIFICATION, task));
        leader.run("listen-to-robot-destroyed", move |task| other.clone().run(ROBOT_DESTROYED, task));
    }

    async fn run(self, topic: &'static str, task: TaskHandle) {
        keep_reading(&task, &*self.app.clock, || self.subscribe(topic, &task)).await;
    }

    /// Consumes until something is wrong, or the topic is not there.
    async fn subscribe(&self, topic: &'static str, task: &TaskHandle) -> Result<(), String> {
        let position = self.app.store.image().position_of(topic).map(ToOwned::to_owned);
        let consumer = self.broker.subscribe(topic, position.as_deref(), WhenLost::Wait).await;
        let consumer = consumer.map_err(|fault| fault.to_string())?;
        let Some(mut consumer) = consumer else { return Ok(()) };
        loop {
            self.consume(task.epoch(), topic, &mut *consumer).await?;
            task.ran(Ok(()), None);
        }
    }

    /// Records what the next records report.
    pub async fn consume(
        &self,
        epoch: Epoch,
        topic: &'static str,
        consumer: &mut dyn TopicConsumer,
    ) -> Result<(), String> {
        let records = consumer.next().await.map_err(|fault| fault.to_string())?;
        let Some(last) = records.last() else { return Ok(()) };
        let position = last.position.clone();
        let reports = records.iter().filter_map(|record| self.read(topic, record)).collect();
        let recorded = self.app.record_robot_reports(epoch, topic, reports, position).await;
        let recorded = recorded.map_err(|failure| format!("reports could not be recorded: {failure:?}"))?;
        if recorded.odd > 0 {
            tracing::warn!(
                topic,
                odd = recorded.odd,
                "robots were announced a second time, for another player"
            );
        }
        Ok(())
    }

    /// What cannot be read is counted, told and skipped: it must not hold up what comes after it.
    fn read(&self, topic: &'static str, record: &Record) -> Option<RobotReport> {
        report(topic, record)
            .inspect_err(|fault| {
                self.bad.get_or_create(&OfTopic { topic }).inc();
                tracing::warn!(topic, position = record.position, %fault, "a record could not be read and is skipped");
            })
            .ok()
    }
}

fn report(topic: &str, record: &Record) -> Result<RobotReport, serde_json::Error> {
    if topic == SPAWN_NOTIFICATION {
        let SpawnNotification { robot_id, player_id } = serde_json::from_slice(&record.value)?;
        let (robot, owner) = (RobotId(robot_id.0), PlayerId(player_id.0));
        // The existing service writes whole seconds in UTC. A record without a time tells of a robot that is there now.
        let at = record.header("timestamp").and_then(|time| time.parse::<Timestamp>().ok());
        return Ok(RobotReport::Spawned { robot, owner, at });
    }
    let RobotDestroyed { robot_id } = serde_json::from_slice(&record.value)?;
    Ok(RobotReport::Destroyed { robot: RobotId(robot_id.0) })
}
