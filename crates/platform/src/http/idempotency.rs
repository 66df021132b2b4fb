//! `Idempotency-Key` on every POST: a repeated request gets the first answer, another body is refused, a twin in flight
//! is waited for. The layer stands behind authentication and before every state check.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use starkeep_contract::{Code, Problem};

use super::error_response::AnsweredElsewhere;
use super::{ErrorResponse, body};
use crate::clock::Clock;
use crate::idempotency::{
    AnswerStore, IdempotencyContext, InFlight, KeyClaim, RequestKey, digest, digest_in_pieces,
};

/// The header that makes a request the same as another one.
pub const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// What the layer needs to know.
#[derive(Clone)]
pub struct IdempotencyLayer {
    answers: Arc<dyn AnswerStore>,
    in_flight: Arc<InFlight>,
    clock: Arc<dyn Clock>,
    /// Whether other replicas answer requests as well.
    is_shared: bool,
    /// Whether requests of different callers are different requests.
    per_caller: bool,
    largest_body: usize,
}

impl IdempotencyLayer {
    pub fn new(answers: Arc<dyn AnswerStore>, clock: Arc<dyn Clock>, is_shared: bool) -> Self {
        let (in_flight, largest_body) = (Arc::default(), body::LARGEST_BODY);
        Self { answers, in_flight, clock, is_shared, per_caller: false, largest_body }
    }

    /// For a route that takes larger bodies than others.
    #[must_use]
    pub fn with_largest_body(self, largest_body: usize) -> Self {
        Self { largest_body, ..self }
    }

    /// Where who asks is settled behind this layer: nobody gets an answer that was another's.
    #[must_use]
    pub fn per_caller(self) -> Self {
        Self { per_caller: true, ..self }
    }

    /// What a request is about, and where callers are distinguished, who asks. What shows that is a secret and not kept.
    fn path_of(&self, parts: &Parts) -> String {
        let path = parts.uri.path();
        match parts.headers.get(AUTHORIZATION).filter(|_| self.per_caller) {
            None => path.to_owned(),
            Some(shown) => {
                let caller = digest(shown.as_bytes()).first_chunk().copied().map_or(0, u128::from_be_bytes);
                format!("{path} {caller:032x}")
            }
        }
    }
}

impl IdempotencyLayer {
    /// The answer that is kept for the request; refused where that was given to another body.
    async fn kept(&self, claim: &KeyClaim) -> Result<Option<Response>, ErrorResponse> {
        let kept = self.answers.find(&claim.request_key).await;
        match kept.map_err(|fault| ErrorResponse::unreadable(&fault))? {
            Some(kept) if kept.body_digest == claim.body_digest => {
                let mut response = kept.answer.into_response();
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                Ok(Some(response))
            }
            Some(_) => Err(refuse(Code::IdempotencyKeyReused, "this key came with another body before")),
            None => Ok(None),
        }
    }
}

/// Middleware of every route that takes POST.
pub async fn once(
    State(repeats): State<IdempotencyLayer>,
    request: Request,
    next: Next,
) -> Result<Response, ErrorResponse> {
    if request.method() != Method::POST {
        return Ok(next.run(request).await);
    }
    let Some(key) = key_of(request.headers())? else { return Ok(next.run(request).await) };
    let (parts, body) = request.into_parts();
    let body = body::read_up_to(body, repeats.largest_body).await?;
    let path = repeats.path_of(&parts);
    let request_key = RequestKey { key, method: parts.method.to_string(), path };
    let now = repeats.clock.wall();
    let claim = repeats.in_flight.claim(request_key, digest_in_pieces(&body).await, now).await;

    if let Some(response) = repeats.kept(&claim).await? {
        return Ok(response);
    }
    let claim = Arc::new(claim);
    let mut request = Request::from_parts(parts, Body::from(body));
    request.extensions_mut().insert(IdempotencyContext(Some(claim.clone())));
    let response = next.run(request).await;
    // Another replica may have answered the same request meanwhile: then a refusal here is because of what that has done.
    let may_be_answered = repeats.is_shared && !response.status().is_success();
    if (may_be_answered || response.extensions().get::<AnsweredElsewhere>().is_some())
        && let Some(kept) = repeats.kept(&claim).await?
    {
        return Ok(kept);
    }
    Ok(response)
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, ErrorResponse> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.next().is_some() {
        return Err(refuse(Code::InvalidIdempotencyKey, "send one Idempotency-Key, not several"));
    }
    let visible = (1..=255).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    match key.to_str() {
        Ok(key) if visible => Ok(Some(key.to_owned())),
        _ => Err(refuse(
            Code::InvalidIdempotencyKey,
            "an Idempotency-Key has 1 to 255 visible ASCII characters and no blanks",
        )),
    }
}

fn refuse(code: Code, detail: &str) -> ErrorResponse {
    Problem::new(code, detail).at_field("Idempotency-Key").into()
}

impl<S: Sync> FromRequestParts<S> for IdempotencyContext {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.remove::<Self>().unwrap_or_default())
    }
}
