//! What `/health` says about the map service: can it write, do the books balance, how many worlds are played in.
//! The state of the background tasks comes from the leader's board.

use std::collections::BTreeMap;
use std::sync::Arc;

use starkeep_contract::health::{Health, HealthStatus, Part};
use starkeep_platform::background::Leader;
use starkeep_platform::http::common::HealthCheck;

use crate::app::App;

pub(crate) fn check(app: Arc<App>, leader: Leader) -> HealthCheck {
    Arc::new(move || {
        let (app, leader) = (app.clone(), leader.clone());
        Box::pin(async move { health(&app, &leader).await })
    })
}

async fn health(app: &App, leader: &Leader) -> Health {
    let (active, balance) = app.audit();
    let parts = BTreeMap::from([
        ("storage".to_owned(), part(app.storage_is_well().await, HealthStatus::Failing, "it can be written")),
        ("books".to_owned(), part(balance, HealthStatus::Degraded, "all books balance")),
        ("worlds".to_owned(), part(Ok(()), HealthStatus::Ok, &format!("{active} active"))),
    ]);
    Health {
        status: parts.values().map(|part| part.status).max().unwrap_or(HealthStatus::Ok),
        service: "map".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        dialect: app.dialect.name().to_owned(),
        parts,
        tasks: leader.board(),
        lateness: BTreeMap::new(),
    }
}

fn part(state: Result<(), String>, otherwise: HealthStatus, detail: &str) -> Part {
    match state {
        Ok(()) => Part { status: HealthStatus::Ok, detail: detail.to_owned() },
        Err(fault) => Part { status: otherwise, detail: fault },
    }
}
