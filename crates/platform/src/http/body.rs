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

/// The largest body of an ordinary request.
pub const LARGEST_BODY: usize = 1024 * 1024;

/// A body that is not complete after this long is given up.
const LONGEST_ARRIVAL: Duration = Duration::from_secs(30);

/// A JSON body of the contract's type.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, _: &S) -> Result<Self, ErrorResponse> {
        parse(&declared(request, LARGEST_BODY).await?).map(|Object(value)| Json(value))
    }
}

/// A JSON body of at most so many bytes. To parse a large one takes long, so its handler says where that is done.
pub struct JsonText<const LARGEST: usize>(Bytes);

impl<const LARGEST: usize> JsonText<LARGEST> {
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ErrorResponse> {
        parse(&self.0).map(|Object(value)| value)
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

/// The same where another size is the largest.
pub async fn read_up_to(body: Body, largest: usize) -> Result<Bytes, ErrorResponse> {
    let too_large = || ErrorResponse::new(Code::BodyTooLarge, format!("a body has at most {largest} bytes"));
    if body.size_hint().lower() > largest as u64 {
        return Err(too_large());
    }
    let collected = in_time(Limited::new(body, largest).collect()).await.ok_or_else(|| {
        ErrorResponse::new(
            Code::RequestTimeout,
            format!("the body did not arrive within {} s", LONGEST_ARRIVAL.as_secs()),
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
    let body = std::str::from_utf8(body).map_err(|fault| {
        ErrorResponse::new(Code::UnreadableJson, format!("the body is not UTF-8: {fault}"))
    })?;
    let mut deserializer = serde_json::Deserializer::from_str(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|fault| refuse(&fault, body))?;
    deserializer.end().map_err(|fault| ErrorResponse::new(Code::UnreadableJson, fault.to_string()))?;
    Ok(value)
}

fn refuse(fault: &serde_path_to_error::Error<serde_json::Error>, body: &str) -> ErrorResponse {
    // A wrong type early in a body that breaks off later is still unreadable JSON.
    if let Err(unreadable) = serde_json::from_str::<serde::de::IgnoredAny>(body) {
        return ErrorResponse::new(Code::UnreadableJson, unreadable.to_string());
    }
    let mut text = fault.inner().to_string();
    if let Some(place) = text.rfind(" at line ") {
        text.truncate(place);
    }
    let text = without_the_text(&text);
    let field = name_field(&fault.path().to_string(), &text);
    Problem::new(Code::InvalidField, format!("`{field}`: {text}")).at_field(field).into()
}

/// serde's reason without the text that it found: that may be a secret in the wrong place, and is not repeated.
pub(super) fn without_the_text(reason: &str) -> String {
    let found = ["invalid type: string ", "invalid value: string ", "unknown variant "];
    let found = found.iter().filter_map(|words| reason.find(words)).min();
    match (found, reason.rfind("expected ")) {
        (Some(found), Some(expected)) if found < expected => {
            format!("{}{}", &reason[..found], &reason[expected..])
        }
        _ => reason.to_owned(),
    }
}

/// The path of the refused value; a field that is missing is named by the text alone.
fn name_field(path: &str, text: &str) -> String {
    let missing = text.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    match (path, missing) {
        (".", Some(missing)) => missing.to_owned(),
        (path, Some(missing)) => format!("{path}.{missing}"),
        (".", None) => "body".to_owned(),
        (path, None) => path.to_owned(),
    }
}

/// Transport time-outs are about real connections, so they are on the real clock.
#[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
async fn in_time<F: Future>(future: F) -> Option<F::Output> {
    tokio::time::timeout(LONGEST_ARRIVAL, future).await.ok()
}

#[cfg(test)]
mod tests {
    use starkeep_contract::game::CreateGame;
    use starkeep_contract::map::CreateGameworld;

    use super::*;

    fn refused<T: DeserializeOwned>(body: &str) -> (Code, Option<String>, String) {
        let Err(refusal) = parse::<Object<T>>(body.as_bytes()) else { panic!("{body} was taken") };
        let problem = refusal.problem().clone();
        (problem.code, problem.field, problem.detail)
    }

    #[test]
    fn a_refused_field_is_named_with_what_is_expected() {
        let cases = [
            (r#"{"maxRounds":5}"#, "maxPlayers", "missing field"),
            (r#"{"maxRounds":"ten","maxPlayers":2}"#, "maxRounds", "expected an integer from 1 to 1000000"),
            (r#"{"maxRounds":0,"maxPlayers":2}"#, "maxRounds", "expected an integer from 1 to 1000000"),
            (r#"{"maxRounds":1,"maxPlayers":2,"duration":99}"#, "duration", "from 100 to 86400000"),
            ("[5,3]", "body", "expected a JSON object"),
            ("7", "body", "expected a JSON object"),
        ];
        for (body, field, expectation) in cases {
            let (code, named, detail) = refused::<CreateGame>(body);
            assert_eq!((code, named.as_deref()), (Code::InvalidField, Some(field)), "{body}: {detail}");
            assert!(detail.contains(expectation), "{body}: {detail}");
        }
        let (_, named, _) = refused::<CreateGameworld>(r#"{"gameworld":{"round_amount":3}}"#);
        assert_eq!(named.as_deref(), Some("gameworld.player_amount"));
        let (_, named, detail) = refused::<CreateGameworld>(r#"{"gameworld":[4]}"#);
        assert_eq!(named.as_deref(), Some("gameworld"));
        assert!(detail.contains("expected a JSON object"), "{detail}");
        let (_, named, _) = refused::<CreateGameworld>("{}");
        assert_eq!(named.as_deref(), Some("gameworld"));
    }

    #[test]
    fn a_text_that_was_not_expected_is_not_repeated() {
        let secret = r#"a, expected \"secret\""#;
        for field in ["maxRounds", "style"] {
            let body = format!(r#"{{"{field}":"{secret}"}}"#);
            let (_, named, detail) = refused::<CreateGame>(&body);
            assert_eq!(named.as_deref(), Some(field));
            assert!(detail.contains("expected") && !detail.contains("secret"), "{detail}");
        }
        let (_, _, detail) = refused::<CreateGame>(&format!("\"{secret}\""));
        assert_eq!(detail, "`body`: expected a JSON object");
    }

    #[tokio::test]
    async fn a_body_whose_length_nobody_announced_is_cut_at_the_limit() {
        let pieces = (0..3).map(|_| Ok::<_, std::io::Error>(vec![b' '; LARGEST_BODY / 2]));
        let refusal = read(Body::from_stream(futures::stream::iter(pieces))).await.unwrap_err();
        assert_eq!(refusal.problem().code, Code::BodyTooLarge);
    }

    #[test]
    fn what_is_no_json_is_unreadable_wherever_it_breaks() {
        for body in ["", "{", "{\"maxRounds\":5", "{\"maxRounds\":\"x\",", "{} {}", "nul"] {
            let (code, _, detail) = refused::<CreateGame>(body);
            assert_eq!(code, Code::UnreadableJson, "{body}: {detail}");
        }
    }
}
