//! The services beside a game service: a map that makes every world, executors that take every batch, and others with nothing to
//! tell.

use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{self, StreamExt as _};
use starkeep_contract::events::Publisher;
use starkeep_contract::map::Planet;
use starkeep_contract::robot_service::Robot;
use starkeep_contract::view::ResourcePrices;
use starkeep_game_core::{GameId, MadeWorld, PlayerId, ReplenishmentMode, Retirement, RobotId, WorldId};
use starkeep_game_service::ports::{
    Batch, BatchFault, Executor, ExecutorHealth, FoundRobot, KnownWorld, LookupFault, Lookups, MapFault,
    MapGateway, RecordedEvents, RecordedWorld, Records, RobotDirectory, Taken, WorldOrder,
};
use uuid::Uuid;

/// The one world that the map has without having been asked for it.
pub(crate) const GIVEN_WORLD: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0006);

const MODE: ReplenishmentMode = ReplenishmentMode::OnRequest;

pub(crate) struct WillingMap;

impl MapGateway for WillingMap {
    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<MadeWorld, MapFault>> {
        ready(Ok(MadeWorld { id: order.id, replenishment: MODE })).boxed()
    }

    fn look_up(&self, world: WorldId) -> BoxFuture<'_, Result<Option<KnownWorld>, MapFault>> {
        let known = KnownWorld { is_active: true, replenishment: MODE };
        ready(Ok((world.0 == GIVEN_WORLD).then_some(known))).boxed()
    }

    fn replenish(&self, _: WorldId, _: u32, _: Uuid) -> BoxFuture<'_, Result<(), MapFault>> {
        ready(Ok(())).boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), MapFault>> {
        ready(Ok(())).boxed()
    }

    fn fault(&self) -> Option<MapFault> {
        None
    }

    fn retire(&self, _: Retirement) -> BoxFuture<'_, Result<(), MapFault>> {
        ready(Ok(())).boxed()
    }
}

pub(super) struct WillingExecutor;

impl Executor for WillingExecutor {
    fn take<'a>(&'a self, _: &'a Batch, _: Duration) -> BoxFuture<'a, Result<Taken, BatchFault>> {
        ready(Ok(Taken::default())).boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<ExecutorHealth, String>> {
        ready(Ok(ExecutorHealth::default())).boxed()
    }
}

/// Knows no robot, no money, no planet and no event.
pub(super) struct Nobody;

impl RobotDirectory for Nobody {
    fn find(&self, _: RobotId) -> BoxFuture<'_, Result<Option<FoundRobot>, String>> {
        ready(Ok(None)).boxed()
    }
}

impl Lookups for Nobody {
    fn robots(&self, _: GameId, _: PlayerId) -> BoxFuture<'_, Result<Option<Vec<Robot>>, LookupFault>> {
        ready(Ok(Some(Vec::new()))).boxed()
    }

    fn prices(&self, _: GameId) -> BoxFuture<'_, Result<Option<ResourcePrices>, LookupFault>> {
        ready(Ok(None)).boxed()
    }

    fn money(&self, _: GameId, _: PlayerId) -> BoxFuture<'_, Result<Option<u64>, LookupFault>> {
        ready(Ok(None)).boxed()
    }

    fn planets(&self, _: Vec<Uuid>) -> BoxFuture<'_, Result<Vec<Planet>, LookupFault>> {
        ready(Ok(Vec::new())).boxed()
    }
}

impl Records for Nobody {
    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<RecordedWorld>, LookupFault>> {
        let planets = stream::iter([Ok("[]".into())]).boxed();
        ready(Ok(Some(RecordedWorld { gameworld: format!(r#"{{"id":"{world}"}}"#), planets }))).boxed()
    }

    fn events<'a>(
        &'a self,
        _: Publisher,
        _: Uuid,
        _: &'a str,
    ) -> BoxFuture<'a, Result<RecordedEvents, LookupFault>> {
        ready(Ok(RecordedEvents::default())).boxed()
    }
}
