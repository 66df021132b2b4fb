//! The round in which something happens: a header, because other maps know nothing of rounds.
//! The host's services name it, and it comes back in the events.

use axum::extract::FromRequestParts;
use http::request::Parts;
use starkeep_contract::game::Rounds;
use starkeep_contract::{Code, Problem, batch_headers};
use starkeep_platform::http::ErrorResponse;

use super::Api;

/// None if it is not named, or not by the host: a player could put its minings into any round of a replay.
pub(super) struct Round(pub(super) Option<u32>);

impl FromRequestParts<Api> for Round {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ErrorResponse> {
        let Some(value) = parts.headers.get(batch_headers::ROUND) else { return Ok(Self(None)) };
        if api.admin_token.admits(&parts.headers).is_err() {
            return Ok(Self(None));
        }
        let number = value.to_str().ok().and_then(|text| text.parse().ok());
        let round = number.and_then(Rounds::new).ok_or_else(|| {
            let bounds = format!("a whole number from {} to {}", Rounds::LEAST, Rounds::MOST);
            let text = format!("the header `{}`: expected {bounds}", batch_headers::ROUND);
            Problem::new(Code::InvalidParameter, text).at_field(batch_headers::ROUND)
        })?;
        Ok(Self(Some(round.as_u32())))
    }
}
