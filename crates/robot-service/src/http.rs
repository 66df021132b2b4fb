//! The route table of the robot service, grouped by who calls it, and what guards each group.
//! The contract is made from the same table, so a route that is not documented does not exist.

mod access;
mod body;
mod commands;
mod orders;
mod refusals;
mod robots;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use starkeep_contract::Problem;
use starkeep_platform::http::auth::{AdminToken, host_only};
use starkeep_platform::http::contract::{bearer, complete};
use starkeep_platform::http::idempotency::once;
use starkeep_platform::service::Layers;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::access::Tokens;
use crate::app::App;

type Routes = OpenApiRouter<Api>;

/// What handlers are given.
#[derive(Clone)]
struct Api {
    app: Arc<App>,
    tokens: Tokens,
}

/// What only services may call.
fn services() -> Routes {
    Routes::new()
        .routes(routes!(commands::execute))
        .routes(routes!(robots::spawn))
        .routes(routes!(orders::upgrade))
        .routes(routes!(orders::restore))
        .routes(routes!(orders::unload))
}

/// What players and the host may see; each route says of whom.
fn readers() -> Routes {
    Routes::new().routes(routes!(robots::list)).routes(routes!(robots::show))
}

/// `service_token` opens what only services may call.
pub(crate) fn router(app: Arc<App>, layers: &Layers, service_token: AdminToken) -> Router {
    let idempotency = layers.idempotency.clone().with_largest_body(body::LARGEST_BODY);
    // The layer that is added last is asked first: who may not do it learns nothing of earlier answers.
    let services = services()
        .route_layer(from_fn_with_state(idempotency, once))
        .route_layer(from_fn_with_state(service_token.clone(), host_only));
    let tokens = Tokens { admin: layers.admin_token.clone(), service: service_token };
    services.merge(readers()).with_state(Api { app, tokens }).into()
}

pub(crate) fn contract() -> utoipa::openapi::OpenApi {
    let routes = Routes::with_openapi(Document::openapi()).merge(services()).merge(readers());
    let mut contract = complete(routes.into_openapi());
    contract
        .components
        .get_or_insert_default()
        .add_security_scheme("player", bearer("A player's token, as the game service gave it."));
    contract
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "starkeep robot service",
        description = "Robots, and the commands that they carry out. Refusals have the status codes of the existing robot service, in both dialects, and a problem whose `detail` is its text.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Problem))
)]
struct Document;
