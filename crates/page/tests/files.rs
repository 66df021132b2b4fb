//! The page as it is served: every file of the directory, with its headers, within its weight.
//! What the page does is tested in a browser, in `browser-tests`.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse as _;
use http::{Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use starkeep_page::Addresses;
use tower::ServiceExt as _;

const MOST_BYTES: usize = 200_000;

fn page() -> Router {
    let addresses = |host: Option<&str>| Addresses {
        own: "http://game.example".to_owned(),
        services: vec![
            format!("http://map.example/{}", host.unwrap_or_default()),
            "x; script-src *".to_owned(),
        ],
    };
    starkeep_page::routes(Arc::new(addresses), "", || StatusCode::NOT_FOUND.into_response())
}

async fn get(path: &str, etag: &str) -> Response<Body> {
    let request = Request::get(path).header(header::HOST, "box").header(header::IF_NONE_MATCH, etag);
    page().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() { found.extend(files(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

#[tokio::test]
async fn every_file_of_the_directory_is_served() {
    let found = files(&assets());
    assert!(found.len() > 10, "the directory was found");
    for file in found {
        let name = file.strip_prefix(assets()).unwrap().to_str().unwrap().to_owned();
        let answer = get(&format!("/page/{name}"), "").await;
        assert_eq!(answer.status(), StatusCode::OK, "{name} is missing in src/files.rs");
    }
    assert!(text(get("/", "").await).await.contains("<title>Starkeep</title>"));
}

#[tokio::test]
async fn a_known_file_is_not_sent_again() {
    let first = get("/page/main.js", "").await;
    assert_eq!(first.headers()[header::CACHE_CONTROL], "no-cache");
    let etag = first.headers()[header::ETAG].to_str().unwrap().to_owned();
    assert!(!text(first).await.is_empty());
    let again = get("/page/main.js", &etag).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(text(again).await, "");
    assert_eq!(get("/page/api.js", &etag).await.status(), StatusCode::OK, "another file has another tag");
}

#[tokio::test]
async fn the_policy_names_the_services_and_nothing_else() {
    let answer = get("/", "").await;
    let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.contains("connect-src 'self' http://map.example/box;"), "{policy}");
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert!(!policy.contains('*'), "an address that is none is left out: {policy}");
    assert_eq!(answer.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
}

#[tokio::test]
async fn other_paths_are_not_found() {
    assert_eq!(get("/page/nothing.js", "").await.status(), StatusCode::NOT_FOUND);
    assert_eq!(get("/page/../Cargo.toml", "").await.status(), StatusCode::NOT_FOUND);
    assert_eq!(get("/page/%ff", "").await.status(), StatusCode::NOT_FOUND);
}

#[test]
fn the_page_is_light() {
    let weight = starkeep_page::weight();
    assert!(weight < MOST_BYTES, "the page weighs {weight} bytes");
    assert!(weight > MOST_BYTES / 10, "the files were found: {weight} bytes");
}

/// Comments are left out line by line, which would break such a text.
#[test]
fn no_text_runs_over_several_lines() {
    for file in files(&assets()).iter().filter(|file| file.extension().is_some_and(|kind| kind == "js")) {
        for (number, line) in std::fs::read_to_string(file).unwrap().lines().enumerate() {
            let is_comment = line.trim_start().starts_with(['*', '/']);
            let quotes = line.matches('`').count();
            assert!(is_comment || quotes % 2 == 0, "{}:{}: {line}", file.display(), number + 1);
        }
    }
}

/// What a start is worth is a rule, and `docs/rules.md` says it; that it is true is tested with the map.
#[test]
fn the_page_explains_fairness_as_the_rules_do() {
    let read = |path: PathBuf| {
        std::fs::read_to_string(path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let rules = read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md"));
    let page = read(assets().join("views/fairness.js"));
    for (before, after) in [("the weights are ", "."), ("A distance is ", ";")] {
        let rule = rules.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap();
        assert!(page.contains(rule), "the page does not say: {rule}");
    }
}
