//! `/gameworlds/{id}/fairness`: how even the starts of a gameworld were when it was made.
//! Open to everybody, unless the map is closed.

use std::sync::Arc;

use axum::extract::State;
use starkeep_contract::map::Fairness;
use starkeep_contract::{Code, WorldId};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::Away;
use starkeep_platform::http::{ErrorResponse, Id};

use super::access::MapAccess;
use super::gameworlds::find;
use super::refusals::{MapClosed, NoCertificate};
use crate::app::App;
use crate::wire;

/// Shows how even the starts of a gameworld were when it was made.
///
/// A start is a space station. Where the map is closed, this needs the admin token as long as the gameworld is active.
#[utoipa::path(
    get, path = "/gameworlds/{id}/fairness", operation_id = "getFairness", tag = "open", security((), ("admin" = [])),
    params(("id" = WorldId, Path, description = "The gameworld's id")),
    responses(
        (status = 200, body = Fairness, description = "The certificate."),
        MapClosed, NoCertificate, Away,
    )
)]
pub(super) async fn show(
    State(app): State<Arc<App>>,
    access: MapAccess,
    id: Result<Id<WorldId>, ErrorResponse>,
) -> Result<Answer, ErrorResponse> {
    let world = access.check_planets(find(&app, id).await, |world| world.is_hidden())?;
    // The largest world has 20,000 stations.
    let written = app.run_blocking(move || wire::fairness(&world).map(|fairness| Answer::ok(&fairness)));
    let written = written.await.map_err(|fault| ErrorResponse::new(Code::Internal, fault))?;
    written.ok_or_else(|| {
        let text =
            "the gameworld was made by an earlier version, which did not keep how even its starts were";
        ErrorResponse::new(Code::NoCertificate, text)
    })
}
