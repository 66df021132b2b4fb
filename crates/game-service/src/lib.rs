//! The game service: creates, changes, starts and ends games, keeps the rounds' time, and tells everybody. This file declares
//! what is its own; the frame around it is the platform's, the store is handed in, and the rules belong to the core.

pub mod app;
mod batch_metrics;
mod command_refusals;
mod domain;
mod executor_status;
mod gateways;
mod health;
mod http;
pub mod ports;
mod schedule_metrics;
mod sent_events;
mod service_clock;
pub mod store;
mod stream_metrics;
mod tasks;
#[doc(hidden)]
pub mod testing;
mod topic_results;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use prometheus_client::registry::Registry;
use starkeep_contract::Dialect;
use starkeep_contract::events::Channel;
use starkeep_game_core::{ExecutorKind, GameId, Policy};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::consumer::TopicConsumers;
use starkeep_platform::health::ServiceHealth;
use starkeep_platform::http::auth::AdminToken;
pub use starkeep_platform::http::connection::AddressFrom;
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::lease::Epoch;
use starkeep_platform::relay::{RelayStatus, Spacing};
use starkeep_platform::service::{FrameConfig, Layers, Service};
pub use starkeep_platform::service_addresses::{ServiceAddress, ServiceAddresses};
use starkeep_platform::tasks::{Leader, Stop};
use utoipa::openapi::OpenApi;
use uuid::Uuid;

pub use self::app::OtherServices;
use self::app::{App, AppSettings};
use self::domain::Followed;
pub use self::gateways::{
    HttpExecutor, HttpLookups, HttpMap, HttpRecords, HttpRobotDirectory, ServiceCallers, ServiceToken,
};
pub use self::http::GuessLimits;
use self::ports::Store;
use self::sent_events::begins_or_ends_a_game;
use self::tasks::Probes;
pub use self::tasks::{
    Dispatcher, ExecutorEvents, Reconciler, Replenishments, RobotEventConsumer, RobotResultConsumer,
    RobotStream, RoundClock, RoundScoring, TopicCreation,
};
use self::wire::Wire;
pub use starkeep_http_client::{BadServiceUrl, ServiceUrl};

/// What a host decides about the game service.
#[derive(Clone, Debug)]
pub struct Config {
    pub frame: FrameConfig,
    /// How many games may run at a time.
    pub max_running_games: u32,
    /// Between the start of a game and its first round; none: what the dialect says.
    pub start_delay: Option<Duration>,
    /// The time around a `status` record that tells of a game's creation or end; none: what the dialect says.
    pub status_gap: Option<Duration>,
    /// How long a start waits for a Kafka that takes nothing: as long as for the map.
    pub map_timeout: Duration,
    /// How much playing time lies between two replenishments of a game's world, in whole rounds; none: there are none.
    pub replenish_every: Option<Duration>,
    /// Whether commands for trades go to a trading service that was not started with this one.
    pub has_outer_trading: bool,
    /// How many robots a command may buy at once, of a trading service that is not known to execute a batch once.
    pub largest_order: u32,
    /// The pause between two batches for the robot service. None: until the results of the first one have come, or a pause
    /// that grows with its commands where nobody tells of results.
    pub batch_gap: Option<Duration>,
    /// Where clients find the services.
    pub services: ServiceAddresses,
    /// Whose events tell what became of commands and how players stand, where they are ours.
    pub executor_streams: ExecutorStreams,
    pub player_access: PlayerAccess,
}

/// How players show who they are, and how others are kept from it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayerAccess {
    pub token_recovery: TokenRecovery,
    pub guesses: GuessLimits,
    /// Who says from where wrong guesses come.
    pub address_from: AddressFrom,
}

/// Whether a player that has lost its token is told it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenRecovery {
    #[default]
    Off,
    /// If it shows the code that it chose when it registered.
    ByCode,
    /// If it shows its name and mail address. Existing bots count on it.
    ByNameAndMail,
}

/// Whose events are followed, where they are ours.
#[derive(Clone, Debug, Default)]
pub struct ExecutorStreams {
    pub trading: Option<ServiceUrl>,
    /// Its events tell of its robots and name their games, too.
    pub robot: Option<ServiceUrl>,
    /// What is shown to them.
    pub token: AdminToken,
}

impl ExecutorStreams {
    fn followed(&self) -> Followed {
        Followed { trading: self.trading.is_some(), robots: self.robot.is_some() }
    }
}

/// The existing trading service, which reads its topics in parallel, lost nothing with half of it.
const STATUS_GAP: Duration = Duration::from_secs(1);

pub struct GameService {
    app: Arc<App>,
    config: Config,
    robot_events: Option<RobotEventConsumer>,
    robot_results: Option<RobotResultConsumer>,
    topic_creation: Option<TopicCreation>,
}

impl GameService {
    pub fn new(
        store: Arc<dyn Store>,
        config: Config,
        other_services: OtherServices,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
    ) -> Self {
        let policy = match config.frame.dialect {
            Dialect::Standard => Policy::standard(),
            // It forgets the stations that it learned of before `created`.
            Dialect::Msd if config.has_outer_trading => Policy::msd().without_given_worlds(),
            Dialect::Msd => Policy::msd(),
        };
        let app = App::new(
            store,
            other_services,
            clock,
            chance,
            AppSettings {
                policy: policy
                    .with_running_games(config.max_running_games)
                    .with_start_delay(config.start_delay.unwrap_or(policy.start_delay))
                    .with_replenish_every(config.replenish_every),
                wire: Wire { dialect: config.frame.dialect },
                largest_order: config.largest_order,
                followed: config.executor_streams.followed(),
            },
        );
        Self { app, config, robot_events: None, robot_results: None, topic_creation: None }
    }

