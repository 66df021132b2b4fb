//! Bodies and ids as the existing robot service refuses them: 400 and its own text, whatever is wrong with them.
//! A batch of 10,000 moves has more than the usual megabyte.

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use http::request::Parts;
use serde::de::DeserializeOwned;
use starkeep_contract::object::Object;
use starkeep_contract::{Code, Problem};
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::body::{declares_json, read_up_to};
use starkeep_platform::http::json::{self, Fault};
use starkeep_robot_core::RobotId;
use uuid::Uuid;

use crate::wire::not_accepted;

/// A command takes less than 120 bytes.
pub(super) const LARGEST_BODY: usize = 16 * 1024 * 1024;

const UNREADABLE: &str = "Request could not be accepted";

/// A JSON object of the contract's type.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Body<T> {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ErrorResponse> {
        let (parts, body) = request.into_parts();
        if !declares_json(&parts.headers) {
            let text = "the body must be JSON: send `Content-Type: application/json`";
            return Err(ErrorResponse::new(Code::NotJson, text));
        }
        let body = read_up_to(body, LARGEST_BODY).await?;
        json::read(&body).map(|Object(value)| Self(value)).map_err(|fault| refuse(fault).into())
    }
}

/// The existing service's text, and what is wrong.
fn refuse(fault: Fault) -> Problem {
    match fault {
        Fault::Unreadable(text) => not_accepted(format!("{UNREADABLE}: {text}")),
        Fault::Field { field, text } => {
            not_accepted(format!("{UNREADABLE}: `{field}`: {text}")).at_field(field)
        }
    }
}

/// The robot in the path.
pub(super) struct RobotInPath(pub(super) RobotId);

impl<S: Send + Sync> FromRequestParts<S> for RobotInPath {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let id = text.ok().and_then(|Path(text)| Uuid::try_parse(&text).ok());
        let refused = || not_accepted("the id of a robot is a UUID").at_field("robotId").into();
        id.map(|id| Self(RobotId(id))).ok_or_else(refused)
    }
}

/// A parameter of the query that is an id.
pub(super) fn id_in_query(name: &'static str, text: Option<String>) -> Result<Option<Uuid>, ErrorResponse> {
    let Some(text) = text else { return Ok(None) };
    let refused = |_| not_accepted(format!("`{name}` is a UUID")).at_field(name).into();
    Uuid::try_parse(&text).map(Some).map_err(refused)
}
