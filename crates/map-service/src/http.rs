//! The route table of the map service, grouped by who calls it, and what guards each group.
//! The contract is made from the same table, so a route that is not documented does not exist.

mod gameworlds;
mod minings;
mod paging;
mod planets;
mod refusals;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use starkeep_contract::Problem;
use starkeep_platform::decision::Failure;
use starkeep_platform::http::ErrorResponse;
use starkeep_platform::http::auth::host_only;
use starkeep_platform::http::contract::complete;
use starkeep_platform::http::idempotency::once;
use starkeep_platform::service::Layers;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::domain::Rejection;
use crate::wire;

type Routes = OpenApiRouter<Arc<App>>;

/// What a host does.
fn host() -> Routes {
    Routes::new()
        .routes(routes!(gameworlds::make))
        .routes(routes!(gameworlds::change, gameworlds::withdraw))
        .routes(routes!(gameworlds::chart))
}

/// What the robot service does for its players, or a player directly.
fn mining() -> Routes {
    Routes::new().routes(routes!(minings::mine))
}

/// What everybody may see.
fn open() -> Routes {
    Routes::new()
        .routes(routes!(gameworlds::list))
        .routes(routes!(gameworlds::show))
        .routes(routes!(planets::list))
        .routes(routes!(planets::show))
        .routes(routes!(planets::neighbours))
        .routes(routes!(planets::resources))
}

pub(crate) fn router(app: Arc<App>, layers: &Layers, closed_mining: bool) -> Router {
    // The layer that is added last is asked first: who may not do it learns nothing of earlier answers.
    let repeatable =
        |routes: Routes| routes.route_layer(from_fn_with_state(layers.idempotency.clone(), once));
    let guarded =
        |routes: Routes| routes.route_layer(from_fn_with_state(layers.admin_token.clone(), host_only));
    let mining = repeatable(mining());
    let mining = if closed_mining { guarded(mining) } else { mining };
    let routes = guarded(repeatable(host())).merge(mining).merge(open());
    routes.with_state(app).into()
}

/// Turns a failure into a response.
fn refused(app: &App) -> impl FnOnce(Failure<Rejection>) -> ErrorResponse {
    let dialect = app.dialect;
    move |failure| wire::refuse(dialect, failure)
}

pub(crate) fn contract() -> utoipa::openapi::OpenApi {
    let routes = Routes::with_openapi(Document::openapi()).merge(host()).merge(mining()).merge(open());
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
