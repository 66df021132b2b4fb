//! Reports of robots: what they say and how far their topic has been read are one commit, so that none is recorded twice
//! and none is missed.

use starkeep_game_core::{Policy, Robot, RobotGame, RobotId, RobotReport};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Rejection};

/// What came of some reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedReports {
    pub robots: usize,
    /// Reports that contradict what is known; they changed nothing.
    pub odd: usize,
}

impl App {
    /// Records what was read from the topic or stream up to the position, which is that of what was read last.
    pub async fn record_robot_reports(
        &self,
        epoch: Epoch,
        source: &'static str,
        reports: Vec<RobotReport>,
        position: String,
    ) -> Outcome<RecordedReports> {
        let policy = self.policy;
        let keys = reports.iter().map(|report| Key::Robot(report.robot())).collect();
        let work = Decision::new(keys, move |image: &Image| {
            let mut learned: Vec<(RobotId, Robot)> = Vec::new();
            let mut odd = 0;
            for report in &reports {
                let robot = report.robot();
                let so_far = learned.iter().rev().find(|(id, _)| *id == robot).map(|(_, robot)| *robot);
                let known = so_far.or_else(|| image.robot(robot));
                match report.applied_to(known, game_of_report(&policy, report, image)) {
                    Ok(after) => learned.extend(after.map(|after| (robot, after))),
                    Err(_) => odd += 1,
                }
            }
            let output = RecordedReports { robots: learned.len(), odd };
            let position = Some((source.to_owned(), position.clone()));
            let change = Change::robots_reported(|robot| image.robot(robot), learned, position);
            Ok(Decided { change, events: vec![], output })
        });
        self.decide(work.fenced_by(epoch)).await
    }

    /// Records the report of a single robot; the robot as it is known then.
    pub async fn record_robot_report(&self, report: RobotReport) -> Outcome<Robot> {
        let policy = self.policy;
        let work = Decision::new(vec![Key::Robot(report.robot())], move |image: &Image| {
            let known = image.robot(report.robot());
            let game = game_of_report(&policy, &report, image);
            let after = report.applied_to(known, game).map_err(starkeep_game_core::Rejection::from)?;
            let robots: Vec<_> = after.map(|robot| (report.robot(), robot)).into_iter().collect();
            let output = after.or(known).ok_or(Rejection::NothingToDo)?;
            let change = Change::robots_reported(|robot| image.robot(robot), robots, None);
            Ok(Decided { change, events: vec![], output })
        });
        self.decide(work).await
    }
}

/// The game that the report means. Those that run are in memory, and no other matters.
pub(super) fn game_of_report(policy: &Policy, report: &RobotReport, image: &Image) -> RobotGame {
    let games = image.active_games().map(|game| &**game);
    match report {
        RobotReport::Spawned { at: Some(time), .. } if policy.robots_end_with_game => {
            RobotGame::at(*time, games)
        }
        RobotReport::Spawned { at: None, .. } if policy.robots_end_with_game => RobotGame::now(games),
        // One whose own service names its game means that one.
        RobotReport::Spawned { .. } | RobotReport::SpawnedIn { .. } | RobotReport::Destroyed { .. } => {
            RobotGame::Any
        }
    }
}
