//! A player's view of its game: put together from what the other services tell right now.

use starkeep_game_core::{GameId, PlayerId};

use super::App;
use crate::ports::{LookupFault, SeenByPlayer};

impl App {
    pub async fn seen_by(&self, game: GameId, player: PlayerId) -> Result<SeenByPlayer, LookupFault> {
        let lookups = &*self.other_services.lookups;
        let (robots, prices, money) = tokio::try_join!(
            lookups.robots(game, player),
            lookups.prices(game),
            lookups.money(game, player)
        )?;
        let planets = match &robots {
            None => None,
            Some(robots) => {
                let mut standing: Vec<_> = robots.iter().map(|robot| robot.planet.0).collect();
                standing.sort_unstable();
                standing.dedup();
                Some(lookups.planets(standing).await?)
            }
        };
        Ok(SeenByPlayer { money, prices, robots, planets })
    }
}
