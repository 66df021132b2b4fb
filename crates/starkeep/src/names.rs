//! What people are shown in the place of ids: names of players and places of planets, as far as the services tell them.
//! Where there is no name the end of the id is shown: ids that were made together begin alike.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use starkeep_client::{ClientError, GameClient, MapClient};
use starkeep_contract::events::PublishedEvent;
use starkeep_contract::map::PlacedPlanet;
use starkeep_contract::player::PublicPlayer;
use starkeep_contract::services::Services;
use starkeep_contract::{PlanetId, PlayerId, WorldId};

/// A line without a name is better than one that comes late.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const SHOWN: usize = 8;

/// Enough of an id to tell it from others.
pub(crate) fn short(id: &str) -> &str {
    id.get(id.len().saturating_sub(SHOWN)..).unwrap_or(id)
}

/// An id in a payload, if it is one.
pub(crate) fn id<T: DeserializeOwned>(id: &Value) -> Option<T> {
    serde_json::from_value(id.clone()).ok()
}

/// What was told.
#[derive(Default)]
pub(crate) struct Names {
    players: HashMap<PlayerId, String>,
    places: HashMap<PlanetId, (u16, u16)>,
}

impl Names {
    pub(crate) fn learn_player(&mut self, player: PlayerId, name: &str) {
        self.players.insert(player, name.to_owned());
    }

    pub(crate) fn learn_places(&mut self, planets: &[PlacedPlanet]) {
        self.places.extend(planets.iter().map(|placed| (placed.planet.id, (placed.x, placed.y))));
    }

    pub(crate) fn player(&self, id: PlayerId) -> String {
        let known = self.players.get(&id).cloned();
        known.unwrap_or_else(|| format!("player {}", short(&id.to_string())))
    }

    pub(crate) fn planet(&self, id: PlanetId) -> String {
        match self.places.get(&id) {
            Some((x, y)) => format!("planet {x},{y}"),
            None => format!("planet {}", short(&id.to_string())),
        }
    }
}

/// Asks the services for each name once.
pub(crate) struct AskedNames {
    pub(crate) names: Names,
    game: GameClient,
    map: Option<MapClient>,
    nameless: HashSet<PlayerId>,
    asked_worlds: HashSet<WorldId>,
}

impl AskedNames {
    /// Where planets are is told to hosts only while they are played on.
    pub(crate) fn new(urls: &Services, token: Option<&str>) -> Result<Self, ClientError> {
        let game = GameClient::new(&urls.game)?.with_timeout(LONGEST_WAIT);
        // An address that cannot be used is told by those who need it.
        let map = urls.map.as_deref().and_then(|url| MapClient::new(url).ok());
        let map = map.map(|map| map.with_timeout(LONGEST_WAIT));
        let map = map.map(|map| token.map_or_else(|| map.clone(), |token| map.clone().with_token(token)));
        let (nameless, asked_worlds) = (HashSet::new(), HashSet::new());
        Ok(Self { names: Names::default(), game, map, nameless, asked_worlds })
    }

    /// Asks for what is not known yet of the player and the planet that the event names.
    pub(crate) async fn learn(&mut self, event: &PublishedEvent) {
        let payload = &event.payload;
        if let Some(player) = id(&payload["playerId"]) {
            self.learn_player(player, payload["name"].as_str()).await;
        }
        if let (Some(_), Some(world)) = (id::<PlanetId>(&payload["planet_id"]), event.about.gameworld_id) {
            self.learn_places(world).await;
        }
    }

    async fn learn_player(&mut self, player: PlayerId, told: Option<&str>) {
        if let Some(name) = told {
            self.names.learn_player(player, name);
        }
        if self.names.players.contains_key(&player) || self.nameless.contains(&player) {
            return;
        }
        let shown = self.game.get_raw(&format!("/players/{player}")).await;
        let shown = shown.map(|shown| serde_json::from_str::<PublicPlayer>(shown.get()));
        match shown {
            Ok(Ok(shown)) => self.names.learn_player(player, &shown.name),
            // Another event may find the service back.
            Err(fault) if fault.is_transient() => {}
            Ok(Err(_)) | Err(_) => _ = self.nameless.insert(player),
        }
    }

    async fn learn_places(&mut self, world: WorldId) {
        let Some(map) = self.map.as_ref().filter(|_| !self.asked_worlds.contains(&world)) else { return };
        match map.placed_planets(world).await {
            Ok(planets) => self.names.learn_places(&planets),
            Err(fault) if fault.is_transient() => return,
            // It is not for us to know.
            Err(_) => {}
        }
        self.asked_worlds.insert(world);
    }
}

#[cfg(test)]
mod tests {
    use axum::Json;
    use axum::response::IntoResponse as _;
    use http::StatusCode;
    use serde_json::json;
    use starkeep_contract::{Code, Problem};
    use starkeep_test_http::FakeServer;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_id_is_shown_by_its_end_whatever_it_is() {
        assert_eq!(short("01a1ee34-0000-7000-8000-00000000abcd"), "0000abcd");
        for odd in ["", "abc", "\u{fc}\u{fc}\u{fc}\u{fc}\u{fc}"] {
            assert!(odd.ends_with(short(odd)), "{odd}");
        }
    }

    #[tokio::test]
    async fn a_refusal_is_kept_unless_it_may_pass() {
        let id = Uuid::from_u128(1);
        let headers = json!({ "eventId": id, "transactionId": "", "version": "1",
            "timestamp": "2026-01-02T03:04:05Z", "type": "x" });
        let event = json!({ "id": "p-1", "channel": "resource-mined", "headers": headers,
            "payload": { "playerId": id, "planet_id": id }, "about": { "gameworldId": id } });
        let event: PublishedEvent = serde_json::from_value(event).unwrap();
        for (code, times) in [
            (Code::StorageUnavailable, 2),
            (Code::TooManyGuesses, 2),
            (Code::RequestTimeout, 2),
            (Code::UnknownPlayer, 1),
            (Code::Unauthorized, 1),
        ] {
            let server = FakeServer::start(move |_| {
                let problem = Problem::new(code, "");
                (StatusCode::from_u16(problem.status).unwrap(), Json(problem)).into_response()
            })
            .await;
            let url = format!("http://{}", server.address());
            let urls = Services { game: url.clone(), map: Some(url), robot: None, trading: None };
            let mut names = AskedNames::new(&urls, None).unwrap();
            for _ in 0..2 {
                names.learn(&event).await;
            }
            for path in [format!("/players/{id}"), format!("/gameworlds/{id}/planets")] {
                assert_eq!(server.requests_at(&path).len(), times, "{code:?}: {path}");
            }
        }
    }
}
