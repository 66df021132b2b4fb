//! The robot service's own numbers for Prometheus: what was executed, mined and spawned, and how many robots live.
//! Requests and commits are counted by the platform.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use starkeep_robot_core::{Amounts, Battle, MiningResult, MoveResult, RegenerationResult, ResourceKind};

use crate::ports::Store;

/// The counters of the use cases. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct RobotMetrics {
    commands: Family<OfVerb, Counter>,
    mined: Family<OfKind, Counter>,
    spawned: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfVerb {
    verb: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    resource_type: &'static str,
}

/// What a decision has executed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    verb: &'static str,
    successes: usize,
    failures: usize,
    /// What the map gave.
    mined: Amounts,
}

impl Done {
    pub(crate) fn moves(results: &[MoveResult]) -> Self {
        Self::of("move", results.len(), results.iter().filter(|result| result.outcome.is_ok()).count())
    }

    pub(crate) fn attacks(battle: &Battle) -> Self {
        let struck = battle.results.iter().filter(|result| result.outcome.is_ok());
        Self::of("fight", battle.results.len(), struck.count())
    }

    pub(crate) fn minings(results: &[MiningResult]) -> Self {
        Self::of("mine", results.len(), results.iter().filter(|result| result.outcome.is_ok()).count())
    }

    pub(crate) fn regenerations(results: &[RegenerationResult]) -> Self {
        Self::of("regenerate", results.len(), results.iter().filter(|result| result.robot.is_some()).count())
    }

    pub(crate) fn with_mined(self, mined: Amounts) -> Self {
        Self { mined, ..self }
    }

    fn of(verb: &'static str, all: usize, successes: usize) -> Self {
        Self { verb, successes, failures: all - successes, mined: Amounts::NONE }
    }
}

impl RobotMetrics {
    pub(crate) fn register(&self, registry: &mut Registry, store: Arc<dyn Store>) {
        // Every series is there from the beginning, so that a rate can be taken of its first increase.
        for verb in ["move", "fight", "mine", "regenerate"] {
            self.executed(Done { verb, ..Done::default() });
        }
        registry.register("robot_commands", "Commands executed", self.commands.clone());
        registry.register("robot_mined_units", "Units that the map gave to robots", self.mined.clone());
        registry.register("robots_spawned", "Robots spawned", self.spawned.clone());
        registry.register_collector(Box::new(LivingRobots(store)));
    }

    pub(crate) fn executed(&self, done: Done) {
        // A batch in which nothing was to be executed has no verb.
        if done.verb.is_empty() {
            return;
        }
        for (outcome, count) in [("success", done.successes), ("failure", done.failures)] {
            self.commands.get_or_create(&OfVerb { verb: done.verb, outcome }).inc_by(count as u64);
        }
        for kind in ResourceKind::ALL {
            let label = OfKind { resource_type: kind.as_str() };
            self.mined.get_or_create(&label).inc_by(done.mined.of(kind));
        }
    }

    pub(crate) fn spawned(&self, robots: usize) {
        self.spawned.inc_by(robots as u64);
    }
}

/// Read from the store at every scrape.
struct LivingRobots(Arc<dyn Store>);

impl Collector for LivingRobots {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let living: usize = self.0.image().fleets().map(|(_, robots)| robots.fleet.len()).sum();
        let living = ConstGauge::new(i64::try_from(living).unwrap_or(i64::MAX));
        let kind = living.metric_type();
        let text = "Robots of games that have not ended";
        living.encode(encoder.encode_descriptor("living_robots", text, None, kind)?)
    }
}

impl fmt::Debug for LivingRobots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LivingRobots")
    }
}
