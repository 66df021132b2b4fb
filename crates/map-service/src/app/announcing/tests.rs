//! Whoever goes on with an announcement, and whatever happens in between: each station once, in slot order.
//! How it goes on after a restart is tested on a file, beside the service's other tests.

use std::sync::Arc;

use futures::FutureExt as _;
use starkeep_contract::Dialect;
use starkeep_contract::events::{Channel, SpacestationCreated};
use starkeep_map_core::{ReplenishmentMode, Style};
use starkeep_platform::blocking::InlineBlocking;
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::ManualClock;
use starkeep_platform::decision::StoreFault;
use starkeep_platform::events::{Filter, From, Reader};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::memory::Memory;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::store::CommonStore;
use uuid::Uuid;

use super::*;
use crate::domain::{LayoutRequest, Overview, WorldRequest};
use crate::metrics::MapMetrics;

struct Replica {
    store: Arc<Memory<Maps>>,
    app: Arc<App>,
}

impl Replica {
    fn new() -> Self {
        Self::on(Memory::new(ReplicaId(Uuid::from_u128(1)), Arc::new(|_| {})))
    }

    fn on(store: Arc<Memory<Maps>>) -> Self {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let (chance, blocking) = (SequentialIds::new(), Arc::new(InlineBlocking));
        let metrics = MapMetrics::default();
        let app = App::new(Dialect::default(), store.clone(), clock, chance, blocking, metrics);
        Self { store, app: Arc::new(app) }
    }

    /// Another one on the same rows, which leads from now on.
    fn take_over(&self) -> Self {
        let other = Self::on(self.store.another(ReplicaId(Uuid::from_u128(2))));
        self.store.take_lease_away();
        other.store.give_lease(Epoch(2));
        other
    }

    /// A world whose request ended after the commit that made it.
    async fn interrupted(&self, players: u32) -> Overview {
        let (made, _lock) = self.app.begin_world(request(players), AnswerRecorder::none()).await.unwrap();
        made
    }

    /// What the task does each time.
    async fn finish_all(&self, epoch: Epoch) -> Outcome<()> {
        for world in self.app.unannounced_worlds() {
            self.app.finish_announcement(epoch, world).await?;
        }
        Ok(())
    }

    /// The stations that were announced, in their order. The world itself was announced before them.
    async fn announced(&self) -> Vec<PlanetId> {
        let (log, pages) = self.store.log();
        let mut reader = Reader::new(log, pages, &From::Start, Filter::default()).await.unwrap();
        let mut events = Vec::new();
        loop {
            let more = reader.take().await.unwrap().events;
            if more.is_empty() {
                break;
            }
            events.extend(more);
        }
        let stations = events.iter().skip(1).map(|event| {
            assert_eq!(event.channel, Channel::SpacestationCreated);
            let payload: SpacestationCreated = serde_json::from_str(&event.payload).unwrap();
            PlanetId(payload.planet_id.0)
        });
        assert_eq!(events[0].channel, Channel::GameworldCreated);
        stations.collect()
    }
}

#[tokio::test]
async fn a_world_for_500_players_is_announced_in_one_commit() {
    for (players, commits) in [(500, 1), (501, 2), (1_001, 3)] {
        let replica = Replica::new();
        let world = replica.app.make_world(request(players), AnswerRecorder::none()).await.unwrap();
        assert_eq!(replica.store.counts().commits, commits, "{players} players");
        assert_eq!(replica.announced().await, world.stations);
        assert_eq!(replica.app.unannounced_worlds(), []);
    }
}

#[tokio::test]
async fn the_leader_finishes_what_a_request_has_left() {
    let replica = Replica::new();
    let world = replica.interrupted(1_200).await;
    assert_eq!(replica.announced().await, world.stations[..1_000]);
    assert_eq!(replica.app.unannounced_worlds(), [world.id]);
    replica.finish_all(Epoch(1)).await.unwrap();
    assert_eq!(replica.announced().await, world.stations);
    let commits = replica.store.counts().commits;
    replica.finish_all(Epoch(1)).await.unwrap();
    assert_eq!(replica.store.counts().commits, commits, "nothing is left");
}

#[tokio::test]
async fn after_the_lease_has_passed_on_only_the_new_leader_goes_on() {
    let first = Replica::new();
    let world = first.interrupted(1_200).await;
    let second = first.take_over();
    let refused = first.finish_all(Epoch(1)).await.unwrap_err();
    let Failure::Store(fault) = refused else { panic!("{refused:?}") };
    assert!(fault.to_string().contains("the lease of epoch 1 has passed on"), "{fault}");
    assert_eq!(first.announced().await, world.stations[..1_000]);
    second.finish_all(Epoch(2)).await.unwrap();
    assert_eq!(second.announced().await, world.stations);
}

#[tokio::test]
async fn a_request_and_the_leader_of_another_replica_do_not_repeat_each_other() {
    let first = Replica::new();
    let world = first.interrupted(3_000).await;
    let second = first.take_over();
    for _ in 0..3 {
        // Each announces the next stations, in turns.
        first.app.apply(announce(world.id, 1, Timestamp::UNIX_EPOCH)).await.unwrap();
        let fenced = announce(world.id, 2, Timestamp::UNIX_EPOCH).fenced_by(Epoch(2));
        second.app.apply(fenced).await.unwrap_or(());
    }
    assert_eq!(first.announced().await, world.stations);
}

#[tokio::test]
async fn a_world_that_is_withdrawn_or_ends_is_not_announced_any_further() {
    for is_withdrawn in [true, false] {
        let replica = Replica::new();
        let world = replica.interrupted(1_200).await;
        if is_withdrawn {
            replica.app.withdraw_world(world.id).await.unwrap();
        } else {
            replica.app.deactivate_world(world.id, false).await.unwrap();
        }
        assert_eq!(replica.app.unannounced_worlds(), []);
        replica.app.announce_stations(None, world.id).await.unwrap();
        replica.finish_all(Epoch(1)).await.unwrap();
        assert_eq!(replica.announced().await, world.stations[..1_000]);
    }
}

#[tokio::test]
async fn a_storage_that_fails_in_between_leaves_the_rest_to_the_leader() {
    let replica = Replica::new();
    let world = replica.interrupted(1_200).await;
    replica.store.fail_next(StoreFault::Unavailable("full".to_owned()));
    assert!(replica.app.announce_stations(None, world.id).await.is_err());
    assert_eq!(replica.announced().await, world.stations[..1_000]);
    replica.finish_all(Epoch(1)).await.unwrap();
    assert_eq!(replica.announced().await, world.stations);
}

#[tokio::test]
async fn the_leader_waits_for_a_request_that_is_under_way() {
    let replica = Replica::new();
    let (world, lock) = replica.app.begin_world(request(1_200), AnswerRecorder::none()).await.unwrap();
    let mut step = Box::pin(replica.finish_all(Epoch(1)));
    assert!((&mut step).now_or_never().is_none());
    assert_eq!(replica.announced().await, world.stations[..1_000]);
    drop(lock);
    step.await.unwrap();
    assert_eq!(replica.announced().await, world.stations);
}

fn request(players: u32) -> WorldRequest {
    WorldRequest {
        id: None,
        player_amount: players,
        round_amount: None,
        seed: Some(1),
        nonce: None,
        replenishment: ReplenishmentMode::Automatic,
        layout: LayoutRequest::Generated(Style::Wild),
    }
}
