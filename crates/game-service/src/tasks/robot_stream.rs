//! Follows the events of a robot service that is one of ours: they name the game of each robot. What was learned is recorded
//! together with the position in the stream, so nothing is missed and nothing is taken twice.

use std::sync::Arc;

use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::robot::{ROBOT_DESTROYED, RobotDestroyed, SPAWN_NOTIFICATION, SpawnNotification};
use starkeep_game_core::{ExecutorKind, GameId, PlayerId, RobotId, RobotReport};
use starkeep_http_client::{EventStream, Item, ServiceUrl, StartFrom};
use starkeep_platform::follow::follow;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;

/// Under which the position in the stream is kept. No topic has this name.
const SOURCE: &str = "robot-service";

#[derive(Clone)]
pub struct RobotStream {
    app: Arc<App>,
    url: ServiceUrl,
}

impl RobotStream {
    pub fn new(app: Arc<App>, url: ServiceUrl) -> Self {
        Self { app, url }
    }

    pub fn start(self, leader: &Leader) {
        leader.run("follow-robots", move |task| self.clone().run(task));
    }

    async fn run(self, task: TaskHandle) {
        tokio::select! {
            biased;
            () = task.stopped() => return,
            () = self.app.executor_status.until_executes_once(ExecutorKind::Robots) => {}
        }
        let epoch = task.epoch();
        let stream = self.open();
        let this = &self;
        let record = |items: Arc<[Item]>, position| async move { this.record(epoch, &items, position).await };
        follow(task, self.app.clock.clone(), stream, record).await;
    }

    fn open(&self) -> EventStream {
        let position = self.app.store.image().position_of(SOURCE).map(ToOwned::to_owned);
        let from = position.map_or(StartFrom::Start, StartFrom::After);
        let channels = [SPAWN_NOTIFICATION, ROBOT_DESTROYED];
        // The probe tells of a robot service that goes and comes.
        EventStream::open(self.url.clone(), self.app.clock.clone(), from, &channels).unlogged()
    }

    /// Records what the items tell, and that the stream was read up to there.
    pub async fn record(&self, epoch: Epoch, items: &[Item], position: String) -> Result<(), String> {
        let told = items.iter().filter_map(|item| match item {
            Item::Event(event) => read(event),
            Item::Gap(gap) => {
                tracing::warn!(reason = ?gap.reason, "events of the robot service are missing; robots that only they told of cannot be commanded");
                None
            }
        });
        let reports = told.collect();
        let recorded = self.app.record_robot_reports(epoch, SOURCE, reports, position).await;
        let recorded = recorded.map_err(|failure| format!("a report could not be recorded: {failure:?}"))?;
        if recorded.odd > 0 {
            tracing::warn!("the robot service names another owner of a robot than was reported before");
        }
        Ok(())
    }
}

/// What cannot be read is told and skipped: it must not hold up what comes after it.
fn read(event: &PublishedEvent) -> Option<RobotReport> {
    report(event).unwrap_or_else(|fault| {
        tracing::warn!(channel = event.channel.name(), position = event.id, %fault, "an event of the robot service could not be read and is skipped");
        None
    })
}

/// None where the event tells of no robot's beginning or end.
fn report(event: &PublishedEvent) -> Result<Option<RobotReport>, serde_json::Error> {
    Ok(match event.channel {
        Channel::SpawnNotification => {
            let SpawnNotification { robot_id, player_id } = serde_json::from_value(event.payload.clone())?;
            let (robot, owner) = (RobotId(robot_id.0), PlayerId(player_id.0));
            Some(match event.about.game_id {
                Some(game) => RobotReport::SpawnedIn { robot, owner, game: GameId(game.0) },
                None => RobotReport::Spawned { robot, owner, at: event.headers.timestamp.parse().ok() },
            })
        }
        Channel::RobotDestroyed => {
            let RobotDestroyed { robot_id } = serde_json::from_value(event.payload.clone())?;
            Some(RobotReport::Destroyed { robot: RobotId(robot_id.0) })
        }
        _ => None,
    })
}
