//! The route table of the map service, grouped by who calls it, and what guards each group.
//! The contract is made from the same table, so a route that is not documented does not exist.

mod access;
mod fairness;
mod gameworlds;
mod minings;
mod paging;
mod planets;
mod refusals;
mod replenishments;
mod round;

use std::sync::Arc;

use axum::extract::FromRef;
use axum::middleware::from_fn_with_state;
use starkeep_contract::Problem;
use starkeep_platform::decision::Failure;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::auth::{AdminToken, host_only};
use starkeep_platform::http::contract::complete;
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::http::idempotency::{IdempotencyLayer, once};
use starkeep_platform::service::Layers;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::domain::Rejection;
use crate::wire;

type Routes = OpenApiRouter<Api>;

/// What handlers are given.
#[derive(Clone)]
struct Api {
    app: Arc<App>,
    admin_token: AdminToken,
    is_map_closed: bool,
}

impl FromRef<Api> for Arc<App> {
    fn from_ref(api: &Api) -> Self {
        api.app.clone()
    }
}

/// What a host decides about the routes.
pub(crate) struct Closed {
    pub(crate) mining: bool,
    pub(crate) map: bool,
}

/// What a host does.
fn host() -> Routes {
    Routes::new()
        .routes(routes!(gameworlds::change, gameworlds::withdraw))
        .routes(routes!(replenishments::replenish))
}

/// What a host does with a large body.
fn imports() -> Routes {
    Routes::new().routes(routes!(gameworlds::make))
}

/// What the robot service does for its players, or a player directly.
fn mining() -> Routes {
    Routes::new().routes(routes!(minings::mine))
}

/// What everybody may see, some of it only after the game; each route says what.
fn open() -> Routes {
    Routes::new()
        .routes(routes!(gameworlds::list))
        .routes(routes!(gameworlds::show))
        .routes(routes!(gameworlds::chart))
        .routes(routes!(fairness::show))
        .routes(routes!(planets::list))
        .routes(routes!(planets::show))
        .routes(routes!(planets::neighbours))
        .routes(routes!(planets::resources))
}

pub(crate) fn routes(app: Arc<App>, layers: &Layers, closed: &Closed) -> ServiceRoutes {
    let Layers { admin_token, idempotency } = layers;
    let large = idempotency.clone().with_largest_body(gameworlds::LARGEST_BODY);
    // The layer that is added last is asked first: who may not do it learns nothing of earlier answers.
    let repeatable = |routes: Routes, layer: &IdempotencyLayer| {
        routes.route_layer(from_fn_with_state(layer.clone(), once))
    };
    let guarded = |routes: Routes| routes.route_layer(from_fn_with_state(admin_token.clone(), host_only));
    let mining = repeatable(mining(), idempotency);
    let mining = if closed.mining { guarded(mining) } else { mining };
    let host = guarded(repeatable(host(), idempotency).merge(repeatable(imports(), &large)));
    let api = Api { app, admin_token: admin_token.clone(), is_map_closed: closed.map };
    let router = host.merge(mining).merge(open()).with_state(api.clone()).into();
    ServiceRoutes { router, from_memory: Arc::new(move |uri| planets::from_memory(&api, uri)) }
}

/// Turns a failure into a response.
fn refused(app: &App) -> impl FnOnce(Failure<Rejection>) -> ErrorResponse {
    let dialect = app.dialect;
    move |failure| wire::refuse(dialect, failure)
}

pub(crate) fn contract() -> utoipa::openapi::OpenApi {
    let routes = Routes::with_openapi(Document::openapi());
    let routes = routes.merge(host()).merge(imports()).merge(mining()).merge(open());
    complete(routes.into_openapi())
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "starkeep map service",
        description = "Gameworlds, their planets and what is mined on them. In the `msd` dialect a conflict is 403 instead of 409.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Problem))
)]
struct Document;
