//! The page at `/`, and the guide below `/docs/`. Their policy lets them call the services, at the addresses that `/services` tells.

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse as _;
use starkeep_contract::Code;
use starkeep_page::Addresses;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::docs::STYLE;
use starkeep_platform::service_addresses::ServiceAddresses;

use super::refusals::NoPageFile;

pub(super) fn routes(services: Arc<ServiceAddresses>) -> Router {
    let addresses = move |host: Option<&str>| {
        let told = services.told_to(host);
        let all = [Some(told.game), told.map, told.robot, told.trading];
        Addresses { own: services.game_as_reached(host), services: all.into_iter().flatten().collect() }
    };
    starkeep_page::routes(Arc::new(addresses), STYLE, || {
        ErrorResponse::new(Code::NoSuchRoute, "there is no such file").into_response()
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

/// Get a page of the guide for players, or one of its bots to download.
///
/// Wherever a page or a bot names the game service, it has the address at which it was asked for, or `--public-game-url`.
#[utoipa::path(get, path = "/docs/{file}", operation_id = "getGuideFile", tag = "service",
    params(("file" = String, Path, description = "A page such as `first-bot`, or a bot such as `first_bot.py`")), responses(
    (status = 200, description = "The file, by its kind", content(
        (String = "text/html"), (String = "text/x-python"), (String = "text/css"),
    )),
    (status = 304, description = "As it was when it had the shown ETag"),
    NoPageFile,
))]
#[expect(dead_code, reason = "the contract's part of a route that the page has")]
pub(super) fn guide() {}

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
