//! The page at the game service's address: which files there are, and how they are answered.
//! The page itself is in `assets`; it uses the public API only.

mod files;
mod plain;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use self::files::FILES;
use self::plain::without_comments;

/// Which addresses the page may call, beside its own: those of the other services, as this `Host` is told them.
pub type Addresses = Arc<dyn Fn(Option<&str>) -> Vec<String> + Send + Sync>;

/// What is answered where there is no such file.
pub type NotFound = fn() -> Response;

struct File {
    kind: &'static str,
    body: String,
    etag: HeaderValue,
}

#[derive(Clone)]
struct Page {
    files: Arc<HashMap<&'static str, File>>,
    addresses: Addresses,
    not_found: NotFound,
}

/// The page at `/`, its files below `/page/`: no route of the API will ever begin with that.
pub fn routes(addresses: Addresses, not_found: NotFound) -> Router {
    let files = FILES.iter().map(|(path, source)| (*path, File::new(path, source))).collect();
    let page = Page { files: Arc::new(files), addresses, not_found };
    Router::new()
        .route("/", get(|State(page): State<Page>, headers: HeaderMap| async move { page.answer("index.html", &headers) }))
        .route(
            "/page/{*path}",
            get(
                |State(page): State<Page>, path: Result<Path<String>, PathRejection>, headers: HeaderMap| async move {
                    // A path that is no text is of no file.
                    page.answer(path.as_deref().map_or("", |path| path), &headers)
                },
            ),
        )
        .with_state(page)
}

/// How much all files are together, as they are sent.
pub fn weight() -> usize {
    FILES.iter().map(|(path, source)| File::new(path, source).body.len()).sum()
}

impl File {
    fn new(path: &str, source: &str) -> Self {
        let kind = kind_of(path);
        let is_code = kind.starts_with("text/javascript") || kind.starts_with("text/css");
        let body = if is_code { without_comments(source) } else { source.to_owned() };
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let etag = format!("\"{:016x}\"", hasher.finish());
        Self { kind, body, etag: HeaderValue::try_from(etag).expect("digits and quotes are a header") }
    }
}

fn kind_of(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

impl Page {
    fn answer(&self, path: &str, request: &HeaderMap) -> Response {
        let Some(file) = self.files.get(path) else { return (self.not_found)() };
        let known = request.get(header::IF_NONE_MATCH).is_some_and(|etag| etag == file.etag);
        let mut response =
            if known { StatusCode::NOT_MODIFIED.into_response() } else { file.body.clone().into_response() };
        let host = request.get(header::HOST).and_then(|host| host.to_str().ok());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
        headers.insert(header::ETAG, file.etag.clone());
        for (name, value) in [
            // Asked for again each time, answered with 304: a new version of the executable has a new page at once.
            (header::CACHE_CONTROL, "no-cache"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("vary"), "host"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, policy(&(self.addresses)(host)));
        response
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
