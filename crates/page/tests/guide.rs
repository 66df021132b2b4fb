//! The guide as it is served: every link leads to something that is served as well, and everything has the address of its reader.
//! That the bots play as they are downloaded is tested with the real program.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::response::IntoResponse as _;
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use starkeep_page::Addresses;
use tower::ServiceExt as _;

const WRITTEN_ADDRESS: &str = "127.0.0.1:8080";
/// Not a bot, but a service.
const NOT_FOR_PLAYERS: [&str; 1] = ["executor.py"];

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

/// What a client gets that is told this address of the game service.
async fn get_at(own: &'static str, path: &str, etag: &str) -> Answer {
    let addresses = move |_: Option<&str>| Addresses { own: own.to_owned(), services: Vec::new() };
    let page = starkeep_page::routes(Arc::new(addresses), "p { margin: 0; }", || {
        StatusCode::NOT_FOUND.into_response()
    });
    let request = Request::get(path).header(header::IF_NONE_MATCH, etag).body(Body::empty()).unwrap();
    let (head, body) = page.oneshot(request).await.unwrap().into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    Answer { status: head.status, headers: head.headers, text }
}

async fn get(path: &str) -> Answer {
    get_at("http://box:9000", path, "").await
}

/// What stands between two texts, wherever they occur.
fn between<'a>(page: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    page.split(before).skip(1).map(|rest| rest.split(after).next().unwrap()).collect()
}

/// Everything that is found by following links from the first page on.
async fn all_files() -> BTreeMap<String, Answer> {
    let (mut found, mut open) = (BTreeMap::new(), vec!["/docs/first-game".to_owned()]);
    while let Some(path) = open.pop() {
        if found.contains_key(&path) {
            continue;
        }
        let answer = get(&path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let links = between(&answer.text, " href=\"", "\"").into_iter();
        let paths = links.map(|link| link.split('#').next().unwrap());
        open.extend(paths.filter(|path| path.starts_with("/docs/")).map(str::to_owned));
        found.insert(path, answer);
    }
    found
}

#[tokio::test]
async fn every_link_leads_to_something_that_is_served() {
    let files = all_files().await;
    assert!(files.len() > 8, "{:?}", files.keys());
    let ids = |path: &str| between(&files[path].text, " id=\"", "\"");
    for (path, page) in files.iter().filter(|(path, _)| !path.contains('.')) {
        let all = ids(path);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{path}: an id is there twice");
        for link in between(&page.text, " href=\"", "\"") {
            if ["/docs", "/page/icon.svg", "http://box:9000/"].contains(&link) {
                continue;
            }
            let (file, id) = link.split_once('#').map_or((link, None), |(file, id)| (file, Some(id)));
            let target = if file.is_empty() { path } else { file };
            assert!(files.contains_key(target), "{path}: {link}");
            assert!(id.is_none_or(|id| ids(target).contains(&id)), "{path}: {link}");
        }
        for left_out in ["<script", "<img", "<!--", "style=", "src="] {
            assert!(!page.text.contains(left_out), "{path}: {left_out}");
        }
    }
}

#[tokio::test]
async fn every_bot_is_served_as_it_is_in_the_repository_but_for_the_address() {
    let files = all_files().await;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let names =
        std::fs::read_dir(&examples).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let bots: Vec<_> = names
        .filter(|name| {
            Path::new(name).extension().is_some_and(|ending| ending == "py")
                && !NOT_FOR_PLAYERS.contains(&name.as_str())
        })
        .collect();
    assert!(bots.len() > 3, "{bots:?}");
    for name in bots {
        let source = std::fs::read_to_string(examples.join(&name)).unwrap();
        let served =
            files.get(&format!("/docs/{name}")).unwrap_or_else(|| panic!("{name} is served nowhere"));
        assert_eq!(served.text, source.replace(WRITTEN_ADDRESS, "box:9000"), "{name}");
        assert_eq!(served.headers[header::CONTENT_TYPE], "text/x-python; charset=utf-8");
        assert_eq!(served.headers[header::CONTENT_DISPOSITION], "attachment");
    }
    let line = "\nGAME_URL = os.environ.get(\"STARKEEP_GAME_URL\", \"http://box:9000\")\n";
    assert!(files["/docs/first_bot.py"].text.contains(line), "{}", files["/docs/first_bot.py"].text);
}

#[tokio::test]
async fn everything_has_the_address_of_its_reader() {
    for (path, file) in all_files().await {
        assert!(!file.text.contains(WRITTEN_ADDRESS), "{path}");
    }
    assert!(get("/docs/first-game").await.text.contains("GAME=http://box:9000\n"));
}

#[tokio::test]
async fn an_address_that_is_a_trick_stays_an_address() {
    let own = "http://x\");import os#\n<script>$(id)`id`'&\\";
    let harmless = "http://x%22%29%3Bimport%20os%23%0A%3Cscript%3E%24%28id%29%60id%60%27%26%5C";
    for path in ["/docs/first_bot.py", "/docs/first-game", "/docs/first-bot"] {
        let text = get_at(own, path, "").await.text;
        assert!(text.contains(harmless) && !text.contains("import os"), "{path}: {text}");
        assert!(!text.contains("<script"), "{path}");
    }
}

#[tokio::test]
async fn the_headers_are_those_of_the_page() {
    let page = get("/").await;
    for (path, kind) in [
        ("/docs/first-bot", "text/html; charset=utf-8"),
        ("/docs/first_bot.py", "text/x-python; charset=utf-8"),
        ("/docs/style.css", "text/css; charset=utf-8"),
    ] {
        let file = get(path).await;
        assert_eq!(file.headers[header::CONTENT_TYPE], kind);
        for name in
            ["cache-control", "x-content-type-options", "referrer-policy", "vary", "content-security-policy"]
        {
            assert_eq!(file.headers[name], page.headers[name], "{path}: {name}");
        }
    }
    assert_eq!(get("/docs/style.css").await.text, "p { margin: 0; }\n");
}

#[tokio::test]
async fn what_a_reader_has_is_not_sent_again_unless_the_address_is_another() {
    let etag = get("/docs/first_bot.py").await.headers[header::ETAG].to_str().unwrap().to_owned();
    let again = get_at("http://box:9000", "/docs/first_bot.py", &etag).await;
    assert_eq!((again.status, again.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(get_at("http://box:9001", "/docs/first_bot.py", &etag).await.status, StatusCode::OK);
}

#[tokio::test]
async fn nothing_else_is_served() {
    for path in [
        "/docs/operate",
        "/docs/executor.py",
        "/docs/first-bot.md",
        "/docs/%2e%2e%2fREADME",
        "/docs/%ff",
        "/docs/",
    ] {
        assert_eq!(get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}
