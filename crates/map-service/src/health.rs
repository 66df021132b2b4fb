//! What `/health` says about the map service: can it write, do the books balance, how many worlds are played in.
//! The frame around these parts is the platform's.

use std::sync::Arc;

use starkeep_platform::http::health::{self, HealthCheck, Parts, degraded, storage, well};
use starkeep_platform::relay::RelayStatus;
use starkeep_platform::tasks::Leader;

use crate::app::App;

pub(crate) fn check(app: Arc<App>, leader: Leader, relay: Option<Arc<RelayStatus>>) -> HealthCheck {
    health::check("map", app.dialect, leader, relay, move || parts(app.clone()))
}

async fn parts(app: Arc<App>) -> Parts {
    let (active, balance) = app.audit();
    Parts::from([
        ("storage".to_owned(), storage(app.storage_is_well().await)),
        ("books".to_owned(), balance.map_or_else(degraded, |()| well("all books balance"))),
        ("worlds".to_owned(), well(format!("{active} active"))),
    ])
}
