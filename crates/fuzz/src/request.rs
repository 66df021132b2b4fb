//! Requests as inputs have them: a line with method and path, lines with headers, an empty line, and the body.
//! What a server refuses before any route is asked cannot be said so, and is left out.

use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct FuzzRequest {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl FuzzRequest {
    /// None where it is no request, whatever is behind its first line.
    pub(crate) fn read(input: &[u8]) -> Option<Self> {
        let (head, body) = match input.windows(2).position(|window| window == b"\n\n") {
            Some(end) => (&input[..end], &input[end + 2..]),
            None => (input, &[][..]),
        };
        let mut lines = head.split(|byte| *byte == b'\n');
        let first = lines.next()?;
        let space = first.iter().position(|byte| *byte == b' ')?;
        let method = Method::from_bytes(&first[..space]).ok()?;
        let uri = Uri::try_from(&first[space + 1..]).ok()?;
        // Only a proxy is asked in another way; and no route has a method with small letters.
        let is_odd = method == Method::CONNECT || method.as_str().contains(char::is_lowercase);
        if is_odd || uri.path_and_query().is_none_or(|path| !path.as_str().starts_with('/')) {
            return None;
        }
        let mut headers = HeaderMap::new();
        headers.extend(lines.filter_map(header));
        Some(Self { method, uri, headers, body: body.to_vec() })
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::read(format!("GET {path}").as_bytes()).expect("a well-formed path")
    }

    /// With a body that is declared as JSON, whatever it is.
    pub(crate) fn json(method: Method, path: &str, body: impl Into<Vec<u8>>) -> Self {
        let request = Self { method, body: body.into(), ..Self::get(path) };
        request.with("content-type", b"application/json")
    }

    pub(crate) fn post(path: &str, body: &Value) -> Self {
        Self::json(Method::POST, path, body.to_string())
    }

    /// Left out where no header can have this value.
    pub(crate) fn with(mut self, name: &'static str, value: &[u8]) -> Self {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// With the query.
    pub(crate) fn path(&self) -> &str {
        self.uri.path_and_query().map_or("/", |path| path.as_str())
    }

    /// Is its path one that a contract has no words for? Ids that are empty, and files of the page that are in folders.
    pub(crate) fn is_beyond_contracts(&self) -> bool {
        let path = self.uri.path();
        path.contains("//") || path.strip_prefix("/page/").is_some_and(|file| file.contains('/'))
    }

    pub(crate) fn to_http(&self) -> Request<Body> {
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        request.headers_mut().clone_from(&self.headers);
        request
    }
}

fn header(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let value = line[colon + 1..].trim_ascii();
    Some((HeaderName::from_bytes(&line[..colon]).ok()?, HeaderValue::from_bytes(value).ok()?))
}
