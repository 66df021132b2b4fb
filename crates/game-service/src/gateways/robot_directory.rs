//! Asks the robot service for a robot, over HTTP. A 404 says that there is none; whatever else is not a robot says nothing.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::StatusCode;
use starkeep_contract::batch_headers;
use starkeep_contract::robot::RobotOfService;
use starkeep_game_core::{GameId, PlayerId, RobotId};
use starkeep_http_client::{Call, Caller, Connections, ServiceUrl, Timeout};
use starkeep_platform::clock::Clock;

use super::service_token::ServiceToken;
use crate::ports::{FoundRobot, RobotDirectory};

/// A command waits for the answer, and no longer than this.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// A robot takes less than a kilobyte.
const LONGEST_ANSWER: usize = 64 * 1024;

pub struct HttpRobotDirectory {
    caller: Caller,
    token: ServiceToken,
}

impl HttpRobotDirectory {
    pub fn new(url: ServiceUrl, token: ServiceToken, clock: Arc<dyn Clock>) -> Self {
        let timeout = Timeout { clock, after: LONGEST_WAIT };
        Self { caller: Caller::new(url, Connections::Pooled).with_timeout(timeout), token }
    }

    async fn ask(&self, robot: RobotId) -> Result<Option<FoundRobot>, String> {
        let call = Call::get(format!("/robots/{robot}")).largest_answer(LONGEST_ANSWER);
        let answer =
            self.token.shown_by(&self.caller).exchange(&call).await.map_err(|failure| failure.to_string())?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let answer = answer.into_success().map_err(|failure| failure.to_string())?;
        let game = answer.headers.get(batch_headers::GAME).and_then(|game| game.to_str().ok()?.parse().ok());
        let found: RobotOfService = answer.json().map_err(|failure| failure.to_string())?;
        if found.id.is_some_and(|id| id.0 != robot.0) {
            return Err("it answers with another robot".to_owned());
        }
        Ok(Some(FoundRobot { owner: PlayerId(found.player.0), alive: found.alive, game: game.map(GameId) }))
    }
}

impl RobotDirectory for HttpRobotDirectory {
    fn find(&self, robot: RobotId) -> BoxFuture<'_, Result<Option<FoundRobot>, String>> {
        Box::pin(self.ask(robot))
    }
}
