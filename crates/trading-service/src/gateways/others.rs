//! The game and map services, asked for what their streams did not bring.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};
use serde::Deserialize;
use starkeep_contract::PlanetId as WirePlanetId;
use starkeep_executor::WorldEvent;
use starkeep_http_client::{Call, Caller, Connections, ServiceUrl, Timeout, Token};
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_trading_core::{PlanetId, WorldId};

use crate::ports::Others;

/// Both read from memory.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A gameworld of 10,000 players has 20,000 stations.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;

/// All games with all their players, and the ids of those that have ended.
const LARGEST_ROSTERS: usize = 64 * 1024 * 1024;

pub(crate) struct HttpOthers {
    game: Caller,
    map: Caller,
}

impl HttpOthers {
    /// Each with the token that it is shown.
    pub(crate) fn new(
        game: (ServiceUrl, &AdminToken),
        map: (ServiceUrl, &AdminToken),
        clock: &Arc<dyn Clock>,
    ) -> Self {
        let caller = |(url, token): (ServiceUrl, &AdminToken)| {
            Caller::new(url, Connections::Pooled)
                .with_token(token.secret().map(Token::new))
                .with_timeout(Timeout { clock: clock.clone(), after: TIMEOUT })
        };
        Self { game: caller(game), map: caller(map) }
    }
}

impl Others for HttpOthers {
    fn game_position(&self) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move {
            let call = Call::get("/events?after=end&limit=1")
                .header(header::ACCEPT, HeaderValue::from_static("application/json"))
                .largest_answer(LARGEST_ANSWER);
            let page = self.game.send(&call).await.and_then(|answer| answer.json::<Page>());
            page.map(|page| page.next).map_err(|failure| {
                format!("the end of the log could not be asked for at {}: {failure}", self.game.url())
            })
        })
    }

    fn rosters(&self) -> BoxFuture<'_, Result<Vec<u8>, String>> {
        Box::pin(async move {
            let answer = self.game.send(&Call::get("/rosters").largest_answer(LARGEST_ROSTERS)).await;
            answer.map(|answer| answer.body.to_vec()).map_err(|failure| {
                format!("the games could not be asked for at {}: {failure}", self.game.url())
            })
        })
    }

    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<WorldEvent>, String>> {
        Box::pin(async move {
            let call = Call::get(format!("/gameworlds/{world}")).largest_answer(LARGEST_ANSWER);
            let fault = |reason: String| {
                format!("gameworld {world} could not be asked for at {}: {reason}", self.map.url())
            };
            let answer = self.map.exchange(&call).await.map_err(|failure| fault(failure.to_string()))?;
            if answer.status == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            let answer = answer.into_success().map_err(|failure| fault(failure.to_string()))?;
            let shown: Stations = answer.json().map_err(|failure| fault(failure.to_string()))?;
            let stations = shown.spacestation_ids.into_iter().map(|planet| PlanetId(planet.0)).collect();
            Ok(Some(WorldEvent { world, stations }))
        })
    }
}

/// All that is needed of a gameworld; other maps may tell less of it than ours.
#[derive(Deserialize)]
struct Stations {
    spacestation_ids: Vec<WirePlanetId>,
}

/// All that is needed of a page of events.
#[derive(Deserialize)]
struct Page {
    next: String,
}
