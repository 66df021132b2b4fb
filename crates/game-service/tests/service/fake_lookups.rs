//! Robot, trading and map services that are asked for what a player sees, in memory: each tells what a test has set, or fails.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, FutureExt as _, ready};
use starkeep_contract::map::Planet;
use starkeep_contract::robot_service::Robot;
use starkeep_contract::view::ResourcePrices;
use starkeep_game_core::{GameId, PlayerId};
use starkeep_game_service::ports::{LookupFault, Lookups, SeenByPlayer};
use uuid::Uuid;

pub(crate) struct FakeLookups {
    tells: Mutex<Result<SeenByPlayer, LookupFault>>,
    asked: Mutex<Vec<Uuid>>,
}

impl FakeLookups {
    /// There is no such service.
    pub(crate) fn new() -> Arc<Self> {
        let nothing = SeenByPlayer { money: None, prices: None, robots: None, planets: None };
        Arc::new(Self { tells: Mutex::new(Ok(nothing)), asked: Mutex::default() })
    }

    pub(crate) fn tells(&self, tells: Result<SeenByPlayer, LookupFault>) {
        *self.tells.lock().unwrap_or_else(PoisonError::into_inner) = tells;
    }

    /// The planets that it was asked for last.
    pub(crate) fn asked_planets(&self) -> Vec<Uuid> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn told<T: Send + 'static>(
        &self,
        part: impl FnOnce(SeenByPlayer) -> T,
    ) -> BoxFuture<'_, Result<T, LookupFault>> {
        ready(self.tells.lock().unwrap_or_else(PoisonError::into_inner).clone().map(part)).boxed()
    }
}

impl Lookups for FakeLookups {
    fn robots(&self, _: GameId, _: PlayerId) -> BoxFuture<'_, Result<Option<Vec<Robot>>, LookupFault>> {
        self.told(|seen| seen.robots)
    }

    fn prices(&self, _: GameId) -> BoxFuture<'_, Result<Option<ResourcePrices>, LookupFault>> {
        self.told(|seen| seen.prices)
    }

    fn money(&self, _: GameId, _: PlayerId) -> BoxFuture<'_, Result<Option<u64>, LookupFault>> {
        self.told(|seen| seen.money)
    }

    fn planets(&self, ids: Vec<Uuid>) -> BoxFuture<'_, Result<Vec<Planet>, LookupFault>> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = ids;
        self.told(|seen| seen.planets.unwrap_or_default())
    }
}
