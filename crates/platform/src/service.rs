//! The frame of every service. A service declares what is its own ([`Service`]); all else is here, written once: the router
//! with the common routes, idempotency, health, metrics, relay, retention, clean-up, the leader's tasks, and the stop.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use prometheus_client::registry::Registry;
use starkeep_contract::Dialect;
use starkeep_contract::events::Channel;
use starkeep_contract::health::{Health, HealthStatus};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use utoipa::openapi::OpenApi;
use uuid::Uuid;

use crate::cleanup::{Cleanup, CleanupRule};
use crate::clock::Clock;
use crate::decision::StoreFault;
use crate::health::{ServiceHealth, storage};
use crate::http::auth::AdminToken;
use crate::http::common::{CommonRoutes, Front, with_common_routes};
use crate::http::cors::CorsOrigin;
use crate::http::documents::Documents;
use crate::http::events::EventFeed;
use crate::http::from_memory::ServiceRoutes;
use crate::http::health::{Digest, HealthCheck};
use crate::http::idempotency::IdempotencyLayer;
use crate::http::metrics::{Metrics, StoreMetrics};
use crate::http::request_counts::RequestCounts;
use crate::http::serve::{Limits, serve};
use crate::lease::Epoch;
use crate::relay::{Relay, RelayMetrics, RelayStart, RelayStatus, Spacing, Topics};
use crate::retention::{Retention, RetentionPolicy};
use crate::service_addresses::ServiceAddresses;
use crate::store::CommonStore;
use crate::tasks::{Leader, Stop};

/// What is a service's own.
pub trait Service: Send + Sync + 'static {
    /// As `/health` and the log call it.
    fn name(&self) -> &'static str;

    /// The channels of its events.
    fn channels(&self) -> &'static [Channel];

    /// Has the game or gameworld that an event is about ended? Then everybody sees which player and robot it is about.
    fn has_ended(&self, _subject: Uuid) -> bool {
        true
    }

    /// Which of its events are relayed with a gap before and after them.
    fn spacing(&self) -> Spacing {
        Spacing::default()
    }

    /// Called once, before anything is served, if its events are relayed: for what has to wait until they were sent.
    fn watch_relay(&self, _relay: Arc<RelayStatus>) {}

    /// Its routes, with the layers that they need.
    fn routes(self: Arc<Self>, layers: &Layers) -> ServiceRoutes;

    /// Its part of the contract, generated from the same routes.
    fn contract(&self) -> OpenApi;

    /// How its own parts are. Storage, relay and tasks are added.
    fn health(&self) -> BoxFuture<'_, ServiceHealth> {
        async { ServiceHealth::default() }.boxed()
    }

    fn register_metrics(&self, _registry: &mut Registry) {}

    /// What it keeps only for a while, beside stored answers and events.
    fn cleanup(&self) -> Vec<CleanupRule> {
        Vec::new()
    }

    /// Takes over what an earlier leader left unfinished, before the tasks of this epoch start.
    fn take_over(&self, _epoch: Epoch) -> BoxFuture<'_, Result<(), String>> {
        async { Ok(()) }.boxed()
    }

    /// Starts what runs by itself while this replica leads.
    fn start_tasks(self: Arc<Self>, _leader: &Leader) {}
}

/// What stands in front of a service's routes.
pub struct Layers {
    pub admin_token: AdminToken,
    pub idempotency: IdempotencyLayer,
}

/// What a host decides about every service.
#[derive(Clone, Debug, Default)]
pub struct FrameConfig {
    pub dialect: Dialect,
    pub admin_token: AdminToken,
    pub cors: CorsOrigin,
    pub retention: RetentionPolicy,
    pub limits: Limits,
    /// Where the services are, for the links between their pages; none where that is not known.
    pub addresses: Option<ServiceAddresses>,
}

/// Where the events of a service are sent, if anywhere.
#[derive(Clone)]
pub struct RelayTo {
    pub topics: Arc<dyn Topics>,
    pub start: RelayStart,
}

/// A service in its frame, ready to be served. Clones are the same service.
#[derive(Clone)]
pub struct Framed {
    service: Arc<dyn Service>,
    store: Arc<dyn CommonStore>,
    clock: Arc<dyn Clock>,
    config: FrameConfig,
    metrics: Metrics,
    counts: RequestCounts,
    relay: Option<Arc<Relay>>,
    taken_over: Option<Epoch>,
}

