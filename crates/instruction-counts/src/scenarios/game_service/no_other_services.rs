//! What stands in for the services beside the game service: every world is made at once, and there is nothing else.

use futures::future::{BoxFuture, FutureExt as _, ready};
use starkeep_contract::events::Publisher;
use starkeep_contract::map::Planet;
use starkeep_contract::robot_service::Robot;
use starkeep_contract::view::ResourcePrices;
use starkeep_game_core::{GameId, MadeWorld, PlayerId, ReplenishmentMode, Retirement, WorldId};
use starkeep_game_service::ports::{
    KnownWorld, LookupFault, Lookups, MapFault, MapGateway, RecordedEvents, RecordedWorld, Records,
    WorldOrder,
};
use uuid::Uuid;

pub(super) struct NoOtherServices;

type Asked<'a, T, F> = BoxFuture<'a, Result<T, F>>;

fn answer<'a, T: Send + 'a, F: Send + 'a>(answer: T) -> Asked<'a, T, F> {
    ready(Ok(answer)).boxed()
}

impl MapGateway for NoOtherServices {
    fn make(&self, order: WorldOrder) -> Asked<'_, MadeWorld, MapFault> {
        answer(MadeWorld { id: order.id, replenishment: ReplenishmentMode::Automatic })
    }

    fn look_up(&self, _: WorldId) -> Asked<'_, Option<KnownWorld>, MapFault> {
        answer(None)
    }

    fn replenish(&self, _: WorldId, _: u32, _: Uuid) -> Asked<'_, (), MapFault> {
        answer(())
    }

    fn probe(&self) -> Asked<'_, (), MapFault> {
        answer(())
    }

    fn fault(&self) -> Option<MapFault> {
        None
    }

    fn retire(&self, _: Retirement) -> Asked<'_, (), MapFault> {
        answer(())
    }
}

impl Lookups for NoOtherServices {
    fn robots(&self, _: GameId, _: PlayerId) -> Asked<'_, Option<Vec<Robot>>, LookupFault> {
        answer(None)
    }

    fn prices(&self, _: GameId) -> Asked<'_, Option<ResourcePrices>, LookupFault> {
        answer(None)
    }

    fn money(&self, _: GameId, _: PlayerId) -> Asked<'_, Option<u64>, LookupFault> {
        answer(None)
    }

    fn planets(&self, _: Vec<Uuid>) -> Asked<'_, Vec<Planet>, LookupFault> {
        answer(Vec::new())
    }
}

impl Records for NoOtherServices {
    fn world(&self, _: WorldId) -> Asked<'_, Option<RecordedWorld>, LookupFault> {
        answer(None)
    }

    fn events<'a>(&'a self, _: Publisher, _: Uuid, _: &'a str) -> Asked<'a, RecordedEvents, LookupFault> {
        answer(RecordedEvents::default())
    }
}
