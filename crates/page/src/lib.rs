//! The page and the guide at the game service's address: which files there are, and how they are answered.
//! The page itself is in `assets`, and uses the public API only. The guide is in the repository's `docs` and `examples`.

mod file;
mod files;
mod guide;
mod plain;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use http::{HeaderMap, header};

use self::file::File;
use self::files::FILES;
use self::guide::Guide;

/// What a client is told whose request has this `Host`.
pub struct Addresses {
    /// The game service, as the client reaches it: the guide's examples are sent with it.
    pub own: String,
    /// All services: the page may call them.
    pub services: Vec<String>,
}

pub type AddressesFor = Arc<dyn Fn(Option<&str>) -> Addresses + Send + Sync>;

/// What is answered where there is no such file.
pub type NotFound = fn() -> Response;

#[derive(Clone)]
struct Page {
    files: Arc<HashMap<&'static str, File>>,
    guide: Arc<Guide>,
    addresses: AddressesFor,
    not_found: NotFound,
}

type PathOfFile = Result<Path<String>, PathRejection>;

/// The page at `/`, its files below `/page/`: no route of the API will ever begin with that. The guide is below `/docs/`; `style` is the
/// style sheet of `/docs`.
pub fn routes(addresses: AddressesFor, style: &'static str, not_found: NotFound) -> Router {
    let files = FILES.iter().map(|(path, source)| (*path, File::new(path, source))).collect();
    let page = Page { files: Arc::new(files), guide: Arc::new(Guide::new(style)), addresses, not_found };
    Router::new()
        .route("/", get(|State(page): State<Page>, headers: HeaderMap| async move { page.answer("index.html", &headers) }))
        .route(
            "/page/{*path}",
            get(|State(page): State<Page>, path: PathOfFile, headers: HeaderMap| async move {
                page.answer(text(&path), &headers)
            }),
        )
        .route(
            "/docs/{file}",
            get(|State(page): State<Page>, name: PathOfFile, headers: HeaderMap| async move {
                page.answer_of_guide(text(&name), &headers)
            }),
        )
        .with_state(page)
}

/// How much all files of the page are together, as they are sent.
pub fn weight() -> usize {
    FILES.iter().map(|(path, source)| File::new(path, source).weight()).sum()
}

/// A path that is no text is of no file.
fn text(path: &PathOfFile) -> &str {
    path.as_deref().map_or("", |path| path)
}

fn host(request: &HeaderMap) -> Option<&str> {
    request.get(header::HOST).and_then(|host| host.to_str().ok())
}

impl Page {
    fn answer(&self, path: &str, request: &HeaderMap) -> Response {
        let Some(file) = self.files.get(path) else { return (self.not_found)() };
        file.answer(request, &(self.addresses)(host(request)).services)
    }

    fn answer_of_guide(&self, name: &str, request: &HeaderMap) -> Response {
        let addresses = (self.addresses)(host(request));
        let Some(file) = self.guide.file(name, &addresses.own) else { return (self.not_found)() };
        file.answer(request, &addresses.services)
    }
}
