//! Asks the robot service for robots that were not reported, and records what it says like a report.
//! Any bot can cause such a question, so there are few at a time, and one for each robot.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, FutureExt as _, Shared, WeakShared};
use starkeep_game_core::{ExecutorKind, Policy, RobotId, RobotReport};
use starkeep_platform::decision::{Decided, Decision, Failure, apply};
use tokio::sync::Semaphore;

use super::robots::game_of_report;
use super::{App, Outcome};
use crate::domain::{Change, Image, Key, PlayerSearch, Rejection};
use crate::ports::{FoundRobot, Store};

/// How many questions are under way at a time; others wait for their turn as long as their commands do.
const MOST_AT_ONCE: usize = 16;

/// What the robot service has said of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RobotAnswer {
    /// It is recorded.
    Known,
    /// There is none with this id, or it is of nobody who is known here.
    Nowhere,
    /// There was no answer that says enough.
    None,
}

type Asking = BoxFuture<'static, (RobotId, RobotAnswer)>;

/// A question that several commands may wait for.
pub(super) type Question = Shared<Asking>;

type OpenQuestions = Mutex<HashMap<RobotId, WeakShared<Asking>>>;

/// The questions that are under way. One that nobody waits for any longer is broken off.
pub(crate) struct RobotQuestions {
    open: Arc<OpenQuestions>,
    at_once: Arc<Semaphore>,
}

/// Takes the question from the list when it is answered or broken off.
struct Listed {
    open: Arc<OpenQuestions>,
    robot: RobotId,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.robot);
    }
}

impl Default for RobotQuestions {
    fn default() -> Self {
        Self { open: Arc::default(), at_once: Arc::new(Semaphore::new(MOST_AT_ONCE)) }
    }
}

impl RobotQuestions {
    /// The question for this robot that is under way, or a new one.
    fn join(&self, robot: RobotId, ask: BoxFuture<'static, RobotAnswer>) -> Question {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(question) = open.get(&robot).and_then(WeakShared::upgrade) {
            return question;
        }
        let listed = Listed { open: self.open.clone(), robot };
        let question = async move {
            let _listed = listed;
            (robot, ask.await)
        };
        let question = question.boxed().shared();
        open.extend(question.downgrade().map(|question| (robot, question)));
        question
    }
}

impl App {
    /// None where there is no robot service to ask.
    pub(super) fn ask_for_robot(&self, robot: RobotId) -> Option<Question> {
        let directory = self.other_services.robot_directory.clone()?;
        let at_once = self.robot_questions.at_once.clone();
        let (store, policy, names_games) = (self.store.clone(), self.policy, self.robots_name_their_game());
        let ask = async move {
            let found = {
                // Nobody closes it, and what was found is recorded without a turn: many records share a commit.
                let _turn = at_once.acquire().await;
                directory.find(robot).await
            };
            match found {
                // Its stream is about to say so, and in which game. Without that the robot could act in every game.
                Ok(Some(FoundRobot { game: None, .. })) if names_games => RobotAnswer::None,
                found => recorded(found, &*store, policy, robot).await,
            }
        };
        Some(self.robot_questions.join(robot, ask.boxed()))
    }

    /// Is the robot service one of ours, whose events tell the game of every robot?
    fn robots_name_their_game(&self) -> bool {
        self.has_stream(ExecutorKind::Robots) == Some(true)
    }
}

async fn recorded(
    found: Result<Option<FoundRobot>, String>,
    store: &dyn Store,
    policy: Policy,
    robot: RobotId,
) -> RobotAnswer {
    let found = match found {
        Ok(Some(found)) => found,
        Ok(None) => return RobotAnswer::Nowhere,
        Err(fault) => {
            tracing::debug!(%robot, %fault, "the robot service does not say whose robot this is");
            return RobotAnswer::None;
        }
    };
    match record(store, policy, robot, found).await {
        Ok(()) => RobotAnswer::Known,
        Err(Failure::Rejected(_)) => {
            let owner = found.owner;
            tracing::warn!(%robot, %owner, "the robot service names an owner who is no player, or another one than before");
            RobotAnswer::Nowhere
        }
        Err(failure) => {
            tracing::warn!(%robot, ?failure, "what the robot service says of a robot could not be recorded");
            RobotAnswer::None
        }
    }
}

/// As if it had been reported: that it was spawned, and, if it is dead, that it was destroyed.
async fn record(store: &dyn Store, policy: Policy, robot: RobotId, found: FoundRobot) -> Outcome<()> {
    let FoundRobot { owner, alive, game } = found;
    let keys = vec![Key::Robot(robot), Key::Player(PlayerSearch::Id(owner))];
    let work = Decision::new(keys, move |image: &Image| {
        image.players().get(owner).ok_or(Rejection::NothingToDo)?;
        let spawned = match game {
            Some(game) => RobotReport::SpawnedIn { robot, owner, game },
            None => RobotReport::Spawned { robot, owner, at: None },
        };
        let destroyed = (!alive).then_some(RobotReport::Destroyed { robot });
        let known = image.robot(robot);
        let mut after = known;
        for report in [spawned].into_iter().chain(destroyed) {
            let applied = report.applied_to(after, game_of_report(&policy, &report, image));
            after = applied.map_err(starkeep_game_core::Rejection::from)?.or(after);
        }
        let robots = after.filter(|_| after != known).map(|after| (robot, after)).into_iter().collect();
        let change = Change::robots_reported(|robot| image.robot(robot), robots, None);
        Ok(Decided { change, events: vec![], output: () })
    });
    apply(store, work).await
}
