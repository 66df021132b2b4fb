//! The route table of the trading service, grouped by who calls it, and what guards each group.
//! The contract is made from the same table, so a route that is not documented does not exist.

mod accounts;
mod commands;
mod goods;
mod named_game;
mod path_text;
mod refusals;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use starkeep_contract::Problem;
use starkeep_platform::http::auth::{AdminToken, host_only};
use starkeep_platform::http::contract::complete;
use starkeep_platform::http::idempotency::once;
use starkeep_platform::service::Layers;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

type Routes = OpenApiRouter<Arc<App>>;

/// What the game service does.
fn services() -> Routes {
    Routes::new().routes(routes!(commands::execute))
}

/// What everybody may see.
fn open() -> Routes {
    Routes::new()
        .routes(routes!(goods::items))
        .routes(routes!(goods::item_prices))
        .routes(routes!(goods::purchases))
        .routes(routes!(goods::item))
        .routes(routes!(goods::resources))
        .routes(routes!(goods::resource_prices))
        .routes(routes!(goods::sales))
        .routes(routes!(accounts::balances))
        .routes(routes!(accounts::balances_of_round))
        .routes(routes!(accounts::players))
        .routes(routes!(accounts::stations))
        .routes(routes!(accounts::games))
}

pub(crate) fn router(app: Arc<App>, layers: &Layers, service_token: &AdminToken) -> Router {
    let idempotency = layers.idempotency.clone().with_largest_body(commands::LARGEST_BATCH);
    // The layer that is added last is asked first: who may not do it learns nothing of earlier answers.
    let services = services()
        .route_layer(from_fn_with_state(idempotency, once))
        .route_layer(from_fn_with_state(service_token.clone(), host_only));
    services.merge(open()).with_state(app).into()
}

pub(crate) fn contract() -> utoipa::openapi::OpenApi {
    let routes = Routes::with_openapi(Document::openapi()).merge(services()).merge(open());
    complete(routes.into_openapi())
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "starkeep trading service",
        description = "Accounts, prices, purchases and sales. In the `msd` dialect a conflict is 403 instead of 409.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Problem))
)]
struct Document;
