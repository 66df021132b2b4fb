//! The last part of a path as a text. Bytes that are no text are replaced, so that the handler refuses them in its own words.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use http::request::Parts;

pub(super) struct PathText(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let text: Result<Path<String>, PathRejection> = Path::from_request_parts(parts, state).await;
        Ok(Self(text.map_or_else(|_| char::REPLACEMENT_CHARACTER.to_string(), |Path(text)| text)))
    }
}
