//! The parts of `/health` that are the trading service's own: the books, the robot service, and the games that it follows.

use starkeep_contract::health::Part;
use starkeep_platform::health::{Parts, ServiceHealth, degraded, healthy};

use crate::app::App;

pub(crate) fn of(app: &App) -> ServiceHealth {
    let (games, balance) = app.audit();
    let books = balance.map_or_else(degraded, |()| healthy(format!("the books of {games} games balance")));
    let parts = [("books", books), ("robot", robot(app)), ("games", followed(app))];
    let parts: Parts = parts.map(|(name, part)| (name.to_owned(), part)).into();
    ServiceHealth { parts, executes_once: Some(true), ..ServiceHealth::default() }
}

fn robot(app: &App) -> Part {
    let settled = match app.unfinished().len() {
        0 => "all trades are settled".to_owned(),
        unsettled => format!("trades of {unsettled} games are under way"),
    };
    match app.robots.as_ref().map(|robots| robots.fault()) {
        None => degraded("there is no robot service, so nothing can be bought or sold"),
        Some(Some(fault)) => degraded(format!("{fault}; {settled}")),
        Some(None) => healthy(settled),
    }
}

fn followed(app: &App) -> Part {
    let image = app.image();
    if let Some(fault) = app.rebuild_fault() {
        return degraded(format!("events were missed, and what happened is not known: {fault}"));
    }
    if !app.receives_game_events() {
        return degraded("the game service's events do not arrive, so batches of new rounds have to wait");
    }
    let missed = |name: &str, gap: Option<jiff::Timestamp>| {
        gap.map_or_else(String::new, |at| {
            format!("; events of the {name} service were missed, and what happened was asked for at {at}")
        })
    };
    let gaps = missed("game", image.game_stream.gap) + &missed("map", image.map_stream.gap);
    healthy(format!("{} games are followed{gaps}", image.games.iter().count()))
}
