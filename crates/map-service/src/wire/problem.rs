//! Every rejection as a problem: its code, and a sentence with its data.
//! The status code of a problem code depends on the dialect and is defined in the contract.

use starkeep_contract::{Code, Dialect, Problem};
use starkeep_map_core::Rejection as Rule;
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

fn problem(dialect: Dialect, rejection: &Rejection) -> Problem {
    let spoken = |code, detail: String| Problem::spoken(dialect, code, detail);
    match rejection {
        // An unknown id is not repeated in the answer: it may be a secret that was sent by mistake.
        Rejection::UnknownWorld { .. } => {
            spoken(Code::UnknownGameworld, "there is no gameworld with this id".to_owned())
        }
        Rejection::UnknownPlanet { .. } => {
            spoken(Code::UnknownPlanet, "there is no planet with this id".to_owned())
        }
        Rejection::WorldExists { world } => spoken(
            Code::GameworldGone,
            format!("gameworld {world} was made before; an id is used once, so ask for another"),
        )
        .at_field("gameworld.id"),
        Rejection::WorldWithdrawn { world } => spoken(
            Code::GameworldGone,
            format!("gameworld {world} was withdrawn; an id is used once, so ask for another"),
        )
        .at_field("gameworld.id"),
        Rejection::BadPlanets(fault) => {
            let field = format!("gameworld.planets{}", fault.field());
            spoken(Code::InvalidField, format!("`{field}`: {fault}")).at_field(field)
        }
        Rejection::Rule(Rule::WorldInactive { world }) => spoken(
            Code::GameworldInactive,
            format!("gameworld {world} is inactive: it can be seen, but is neither mined nor replenished"),
        ),
        Rejection::ReplenishedAutomatically { world } => spoken(
            Code::ReplenishedAutomatically,
            format!(
                "gameworld {world} is replenished by the map service's clock: only one that was made with \
                 `\"replenishment\":\"on_request\"` is replenished by a request"
            ),
        ),
        Rejection::Rule(Rule::NoDeposit { planet }) => {
            spoken(Code::NoDeposit, format!("planet {planet} holds no deposit"))
        }
        Rejection::Rule(rule @ Rule::AmountOutOfBounds { .. }) => {
            spoken(Code::InvalidField, rule.to_string()).at_field("mining.amount_requested")
        }
        Rejection::NothingToDo => spoken(Code::Internal, "there was nothing to do".to_owned()),
        Rejection::NotStaged { .. } | Rejection::Unreadable { .. } => spoken(
            Code::StorageUnavailable,
            "the change could not be made durable; nothing was changed".to_owned(),
        ),
    }
}
