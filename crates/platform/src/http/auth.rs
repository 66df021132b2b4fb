//! The host's token: what a host does needs it, where the service was started with one.
//! Players' tokens are the game service's own business.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, header};
use starkeep_contract::Code;
use subtle::ConstantTimeEq;

use super::ErrorResponse;

/// The admin token, if there is one. Never shown: its `Debug` says only that it is there.
#[derive(Clone, Default)]
pub struct AdminToken(Option<Arc<str>>);

impl AdminToken {
    pub fn new(token: Option<String>) -> Self {
        Self(token.map(Arc::from))
    }

    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// The secret itself, for calls to another service that was started with the same one.
    pub fn secret(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Is there one, and does the request show it?
    pub fn is_shown_in(&self, headers: &HeaderMap) -> bool {
        self.is_set() && self.admits(headers).is_ok()
    }

    /// Refused if there is one and the request does not show it.
    pub fn admits(&self, headers: &HeaderMap) -> Result<(), ErrorResponse> {
        let Some(token) = &self.0 else { return Ok(()) };
        let shown = headers.get(header::AUTHORIZATION).map(http::HeaderValue::as_bytes);
        let Some(shown) = shown else {
            return Err(ErrorResponse::new(
                Code::Unauthorized,
                "this needs the admin token: send `Authorization: Bearer <token>`",
            ));
        };
        // In constant time, so that the token cannot be guessed piece by piece.
        let matches = strip_bearer(shown).is_some_and(|shown| bool::from(shown.ct_eq(token.as_bytes())));
        if matches { Ok(()) } else { Err(ErrorResponse::new(Code::Unauthorized, "the admin token is wrong")) }
    }
}

impl std::fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_set() { "AdminToken(set)" } else { "AdminToken(none)" })
    }
}

/// The token that the request shows, of whatever kind.
pub fn bearer_in(headers: &HeaderMap) -> Option<&str> {
    let shown = headers.get(header::AUTHORIZATION)?.as_bytes();
    strip_bearer(shown).and_then(|token| std::str::from_utf8(token).ok())
}

fn strip_bearer(shown: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = shown.split_at_checked("bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
}

/// Middleware of the host's routes.
pub async fn host_only(
    State(token): State<AdminToken>,
    request: Request,
    next: Next,
) -> Result<Response, ErrorResponse> {
    token.admits(request.headers())?;
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_token_is_admitted() {
        let token = AdminToken::new(Some("s3cret".to_owned()));
        let with = |value: &str| HeaderMap::from_iter([(header::AUTHORIZATION, value.parse().unwrap())]);
        assert!(token.admits(&with("Bearer s3cret")).is_ok());
        assert!(token.admits(&with("bearer s3cret")).is_ok());
        for wrong in ["Bearer s3cre", "Bearer s3cret ", "Basic s3cret", "s3cret", "Bearer "] {
            assert!(token.admits(&with(wrong)).is_err(), "{wrong}");
        }
        assert!(token.admits(&HeaderMap::new()).is_err());
        assert!(AdminToken::default().admits(&HeaderMap::new()).is_ok());
        assert!(!format!("{token:?}").contains("s3cret"));
    }
}