impl Framed {
    /// Takes over at once where the lease is held already, so that nobody is served before; and decides where the relay
    /// begins before any new event is committed.
    pub async fn open(
        service: Arc<dyn Service>,
        store: Arc<dyn CommonStore>,
        clock: Arc<dyn Clock>,
        config: FrameConfig,
        relay_to: Option<RelayTo>,
    ) -> Result<Self, StoreFault> {
        let taken_over = store.lease().current();
        if let Some(epoch) = taken_over {
            service.take_over(epoch).await.map_err(StoreFault::Unavailable)?;
        }
        let metrics = Metrics::new();
        let mut relay = None;
        if let Some(RelayTo { topics, start }) = relay_to {
            let (name, channels, spacing) = (service.name(), service.channels(), service.spacing());
            let opened =
                Relay::open(name, store.clone(), topics, channels, clock.clone(), start, spacing).await?;
            service.watch_relay(opened.status());
            let figures = RelayMetrics(opened.status());
            metrics.register(|registry| registry.register_collector(Box::new(figures)));
            relay = Some(Arc::new(opened));
        }
        let written = StoreMetrics(store.clone());
        let counts = RequestCounts::new(service.contract().paths.paths.into_keys());
        metrics.register(|registry| {
            registry.register_collector(Box::new(counts.clone()));
            service.register_metrics(registry);
            registry.register_collector(Box::new(written));
        });
        Ok(Self { service, store, clock, config, metrics, counts, relay, taken_over })
    }

    /// The leader of this replica's tasks.
    pub fn leader(&self, stop: Stop) -> Leader {
        let leader = Leader::new(self.clock.clone(), stop);
        let service = self.service.clone();
        leader.follow(service.name(), self.store.lease(), self.taken_over, move |epoch| {
            let service = service.clone();
            async move { service.take_over(epoch).await }
        });
        leader
    }

    /// Every route of the service's address.
    pub fn router(&self, leader: &Leader) -> Front {
        let (log, pages) = self.store.log();
        let layers = Layers {
            admin_token: self.config.admin_token.clone(),
            idempotency: IdempotencyLayer::new(
                self.store.clone(),
                self.clock.clone(),
                self.store.is_shared(),
            ),
        };
        let common = CommonRoutes {
            documents: {
                let service = self.service.clone();
                let (channels, addresses) = (service.channels(), self.config.addresses.clone());
                Documents::new(move || service.contract(), channels, addresses)
            },
            health: self.health(leader),
            feed: EventFeed {
                catch_up: {
                    let store = self.store.clone();
                    Arc::new(move || {
                        let store = store.clone();
                        async move { store.catch_up().await }.boxed()
                    })
                },
                is_shared: self.store.is_shared(),
                log,
                pages,
                channels: self.service.channels(),
                admin_token: self.config.admin_token.clone(),
                has_ended: {
                    let service = self.service.clone();
                    Arc::new(move |subject| service.has_ended(subject))
                },
                clock: self.clock.clone(),
                streams: Arc::new(Semaphore::new(self.config.limits.event_streams)),
                stop: leader.stop(),
            },
            metrics: self.metrics.clone(),
            counts: self.counts.clone(),
            cors: self.config.cors.clone(),
        };
        with_common_routes(self.service.clone().routes(&layers), common)
    }

    /// Starts the service's own tasks and the common ones.
    pub fn start_tasks(&self, leader: &Leader) {
        self.service.clone().start_tasks(leader);
        Cleanup::new(self.store.clone(), self.clock.clone(), self.service.cleanup()).start(leader);
        let unsent = self.relay.as_ref().map(|relay| relay.status());
        Retention::new(self.store.clone(), self.clock.clone(), self.config.retention)
            .behind(unsent)
            .start(leader);
        self.start_relay(leader);
    }

    /// For tests that relay and step everything else by hand.
    pub fn start_relay(&self, leader: &Leader) {
        if let Some(relay) = &self.relay {
            relay.clone().start(leader);
        }
    }

    /// Serves from the first request to the last, then waits for the tasks to end.
    pub async fn serve(self, listener: TcpListener, drain: Duration, stop: Stop) {
        let leader = self.leader(stop.clone());
        self.start_tasks(&leader);
        let limits = Limits { shutdown_timeout: drain, ..self.config.limits };
        serve(listener, self.router(&leader), limits, stop).await;
        leader.finished().await;
    }

    /// The whole is as its worst part is.
    fn health(&self, leader: &Leader) -> HealthCheck {
        let (framed, leader) = (self.clone(), leader.clone());
        Arc::new(move |digest| {
            let (framed, leader) = (framed.clone(), leader.clone());
            async move {
                let ServiceHealth { mut parts, executes_once, lateness } = framed.service.health().await;
                parts.insert("storage".to_owned(), storage(framed.store.check().await));
                parts.extend(framed.relay.map(|relay| ("kafka".to_owned(), relay.status().part())));
                Health {
                    status: parts.values().map(|part| part.status).max().unwrap_or(HealthStatus::Ok),
                    service: framed.service.name().to_owned(),
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    dialect: framed.config.dialect.name().to_owned(),
                    parts,
                    tasks: leader.states(),
                    executes_once,
                    replica: framed.store.replica_state().await,
                    digest: match digest {
                        Digest::Wanted => framed.store.digest().await,
                        Digest::NotWanted => None,
                    },
                    lateness,
                }
            }
            .boxed()
        })
    }
}
