//! `/items` and `/resources`: what is traded, at which prices, and how the prices have changed.

use std::sync::Arc;

use axum::extract::State;
use starkeep_contract::trading_service::{History, ItemDetails, Price};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{BadParameter, StorageUnreadable};
use starkeep_platform::http::{ErrorResponse, Params};

use super::named_game::{NamedGame, shown};
use super::path_text::PathText;
use super::refusals::{UnknownGame, UnknownItem};
use crate::app::App;
use crate::wire;

/// Lists everything that is sold, with its price.
#[utoipa::path(
    get, path = "/items", operation_id = "listItems", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<Price>, description = "All items. Special items and MINING_5 are listed and cannot be bought."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn items(app: State<Arc<App>>, game: Params<NamedGame>) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::items).await
}

/// Shows an item.
#[utoipa::path(
    get, path = "/items/{name}", operation_id = "getItem", tag = "open",
    params(("name" = String, Path, description = "The item's name, in upper case"), NamedGame),
    responses(
        (status = 200, body = ItemDetails, description = "The item."),
        UnknownItem, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn item(
    State(app): State<Arc<App>>,
    PathText(name): PathText,
    Params(game): Params<NamedGame>,
) -> Result<Answer, ErrorResponse> {
    let market = game.market(&app).await?;
    Ok(Answer::ok(&wire::item(&market, &name)?))
}

/// Lists the prices of the special items by round.
#[utoipa::path(
    get, path = "/items/history/price", operation_id = "listItemPrices", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<History>, description = "The prices; those of round 0 are the first ones."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn item_prices(
    app: State<Arc<App>>,
    game: Params<NamedGame>,
) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::item_price_history).await
}

/// Lists how many special items were bought by round.
#[utoipa::path(
    get, path = "/items/history/buy", operation_id = "listItemPurchases", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<History>, description = "None of any: they are not for sale."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn purchases(
    app: State<Arc<App>>,
    game: Params<NamedGame>,
) -> Result<Answer, ErrorResponse> {
    shown(app, game, |_| wire::purchase_history()).await
}

/// Lists the resources with their prices.
#[utoipa::path(
    get, path = "/resources", operation_id = "listResources", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<Price>, description = "All resources."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn resources(
    app: State<Arc<App>>,
    game: Params<NamedGame>,
) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::resource_prices).await
}

/// Lists the prices of the resources by round.
#[utoipa::path(
    get, path = "/resources/history/price", operation_id = "listResourcePrices", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<History>, description = "The prices; those of round 0 are the first ones."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn resource_prices(
    app: State<Arc<App>>,
    game: Params<NamedGame>,
) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::resource_price_history).await
}

/// Lists how much of each resource was sold by round.
#[utoipa::path(
    get, path = "/resources/history/sell", operation_id = "listSales", tag = "open", params(NamedGame),
    responses(
        (status = 200, body = Vec<History>, description = "All sales of a round, added up; rounds without one are left out."),
        UnknownGame, BadParameter, StorageUnreadable,
    )
)]
pub(super) async fn sales(app: State<Arc<App>>, game: Params<NamedGame>) -> Result<Answer, ErrorResponse> {
    shown(app, game, wire::sales_history).await
}
