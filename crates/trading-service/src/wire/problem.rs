//! Every rejection as a problem: its code, and a sentence with its data.
//! The status code of a problem code depends on the dialect and is defined in the contract.

use starkeep_contract::{Code, Dialect, PathId, Problem};
use starkeep_executor::BatchRefusal;
use starkeep_platform::decision::Failure;
use starkeep_platform::http::ErrorResponse;

use crate::domain::Rejection;

/// A failed request as a response. A storage's error text is logged, and never part of it.
pub(crate) fn refuse(dialect: Dialect, failure: Failure<Rejection>) -> ErrorResponse {
    match failure {
        Failure::Rejected(Rejection::Unreadable { fault }) => ErrorResponse::unreadable(&fault),
        failure => failure.map(|rejection| problem(dialect, &rejection)).into(),
    }
}

/// A batch of which nothing, or not everything, was executed.
pub(crate) fn refuse_batch(dialect: Dialect, refusal: BatchRefusal) -> ErrorResponse {
    refusal.problem(dialect).into()
}

fn problem(dialect: Dialect, rejection: &Rejection) -> Problem {
    match rejection {
        Rejection::Game(starkeep_executor::GameRefusal::Unknown { .. }) => {
            // An unknown id is not repeated in the answer: it may be a secret that was sent by mistake.
            starkeep_contract::GameId::unknown()
        }
        Rejection::Game(refusal) => BatchRefusal::Game(*refusal).problem(dialect),
        Rejection::Busy { game } => Problem::spoken(
            dialect,
            Code::RoundNotReached,
            format!(
                "the batch's turn in game {game} did not come in time, since an earlier one is still being executed; nothing of \
                 this one was"
            ),
        ),
        Rejection::Unfinished(_) | Rejection::Overtaken => Problem::spoken(
            dialect,
            Code::RobotUnavailable,
            "earlier trades of this game are still under way; send the batch again",
        ),
        Rejection::NothingToDo => Problem::spoken(dialect, Code::Internal, "there was nothing to do"),
        Rejection::Unreadable { .. } => {
            Problem::spoken(dialect, Code::StorageUnavailable, "the storage could not be read")
        }
    }
}
