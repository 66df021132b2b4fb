//! A file as it is answered: its kind, its tag, and the headers that all of them have.
//! Which files there are stands in `files` and `guide`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::plain::without_comments;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const PYTHON: &str = "text/x-python; charset=utf-8";

pub(crate) struct File {
    kind: &'static str,
    body: String,
    etag: HeaderValue,
}

impl File {
    pub(crate) fn new(path: &str, source: &str) -> Self {
        let kind = kind_of(path);
        let body =
            if [CSS, JAVASCRIPT].contains(&kind) { without_comments(source) } else { source.to_owned() };
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let etag = format!("\"{:016x}\"", hasher.finish());
        Self { kind, body, etag: HeaderValue::try_from(etag).expect("digits and quotes are a header") }
    }

    pub(crate) fn weight(&self) -> usize {
        self.body.len()
    }

    /// `services` are the addresses that the file may call beside its own.
    pub(crate) fn answer(&self, request: &HeaderMap, services: &[String]) -> Response {
        let known = request.get(header::IF_NONE_MATCH).is_some_and(|etag| etag == self.etag);
        let mut response =
            if known { StatusCode::NOT_MODIFIED.into_response() } else { self.body.clone().into_response() };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::ETAG, self.etag.clone());
        for (name, value) in [
            // Asked for again each time, answered with 304: a new version of the executable has a new page at once.
            (header::CACHE_CONTROL, "no-cache"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("vary"), "host"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, policy(services));
        if self.kind == PYTHON {
            // A browser saves it under its name instead of showing it.
            headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
        }
        response
    }
}

/// A page of the guide has no ending.
fn kind_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        None | Some("html") => HTML,
        Some("css") => CSS,
        Some("svg") => "image/svg+xml",
        Some("py") => PYTHON,
        Some(_) => JAVASCRIPT,
    }
}

/// Nothing from elsewhere, and calls to our own services only. An address that cannot stand in a policy is left out of it.
fn policy(addresses: &[String]) -> HeaderValue {
    let is_plain =
        |address: &&String| address.bytes().all(|byte| byte.is_ascii_graphic() && !b";,'\"".contains(&byte));
    let others: Vec<_> = addresses.iter().filter(is_plain).map(String::as_str).collect();
    let others = others.join(" ");
    let text = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' {others}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(text).expect("plain addresses are a header")
}
