//! What both addresses offer beside their own routes: health, metrics, the contract, the docs, CORS,
//! and our own problem where no route fits.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, header};
use starkeep_contract::Code;

use super::ErrorResponse;
use super::cors::{Cors, CorsOrigin};
use super::documents::Documents;
use super::events::{EventFeed, events};
use super::from_memory::{FromMemory, ServiceRoutes};
use super::health::{self, HealthCheck};
use super::metrics::Metrics;
use super::request_counts::{Counted, RequestCounts};

pub struct CommonRoutes {
    pub documents: Documents,
    pub health: HealthCheck,
    pub feed: EventFeed,
    pub metrics: Metrics,
    pub counts: RequestCounts,
    pub cors: CorsOrigin,
}

/// Every route of a service's address, and what is done around each request. A layer within the router would cost each request
/// a boxed service and a boxed future.
pub type Front = Cors<Counted<FromMemory<Router>>>;

/// The service's routes with all that is common around them.
pub fn with_common_routes(routes: ServiceRoutes, common: CommonRoutes) -> Front {
    let CommonRoutes { documents, health, feed, metrics, counts, cors } = common;
    let (documents, admin_token) = (Arc::new(documents), feed.admin_token.clone());
    let ServiceRoutes { router: routes, from_memory } = routes;
    let routes = routes
        .route("/events", get(events).with_state(feed))
        .route(
            "/health",
            get(move |query, headers| health::answer(health.clone(), admin_token.clone(), query, headers)),
        )
        .route("/metrics", get(move || async move { metrics.answer() }))
        .route("/asyncapi.json", get(asyncapi).with_state(documents.clone()))
        .route("/openapi.json", get(openapi).with_state(documents.clone()))
        .route("/docs", get(docs).with_state(documents));
    let routes = routes
        .fallback(|request: Request| async move {
            let text = format!("there is nothing for {} at this path", request.method());
            ErrorResponse::new(Code::NoSuchRoute, text)
        })
        .method_not_allowed_fallback(|request: Request| async move {
            ErrorResponse::new(
                Code::MethodNotAllowed,
                format!("{} is not a method of this path", request.method()),
            )
        })
        .with_state(());
    cors.around(counts.count(FromMemory::new(routes, from_memory)))
}

async fn asyncapi(State(documents): State<Arc<Documents>>) -> Response {
    text("application/json", documents.asyncapi())
}

async fn openapi(State(documents): State<Arc<Documents>>) -> Response {
    text("application/json", documents.openapi())
}

async fn docs(State(documents): State<Arc<Documents>>, headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    text("text/html; charset=utf-8", &documents.docs().told_to(host))
}

fn text(kind: &'static str, body: &str) -> Response {
    ([(header::CONTENT_TYPE, kind)], body.to_owned()).into_response()
}
