//! The page at `/`. Its policy lets it call the services, at the addresses that `/services` tells.

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse as _;
use starkeep_contract::Code;
use starkeep_platform::http::ErrorResponse;

use crate::service_addresses::ServiceAddresses;

pub(super) fn routes(services: Arc<ServiceAddresses>) -> Router {
    let addresses = move |host: Option<&str>| -> Vec<String> {
        let told = services.told_to(host);
        [Some(told.game), told.map, told.robot, told.trading].into_iter().flatten().collect()
    };
    starkeep_page::routes(Arc::new(addresses), || {
        ErrorResponse::new(Code::NoSuchRoute, "the page has no such file").into_response()
    })
}
