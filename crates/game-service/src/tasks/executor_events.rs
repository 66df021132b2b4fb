//! Follows the events of the trading and robot services: results of commands, and how players stand.
//! All channels are read: a batch is answered with the position of the last event of whatever channel.

use std::sync::Arc;

use starkeep_game_core::ExecutorKind;
use starkeep_http_client::{EventStream, Item, ServiceUrl, StartFrom, Token};
use starkeep_platform::follow::follow;
use starkeep_platform::lease::Epoch;
use starkeep_platform::tasks::{Leader, TaskHandle};

use crate::app::App;

#[derive(Clone)]
pub struct ExecutorEvents {
    app: Arc<App>,
    executor: ExecutorKind,
    url: ServiceUrl,
    token: Option<Token>,
}

impl ExecutorEvents {
    /// Whom an event is about is told to who shows the token.
    pub fn new(app: Arc<App>, executor: ExecutorKind, url: ServiceUrl, token: Option<&str>) -> Self {
        Self { app, executor, url, token: token.map(Token::new) }
    }

    pub fn start(self, leader: &Leader) {
        let name = match self.executor {
            ExecutorKind::Trading => "follow-trading",
            ExecutorKind::Robots => "follow-robot-results",
        };
        leader.run(name, move |task| self.clone().run(task));
    }

    async fn run(self, task: TaskHandle) {
        tokio::select! {
            biased;
            () = task.stopped() => return,
            () = self.app.executor_status.until_executes_once(self.executor) => {}
        }
        let (this, epoch) = (&self, task.epoch());
        let record = |items: Arc<[Item]>, position| async move { this.record(epoch, &items, position).await };
        follow(task, self.app.clock.clone(), self.open(), record).await;
    }

    /// From where the last recorded item was, or from the oldest kept event.
    pub fn open(&self) -> EventStream {
        let from = self.app.results_position(self.executor).map_or(StartFrom::Start, StartFrom::After);
        // The probes tell of an executor that goes and comes.
        let stream = EventStream::open(self.url.clone(), self.app.clock.clone(), from, &[]).unlogged();
        match &self.token {
            Some(token) => stream.with_token(token.clone()),
            None => stream,
        }
    }

    /// Records what the items tell, and that the stream was read up to there.
    pub async fn record(&self, epoch: Epoch, items: &[Item], position: String) -> Result<(), String> {
        let recorded = self.app.record_executor_events(epoch, self.executor, items, position).await;
        recorded.map_err(|failure| format!("events could not be recorded: {failure:?}"))
    }
}
