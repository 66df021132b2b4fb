//! Ids in paths and parameters in queries, with our own problems where they do not fit.
//! An id that is no UUID names nothing: 404, like any other unknown id.

use axum::extract::{FromRequestParts, Path, Query};
use http::request::Parts;
use serde::de::DeserializeOwned;
use starkeep_contract::{Code, PathId, Problem};

use super::ErrorResponse;
use super::json::plain_reason;

/// The id in the path.
pub struct Id<T>(pub T);

impl<T: PathId, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Ok(Path(text)) = Path::<String>::from_request_parts(parts, state).await else {
            return Err(T::unknown().into());
        };
        Ok(Self(T::from_text(&text)?))
    }
}

/// The id in the path, and the text that names something of it.
pub struct IdAnd<T>(pub T, pub String);

impl<T: PathId, S: Send + Sync> FromRequestParts<S> for IdAnd<T> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Ok(Path((id, text))) = Path::<(String, String)>::from_request_parts(parts, state).await else {
            return Err(T::unknown().into());
        };
        Ok(Self(T::from_text(&id)?, text))
    }
}

/// The query's parameters.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        Query::try_from_uri(&parts.uri).map(|Query(params)| Self(params)).map_err(|fault| {
            // serde_urlencoded puts the parameter in front of the reason.
            let text =
                std::error::Error::source(&fault).map_or_else(|| fault.to_string(), ToString::to_string);
            let named = ["duplicate field `", "missing field `"]
                .iter()
                .find_map(|phrase| text.strip_prefix(phrase)?.strip_suffix('`'));
            let (field, reason) = match (named, text.split_once(": ")) {
                (Some(field), _) => (field, &*text),
                (None, Some((field, reason))) => (field, reason),
                (None, None) => ("query", &*text),
            };
            let text = format!("`{field}`: {}", plain_reason(reason));
            Problem::new(Code::InvalidParameter, text).at_field(field).into()
        })
    }
}
