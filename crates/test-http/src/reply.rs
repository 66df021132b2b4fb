//! Responses as a client reads them. What one ought to be is for the tests to say.

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Bytes,
    /// The bytes as JSON; null if they are declared as something else, or if there are none.
    pub body: Value,
}

impl Reply {
    /// An error where the body does not arrive as a whole.
    pub async fn read<B: BodyExt>(response: Response<B>) -> Result<Self, B::Error> {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await?.to_bytes();
        let (status, headers) = (parts.status.as_u16(), parts.headers);
        let mut reply = Self { status, headers, bytes, body: Value::Null };
        if reply.is_json() && !reply.bytes.is_empty() {
            reply.body = reply.json();
        }
        Ok(reply)
    }

    fn is_json(&self) -> bool {
        let kind = self.header("content-type");
        kind.is_some_and(|kind| kind == "application/json" || kind.ends_with("+json"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("headers are plain text"))
    }

    /// What it says, without its length: the server adds that where the routes do not.
    pub fn without_length(mut self) -> (u16, HeaderMap, Bytes) {
        self.headers.remove("content-length");
        (self.status, self.headers, self.bytes)
    }

    /// The bytes as JSON, whatever they are declared as.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    #[track_caller]
    pub fn text(&self) -> String {
        String::from_utf8(self.bytes.to_vec()).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    /// The JSON of the body, whatever it tells, given that the reply has this status; null where there is no body.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.bytes.is_empty() || self.is_json(), "{self:?}");
        self.body
    }

    /// The text of the body, given that the reply has this status.
    #[track_caller]
    pub fn expect_text(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        self.text()
    }

    /// The body of a success of this status.
    #[track_caller]
    pub fn is(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// Status, code and field of a problem, which is whole as RFC 9457 has it.
    #[track_caller]
    pub fn refusal(&self) -> (u16, &str, Option<&str>) {
        let problem = &self.body;
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let code = problem["code"].as_str().unwrap_or_else(|| panic!("a problem without a code: {self:?}"));
        assert_eq!(problem["type"], format!("/docs#problem-{code}"));
        assert_eq!(problem["status"], self.status);
        assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
        assert!(problem["detail"].is_string(), "{self:?}");
        assert_eq!(self.header("retry-after").is_some(), [429, 503].contains(&self.status), "{self:?}");
        assert_eq!(self.header("www-authenticate").is_some(), self.status == 401, "{self:?}");
        (self.status, code, problem["field"].as_str())
    }

    /// The same, compared; the problem's detail is returned.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str, field: Option<&str>) -> String {
        assert_eq!((self.status, self.body["code"].as_str()), (status, Some(code)), "{self:?}");
        assert_eq!(self.refusal(), (status, code, field), "{self:?}");
        self.body["detail"].as_str().unwrap_or_default().to_owned()
    }
}
