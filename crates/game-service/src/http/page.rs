//! The page at `/`. Its policy lets it call the services, at the addresses that `/services` tells.

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse as _;
use starkeep_contract::Code;
use starkeep_platform::http::ErrorResponse;

use super::refusals::NoPageFile;
use starkeep_platform::service_addresses::ServiceAddresses;

pub(super) fn routes(services: Arc<ServiceAddresses>) -> Router {
    let addresses = move |host: Option<&str>| -> Vec<String> {
        let told = services.told_to(host);
        [Some(told.game), told.map, told.robot, told.trading].into_iter().flatten().collect()
    };
    starkeep_page::routes(Arc::new(addresses), || {
        ErrorResponse::new(Code::NoSuchRoute, "the page has no such file").into_response()
    })
}

/// Show the page: games, worlds, scores, and the host's controls.
#[utoipa::path(get, path = "/", operation_id = "getPage", tag = "service", responses(
    (status = 200, body = String, content_type = "text/html", description = "The page"),
    (status = 304, description = "As it was when it had the shown ETag"),
))]
#[expect(dead_code, reason = "the contract's part of a route that the page has")]
pub(super) fn show() {}

/// Get one of the page's own files.
#[utoipa::path(get, path = "/page/{path}", operation_id = "getPageFile", tag = "service",
    params(("path" = String, Path, description = "The file's path")), responses(
    (status = 200, description = "The file, by its kind", content(
        (String = "text/javascript"), (String = "text/html"), (String = "text/css"), (String = "image/svg+xml"),
    )),
    (status = 304, description = "As it was when it had the shown ETag"),
    NoPageFile,
))]
#[expect(dead_code, reason = "the contract's part of a route that the page has")]
pub(super) fn file() {}

#[cfg(test)]
mod tests {
    use starkeep_game_core::{DEFAULT_ROUND_LENGTH, DEFAULT_START_MONEY};

    #[test]
    fn the_form_of_a_new_game_shows_the_defaults() {
        let page = include_str!("../../../page/assets/model/new_game.js");
        let seconds = DEFAULT_ROUND_LENGTH / 1000;
        let defaults = format!("{{ roundSeconds: {seconds}, startMoney: {DEFAULT_START_MONEY} }}");
        assert!(page.contains(&defaults), "{page}");
    }
}
