//! The health of the game service: its parts for `/health`, its figures for `/metrics`.
//! Parts that every service has (storage, relay, tasks) are added by the platform.

use std::sync::{Arc, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use starkeep_contract::health::Part;
use starkeep_game_core::ExecutorKind;
use starkeep_platform::health::{Parts, ServiceHealth, degraded, healthy};

use crate::app::App;
use crate::ports::MapFault;
use crate::schedule_metrics::Shift;

pub(crate) fn of(app: &App) -> ServiceHealth {
    let image = app.store.image();
    let games = format!("{} active, {} ended", image.active_games().count(), image.ended_games());
    let parts = Parts::from([
        ("map".to_owned(), map(app.other_services.map.fault(), image.retirements().count())),
        ("trading".to_owned(), executor(app, ExecutorKind::Trading)),
        ("robot".to_owned(), executor(app, ExecutorKind::Robots)),
        ("clock".to_owned(), clock(app)),
        ("games".to_owned(), healthy(games)),
    ]);
    ServiceHealth { parts, lateness: app.schedule_metrics.summary(), ..ServiceHealth::default() }
}

fn map(fault: Option<MapFault>, waiting: usize) -> Part {
    match (fault, waiting) {
        (Some(fault), _) => degraded(fault.to_string()),
        (None, 0) => healthy("no gameworlds to retire"),
        (None, waiting) => degraded(format!("{waiting} gameworlds are not retired yet")),
    }
}

fn executor(app: &App, executor: ExecutorKind) -> Part {
    match (app.executor(executor), app.executor_status.fault(executor)) {
        (None, _) => healthy("is not configured: commands for it are not delivered"),
        (Some(_), None) => healthy("no fault in the last batch or probe"),
        (Some(_), Some(fault)) => degraded(fault),
    }
}

fn clock(app: &App) -> Part {
    healthy(match app.schedule_metrics.last_shift() {
        None => "all rounds on schedule".to_owned(),
        Some(Shift { at, by }) => {
            format!("at {at} the schedules of games were shifted by {:.1} s", by.as_secs_f64())
        }
    })
}

pub(crate) fn register(app: &Arc<App>, registry: &mut Registry) {
    registry.register_collector(Box::new(GameMetrics(Arc::downgrade(app))));
    app.schedule_metrics.register(registry);
    app.batch_metrics.register(registry);
    app.stream_metrics.register(registry);
}

/// Figures that are read at each scrape.
#[derive(Debug)]
struct GameMetrics(Weak<App>);

impl Collector for GameMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let Some(app) = self.0.upgrade() else { return Ok(()) };
        let image = app.store.image();
        let events = app.store.clone().common().counts().events;
        let gauges = [
            ("games_active", "Created and running games", image.active_games().count()),
            ("games_running", "Running games", image.slots().0.len()),
            (
                "robots_alive",
                "Robots that were reported as spawned and not as destroyed",
                image.living_robots(),
            ),
            ("worlds_to_retire", "Gameworlds that the map has yet to retire", image.retirements().count()),
        ];
        for (name, help, value) in gauges {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let counters = [
            ("commands", "Commands accepted since the database was created", image.commands_taken()),
            ("events", "Events appended to the log", events),
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
