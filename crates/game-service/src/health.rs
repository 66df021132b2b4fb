//! How the game service is: its parts for `/health`, its figures for `/metrics`.
//! The frame around the parts is the platform's.

use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use starkeep_contract::health::{Health, Part};
use starkeep_game_core::ExecutorKind;
use starkeep_platform::http::health::{self, HealthCheck, Parts, degraded, storage, well};
use starkeep_platform::http::metrics::Metrics;
use starkeep_platform::relay::RelayStatus;
use starkeep_platform::tasks::Leader;

use crate::app::App;
use crate::ports::MapFault;
use crate::schedule_metrics::Shift;

pub(crate) fn check(app: Arc<App>, leader: Leader, relay: Option<Arc<RelayStatus>>) -> HealthCheck {
    let asked = app.clone();
    let frame = health::check("game", app.wire.dialect, leader, relay, move || parts(asked.clone()));
    Arc::new(move || {
        let (health, lateness) = (frame(), app.schedule_metrics.summary());
        Box::pin(async move { Health { lateness, ..health.await } })
    })
}

async fn parts(app: Arc<App>) -> Parts {
    let image = app.store.image();
    let games = format!("{} active, {} ended", image.active_games().count(), image.ended_games());
    Parts::from([
        ("storage".to_owned(), storage(app.store.common_store().check().await)),
        ("map".to_owned(), map(app.other_services.map.fault(), image.retirements().count())),
        ("trading".to_owned(), executor(&app, ExecutorKind::Trading)),
        ("robot".to_owned(), executor(&app, ExecutorKind::Robots)),
        ("clock".to_owned(), clock(&app)),
        ("games".to_owned(), well(games)),
    ])
}

fn map(fault: Option<MapFault>, waiting: usize) -> Part {
    match (fault, waiting) {
        (Some(fault), _) => degraded(fault.to_string()),
        (None, 0) => well("has heard everything"),
        (None, waiting) => {
            degraded(format!("has not heard yet of {waiting} gameworlds that are no longer played"))
        }
    }
}

fn executor(app: &App, executor: ExecutorKind) -> Part {
    match (app.executor(executor), app.batch_metrics.fault(executor)) {
        (None, _) => well("is not configured: commands for it are not delivered"),
        (Some(_), None) => well("has taken what it was sent"),
        (Some(_), Some(fault)) => degraded(format!("has not taken the last batch: {fault}")),
    }
}

fn clock(app: &App) -> Part {
    well(match app.schedule_metrics.last_shift() {
        None => "every round was kept as meant".to_owned(),
        Some(Shift { at, by }) => {
            format!("at {at} games went on {:.1} s later than meant", by.as_secs_f64())
        }
    })
}

pub(crate) fn register(app: &Arc<App>, metrics: &Metrics) {
    let figures = GameMetrics(Arc::downgrade(app));
    metrics.register(|registry| {
        registry.register_collector(Box::new(figures));
        app.schedule_metrics.register(registry);
        app.batch_metrics.register(registry);
    });
}

/// Figures that are read when they are asked for.
#[derive(Debug)]
struct GameMetrics(Weak<App>);

impl Collector for GameMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Some(app) = self.0.upgrade() else { return Ok(()) };
        let (image, written) = (app.store.image(), app.store.common_store().written());
        let gauges = [
            ("games_active", "Games that are created or running", image.active_games().count()),
            ("games_running", "Games that run", image.slots().0.len()),
            ("robots_alive", "Robots that were heard of and not destroyed", image.living_robots()),
            ("worlds_to_retire", "Gameworlds that the map has yet to hear of", image.retirements().count()),
        ];
        for (name, help, value) in gauges {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let counters = [
            ("store_commits", "Commits", written.commits),
            ("store_decisions", "Decisions that shared those commits", written.decisions),
            ("commands", "Commands taken, ever", image.commands_taken()),
            ("events", "Events appended to the log", written.events),
        ];
        for (name, help, value) in counters {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}
