//! Bodies: read with a limit in size and time, and as JSON with errors that name the field and what is expected.
//! What a readable body means is for the service to say.

use std::future::Future;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;
use starkeep_contract::object::Object;
use starkeep_contract::{Code, Problem};

use super::ErrorResponse;
use super::connection::Connection;
use super::json::ignored::Ignored;
use super::json::{self, Fault};

/// The largest body of an ordinary request.
pub const LARGEST_BODY: usize = 1024 * 1024;

/// A JSON body of the contract's type.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ErrorResponse> {
        parse(&declared(request, LARGEST_BODY).await?).map(|Object(value)| Json(value))
    }
}

/// The same, with the fields in it that the type does not have.
pub struct JsonNoting<T>(pub T, pub Ignored);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for JsonNoting<T> {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ErrorResponse> {
        let (value, ignored) = parse_noting(&declared(request, LARGEST_BODY).await?)?;
        Ok(Self(value, ignored))
    }
}

/// A JSON body of at most so many bytes. To parse a large one takes long, so its handler says where that is done.
pub struct JsonText<const LARGEST: usize>(Bytes);

impl<const LARGEST: usize> JsonText<LARGEST> {
    pub fn parse<T: DeserializeOwned>(&self) -> Result<(T, Ignored), ErrorResponse> {
        parse_noting(&self.0)
    }
}

impl<const LARGEST: usize, S: Sync> FromRequest<S> for JsonText<LARGEST> {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ErrorResponse> {
        declared(request, LARGEST).await.map(Self)
    }
}

/// A JSON body that is an array, of whatever.
pub struct JsonArray(pub Vec<Value>);

impl<S: Sync> FromRequest<S> for JsonArray {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ErrorResponse> {
        parse(&declared(request, LARGEST_BODY).await?).map(Self)
    }
}

/// The body, if it says that it is JSON.
async fn declared(request: Request, largest: usize) -> Result<Bytes, ErrorResponse> {
    let (parts, body) = request.into_parts();
    if !declares_json(&parts.headers) {
        return Err(ErrorResponse::new(
            Code::NotJson,
            "the body must be JSON: send `Content-Type: application/json`",
        ));
    }
    read_up_to(body, largest).await
}

/// The whole body, if it is small and quick enough.
pub async fn read(body: Body) -> Result<Bytes, ErrorResponse> {
    read_up_to(body, LARGEST_BODY).await
}

/// The same where another size is the largest, unless a host allows less.
pub async fn read_up_to(body: Body, largest: usize) -> Result<Bytes, ErrorResponse> {
    let limits = Connection::current().body;
    let largest = largest.min(limits.largest);
    let too_large = || ErrorResponse::new(Code::BodyTooLarge, format!("a body has at most {largest} bytes"));
    if body.size_hint().lower() > largest as u64 {
        return Err(too_large());
    }
    let collected =
        in_time(limits.arrival, Limited::new(body, largest).collect()).await.ok_or_else(|| {
            ErrorResponse::new(
                Code::RequestTimeout,
                format!("the body did not arrive within {} s", limits.arrival.as_secs_f64()),
            )
        })?;
    collected.map(http_body_util::Collected::to_bytes).map_err(|fault| {
        if fault.is::<LengthLimitError>() {
            too_large()
        } else {
            ErrorResponse::new(Code::UnreadableJson, format!("the body could not be read: {fault}"))
        }
    })
}

/// Does the request say that its body is JSON?
pub fn declares_json(headers: &HeaderMap) -> bool {
    let declared =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ErrorResponse> {
    json::read(body).map_err(refuse)
}

fn parse_noting<T: DeserializeOwned>(body: &[u8]) -> Result<(T, Ignored), ErrorResponse> {
    json::read_noting(body).map(|(Object(value), ignored)| (value, ignored)).map_err(refuse)
}

fn refuse(fault: Fault) -> ErrorResponse {
    match fault {
        Fault::Unreadable(text) => ErrorResponse::new(Code::UnreadableJson, text),
        Fault::Field { field, text } => {
            Problem::new(Code::InvalidField, format!("`{field}`: {text}")).at_field(field).into()
        }
    }
}

/// Transport time-outs are about real connections, so they are on the real clock.
#[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
async fn in_time<F: Future>(span: Duration, future: F) -> Option<F::Output> {
    tokio::time::timeout(span, future).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_whose_length_nobody_announced_is_cut_at_the_limit() {
        let pieces = (0..3).map(|_| Ok::<_, std::io::Error>(vec![b' '; LARGEST_BODY / 2]));
        let refusal = read(Body::from_stream(futures::stream::iter(pieces))).await.unwrap_err();
        assert_eq!(refusal.problem().code, Code::BodyTooLarge);
    }
}
