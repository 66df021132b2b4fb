//! A robot service that is asked for robots, in memory: it does not answer unless a test says what.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use starkeep_game_core::{PlayerId, RobotId};
use starkeep_game_service::ports::{FoundRobot, RobotDirectory};
use tokio::sync::watch;
use uuid::Uuid;

#[derive(Default)]
pub(crate) struct FakeDirectory {
    says: Mutex<HashMap<Uuid, Says>>,
    asked: Mutex<Vec<Uuid>>,
    /// Whether answers are held back.
    held: watch::Sender<bool>,
    at_once: watch::Sender<(usize, usize)>,
}

/// What it says of a robot.
#[derive(Clone, Copy)]
pub(crate) enum Says {
    Nowhere,
    Of { owner: Uuid, alive: bool },
}

impl FakeDirectory {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn says(&self, robot: Uuid, says: Says) {
        self.says.lock().unwrap_or_else(PoisonError::into_inner).insert(robot, says);
    }

    /// From now on no question is answered; or all are again.
    pub(crate) fn hold(&self, held: bool) {
        self.held.send_replace(held);
    }

    /// Every robot that it was asked for, in order.
    pub(crate) fn asked(&self) -> Vec<Uuid> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many questions it has to answer, and how many it ever had at the same time.
    pub(crate) fn at_once(&self) -> (usize, usize) {
        *self.at_once.borrow()
    }
}

/// A question that is answered or broken off.
struct Asked<'a>(&'a FakeDirectory);

impl<'a> Asked<'a> {
    fn new(directory: &'a FakeDirectory) -> Self {
        directory.at_once.send_modify(|(now, most)| {
            *now += 1;
            *most = (*most).max(*now);
        });
        Self(directory)
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.0.at_once.send_modify(|(now, _)| *now -= 1);
    }
}

impl RobotDirectory for FakeDirectory {
    fn find(&self, robot: RobotId) -> BoxFuture<'_, Result<Option<FoundRobot>, String>> {
        Box::pin(async move {
            let _asked = Asked::new(self);
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(robot.0);
            self.held.subscribe().wait_for(|held| !held).await.expect("it is alive");
            let says = self.says.lock().unwrap_or_else(PoisonError::into_inner).get(&robot.0).copied();
            match says {
                None => Err("no answer".to_owned()),
                Some(Says::Nowhere) => Ok(None),
                Some(Says::Of { owner, alive }) => {
                    Ok(Some(FoundRobot { owner: PlayerId(owner), alive, game: None }))
                }
            }
        })
    }
}