    /// Learns of robots and of their deeds from what their service publishes, and sees to the topics that it and trading publish to.
    #[must_use]
    pub fn following_robots(mut self, broker: Arc<dyn TopicConsumers>) -> Self {
        self.app.read_topics();
        self.topic_creation = Some(TopicCreation::new(self.app.clock.clone(), broker.clone()));
        self.robot_results = Some(RobotResultConsumer::new(self.app.clone(), broker.clone()));
        self.robot_events = Some(RobotEventConsumer::new(self.app.clone(), broker));
        self
    }

    /// For tests, which step it by hand.
    pub fn round_clock(&self) -> RoundClock {
        RoundClock::new(self.app.clone())
    }

    /// For tests, which step it by hand.
    pub fn dispatcher(&self, stop: Stop) -> Dispatcher {
        let results = self.robot_results.as_ref().map(|_| self.app.topic_results.clone());
        Dispatcher::new(self.app.clone(), self.config.batch_gap, results, stop)
    }

    /// For tests, which run it alone. None without a broker.
    pub fn robot_results(&self) -> Option<&RobotResultConsumer> {
        self.robot_results.as_ref()
    }

    /// None without a robot service that is one of ours.
    pub fn robot_stream(&self) -> Option<RobotStream> {
        let url = self.config.executor_streams.robot.clone()?;
        Some(RobotStream::new(self.app.clone(), url))
    }

    /// Those that are configured.
    pub fn executor_events(&self) -> Vec<ExecutorEvents> {
        let ExecutorStreams { trading, robot, token } = &self.config.executor_streams;
        let streams = [(ExecutorKind::Trading, trading), (ExecutorKind::Robots, robot)];
        let follower = |(executor, url): (ExecutorKind, &Option<ServiceUrl>)| {
            let url = url.clone()?;
            Some(ExecutorEvents::new(self.app.clone(), executor, url, token.secret()))
        };
        streams.into_iter().filter_map(follower).collect()
    }

    /// For tests, which step it by hand.
    pub fn round_scoring(&self) -> RoundScoring {
        RoundScoring::new(self.app.clone())
    }

    /// For tests, which step it by hand.
    pub fn reconciler(&self) -> Reconciler {
        Reconciler::new(self.app.clone())
    }

    /// For tests, which step it by hand.
    pub fn replenishments(&self) -> Replenishments {
        Replenishments::new(self.app.clone())
    }

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// The OpenAPI document, generated from the handlers.
    pub fn contract() -> OpenApi {
        http::contract()
    }
}

impl Service for GameService {
    fn name(&self) -> &'static str {
        "game"
    }

    fn channels(&self) -> &'static [Channel] {
        wire::CHANNELS
    }

    /// Created and running games are in memory; all others have ended.
    fn has_ended(&self, subject: Uuid) -> bool {
        self.app.store.image().active_game(GameId(subject)).is_none()
    }

    fn spacing(&self) -> Spacing {
        let usual =
            if self.config.frame.dialect.reads_topics_in_parallel() { STATUS_GAP } else { Duration::ZERO };
        Spacing { gap: self.config.status_gap.unwrap_or(usual), applies_to: begins_or_ends_a_game }
    }

    fn watch_relay(&self, relay: Arc<RelayStatus>) {
        if self.config.frame.dialect.reads_topics_in_parallel() {
            self.app.sent_events.wait_for(relay, self.config.map_timeout);
        }
    }

    fn routes(self: Arc<Self>, layers: &Layers) -> ServiceRoutes {
        http::routes(
            self.app.clone(),
            layers,
            Arc::new(self.config.services.clone()),
            self.config.player_access,
        )
    }

    fn contract(&self) -> OpenApi {
        Self::contract()
    }

    fn health(&self) -> BoxFuture<'_, ServiceHealth> {
        async { health::of(&self.app) }.boxed()
    }

    fn register_metrics(&self, registry: &mut Registry) {
        health::register(&self.app, registry);
        if let Some(robot_events) = &self.robot_events {
            robot_events.register(registry);
        }
    }

    /// Takes back what replicas that no longer live left unfinished.
    fn take_over(&self, epoch: Epoch) -> BoxFuture<'_, Result<(), String>> {
        async move {
            let withdrawn = self.app.withdraw_abandoned_intents(epoch).await;
            withdrawn.map_err(|failure| format!("{failure:?}"))?;
            let marked = self.app.mark_interrupted_batches(epoch).await;
            marked.map_err(|failure| format!("{failure:?}"))?;
            self.app.note_downtime();
            Ok(())
        }
        .boxed()
    }

    fn start_tasks(self: Arc<Self>, leader: &Leader) {
        self.round_clock().start(leader);
        self.reconciler().start(leader);
        self.replenishments().start(leader);
        self.dispatcher(leader.stop()).start(leader);
        Probes::new(self.app.clone()).start(leader);
        if let Some(robot_events) = &self.robot_events {
            robot_events.clone().start(leader);
        }
        if let Some(robot_stream) = self.robot_stream() {
            robot_stream.start(leader);
        }
        self.round_scoring().start(leader);
        self.executor_events().into_iter().for_each(|events| events.start(leader));
        if let Some(robot_results) = &self.robot_results {
            robot_results.start(leader);
        }
        if let Some(topic_creation) = &self.topic_creation {
            topic_creation.clone().start(leader);
        }
    }
}
