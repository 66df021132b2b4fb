//! What the map, robot and trading services show of a player's game right now, over HTTP. Nothing of it is kept.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::de::DeserializeOwned;
use starkeep_contract::map::Planet;
use starkeep_contract::robot_service::Robot;
use starkeep_contract::trading_service::{Balance, Price};
use starkeep_contract::view::ResourcePrices;
use starkeep_game_core::{GameId, PlayerId};
use starkeep_http_client::{Call, Caller};
use starkeep_platform::clock::Clock;
use uuid::Uuid;

use super::service_callers::{ExecutorCaller, ServiceCallers};
use crate::ports::{LookupFault, Lookups};

/// A player waits for the answer, within a round.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// A robot takes less than a kilobyte, and a player may have thousands.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;

/// So many planets are asked for at the same time.
const PLANETS_AT_ONCE: usize = 16;

pub struct HttpLookups(ServiceCallers);

impl HttpLookups {
    pub fn new(callers: &ServiceCallers, clock: &Arc<dyn Clock>) -> Self {
        Self(callers.with_timeout(clock, LONGEST_WAIT))
    }
}

impl Lookups for HttpLookups {
    fn robots(
        &self,
        game: GameId,
        player: PlayerId,
    ) -> BoxFuture<'_, Result<Option<Vec<Robot>>, LookupFault>> {
        let path = format!("/robots?player-id={player}&game-id={game}");
        async move { ask(self.0.robot.as_ref().map(ExecutorCaller::caller), "robot", path).await }.boxed()
    }

    fn prices(&self, game: GameId) -> BoxFuture<'_, Result<Option<ResourcePrices>, LookupFault>> {
        let path = format!("/resources?gameId={game}");
        async move {
            let prices: Option<Vec<Price>> =
                ask(self.0.trading.as_ref().map(ExecutorCaller::caller), "trading", path).await?;
            Ok(prices.map(|prices| {
                let of = |name: &str| {
                    prices.iter().find(|price| price.name == name).map_or(0, |price| price.price)
                };
                ResourcePrices {
                    coal: of("coal"),
                    iron: of("iron"),
                    gem: of("gem"),
                    gold: of("gold"),
                    platin: of("platin"),
                }
            }))
        }
        .boxed()
    }

    fn money(&self, game: GameId, player: PlayerId) -> BoxFuture<'_, Result<Option<u64>, LookupFault>> {
        let path = format!("/balances?gameId={game}");
        async move {
            let balances: Option<Vec<Balance>> =
                ask(self.0.trading.as_ref().map(ExecutorCaller::caller), "trading", path).await?;
            let balances = balances.into_iter().flatten();
            Ok(balances
                .into_iter()
                .find(|balance| balance.player_id.0 == player.0)
                .map(|found| found.balance))
        }
        .boxed()
    }

    fn planets(&self, ids: Vec<Uuid>) -> BoxFuture<'_, Result<Vec<Planet>, LookupFault>> {
        let asked =
            stream::iter(ids).map(|id| ask(Some(self.0.map.clone()), "map", format!("/planets/{id}")));
        let planets = asked.buffered(PLANETS_AT_ONCE).try_collect::<Vec<Option<Planet>>>();
        planets.map(|planets| Ok(planets?.into_iter().flatten().collect())).boxed()
    }
}

/// None where there is no such service.
async fn ask<T: DeserializeOwned>(
    caller: Option<Caller>,
    service: &'static str,
    path: String,
) -> Result<Option<T>, LookupFault> {
    let Some(caller) = caller else { return Ok(None) };
    let fault = |reason: String| LookupFault { service, reason };
    let answer = caller.send(&Call::get(path).largest_answer(LARGEST_ANSWER)).await;
    let answer = answer.map_err(|failure| fault(failure.to_string()))?;
    answer.json().map(Some).map_err(|failure| fault(failure.to_string()))
}
