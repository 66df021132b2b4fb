//! Every rejection as a problem whose detail is the text of the existing service, where that has one.
//! Status codes are the same in both dialects, since they are those of the existing service.

use starkeep_contract::{Code, Dialect, Problem};
use starkeep_platform::decision::Failure;
use starkeep_platform::http::ErrorResponse;
use starkeep_robot_core::{PlanetFault, RobotId, Upgrade, UpgradeRefusal};

use super::messages;
use crate::domain::Rejection;

/// What cannot be read: nothing was executed.
pub(crate) fn not_accepted(detail: impl Into<String>) -> Problem {
    Problem::new(Code::RequestNotAccepted, detail)
}

/// A failed request as a response. A storage's error text is logged, and never part of it.
pub(crate) fn refuse(failure: Failure<Rejection>) -> ErrorResponse {
    match failure {
        Failure::Rejected(Rejection::Unreadable { fault }) => ErrorResponse::unreadable(&fault),
        failure => failure.map(problem).into(),
    }
}

fn problem(rejection: Rejection) -> Problem {
    match rejection {
        Rejection::Batch(refusal) => refusal.problem(Dialect::Standard),
        Rejection::Busy { game } => Problem::new(
            Code::RoundNotReached,
            format!("an earlier batch of game {game} is still being executed; nothing of this one was"),
        ),
        Rejection::TooLate => Problem::new(
            Code::RoundNotReached,
            "the batch's time was over before it could be executed; nothing of it was",
        ),
        Rejection::MapOwesMinings { game } => Problem::new(
            Code::MapUnavailable,
            format!(
                "the map service has not answered all minings of game {game}; they will be finished, and a repeat of this batch mines nothing twice"
            ),
        ),
        Rejection::UnknownRobot { robot } => Problem::new(Code::UnknownRobot, messages::unknown_robot(robot)),
        Rejection::Upgrade { robot, upgrade, level, refusal } => {
            Problem::new(Code::UpgradeRefused, upgrade_refusal(robot, upgrade, level, refusal))
        }
        Rejection::TooFewPlanets => {
            not_accepted("there are fewer planets than robots to spawn").at_field("planets")
        }
        Rejection::Planet { planet, fault: PlanetFault::Unknown } => {
            let text = format!("{}: {planet}", messages::planet_fault(PlanetFault::Unknown));
            not_accepted(text).at_field("planets")
        }
        Rejection::Planet { fault, .. } => Problem::new(
            Code::MapUnavailable,
            format!("{}; no robot was spawned", messages::planet_fault(fault)),
        ),
        Rejection::TransactionReused { transaction } => Problem::new(
            Code::IdempotencyKeyReused,
            format!("transaction {transaction} came with another order before"),
        )
        .at_field("transactionId"),
        Rejection::GameServiceAway { fault } => {
            tracing::warn!(%fault, "the game service could not be asked whose token it is");
            Problem::new(
                Code::GameUnavailable,
                "the game service, which knows whose token it is, did not answer",
            )
        }
        Rejection::Repeated(_) | Rejection::NothingToDo => {
            Problem::new(Code::Internal, "there was nothing to do")
        }
        Rejection::Unreadable { .. } => {
            Problem::new(Code::StorageUnavailable, "the storage could not be read")
        }
    }
}

fn upgrade_refusal(robot: RobotId, upgrade: Upgrade, level: u32, refusal: UpgradeRefusal) -> String {
    let name = upgrade.as_str();
    match refusal {
        UpgradeRefusal::NoSuchLevel { highest } => {
            format!("{name} has no level {level}, its highest level is {highest}")
        }
        UpgradeRefusal::SkipsLevels { current } => {
            format!(
                "{name} of robot {robot} is at LVL{current}: LVL{level} cannot be reached before LVL{}",
                current + 1
            )
        }
        UpgradeRefusal::HasLevel { current } => {
            format!("{name} of robot {robot} is at LVL{current} already")
        }
    }
}
