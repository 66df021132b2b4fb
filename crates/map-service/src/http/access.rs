//! What a request may see of gameworlds that are played in: the host everything, others no coordinates, and where the map is
//! closed no planets at all. What only the host may do is guarded in the route table.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use starkeep_platform::http::ErrorResponse;

use super::Api;

pub(super) struct MapAccess {
    /// Why the request is not the host's, if it is not.
    as_host: Result<(), ErrorResponse>,
    is_map_closed: bool,
}

impl FromRequestParts<Api> for MapAccess {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Infallible> {
        Ok(Self { as_host: api.admin_token.admits(&parts.headers), is_map_closed: api.is_map_closed })
    }
}

impl MapAccess {
    /// Coordinates: for the host, and for everybody once the gameworld is inactive and not sealed.
    pub(super) fn check_chart<T>(
        self,
        found: Result<T, ErrorResponse>,
        is_hidden: impl FnOnce(&T) -> bool,
    ) -> Result<T, ErrorResponse> {
        match (self.as_host, found) {
            (Ok(()), found) => found,
            (Err(_), Ok(found)) if !is_hidden(&found) => Ok(found),
            // Also where there is nothing: whoever may not look learns nothing.
            (Err(refusal), _) => Err(refusal),
        }
    }

    /// A planet, or what starts are worth: the same where the map is closed, otherwise for everybody.
    pub(super) fn check_planets<T>(
        self,
        found: Result<T, ErrorResponse>,
        is_hidden: impl FnOnce(&T) -> bool,
    ) -> Result<T, ErrorResponse> {
        if self.is_map_closed { self.check_chart(found, is_hidden) } else { found }
    }

    /// All planets of active gameworlds.
    pub(super) fn check_all_planets(self) -> Result<(), ErrorResponse> {
        if self.is_map_closed { self.as_host } else { Ok(()) }
    }
}
