//! What people are shown in the place of ids: names of players and places of planets, as far as the services tell them.
//! Each is asked for once. Where there is no name the end of the id is shown: ids that were made together begin alike.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use starkeep_client::{ClientError, GameClient, MapClient};
use starkeep_contract::events::PublishedEvent;
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

pub(crate) struct Names {
    game: GameClient,
    map: Option<MapClient>,
    /// None: nobody knows the name.
    players: HashMap<PlayerId, Option<String>>,
    places: HashMap<PlanetId, (u16, u16)>,
    asked_worlds: HashSet<WorldId>,
}

impl Names {
    /// Where planets are is told to hosts only while they are played on.
    pub(crate) fn new(urls: &Services, token: Option<&str>) -> Result<Self, ClientError> {
        let game = GameClient::new(&urls.game)?.with_timeout(LONGEST_WAIT);
        // An address that cannot be used is told by those who need it.
        let map = urls.map.as_deref().and_then(|url| MapClient::new(url).ok());
        let map = map.map(|map| map.with_timeout(LONGEST_WAIT));
        let map = map.map(|map| token.map_or_else(|| map.clone(), |token| map.clone().with_token(token)));
        let (players, places, asked_worlds) = (HashMap::new(), HashMap::new(), HashSet::new());
        Ok(Self { game, map, players, places, asked_worlds })
    }

    /// Asks for what is not known yet of the player and the planet that the event names.
    pub(crate) async fn learn(&mut self, event: &PublishedEvent) {
        let payload = &event.payload;
        if let Some(player) = read::<PlayerId>(&payload["playerId"]) {
            self.learn_player(player, payload["name"].as_str()).await;
        }
        if let (Some(_), Some(world)) = (read::<PlanetId>(&payload["planet_id"]), event.about.gameworld_id) {
            self.learn_places(world).await;
        }
    }

    async fn learn_player(&mut self, player: PlayerId, told: Option<&str>) {
        if let Some(name) = told {
            self.players.insert(player, Some(name.to_owned()));
        }
        if self.players.contains_key(&player) {
            return;
        }
        let name = match self.game.get_raw(&format!("/players/{player}")).await {
            Ok(shown) => serde_json::from_str::<PublicPlayer>(shown.get()).ok().map(|player| player.name),
            Err(ClientError::Refused(_)) => None,
            // Another event may find the service back.
            Err(_) => return,
        };
        self.players.insert(player, name);
    }

    async fn learn_places(&mut self, world: WorldId) {
        let Some(map) = self.map.as_ref().filter(|_| !self.asked_worlds.contains(&world)) else { return };
        match map.placed_planets(world).await {
            Ok(planets) => {
                self.places.extend(planets.iter().map(|placed| (placed.planet.id, (placed.x, placed.y))));
            }
            // It is not for us to know.
            Err(ClientError::Refused(_)) => {}
            Err(_) => return,
        }
        self.asked_worlds.insert(world);
    }

    pub(crate) fn player(&self, id: &Value) -> Option<String> {
        let known = self.players.get(&read::<PlayerId>(id)?).cloned().flatten();
        Some(known.unwrap_or(format!("player {}", short(id.as_str()?))))
    }

    pub(crate) fn planet(&self, id: &Value) -> Option<String> {
        Some(match self.places.get(&read::<PlanetId>(id)?) {
            Some((x, y)) => format!("planet {x},{y}"),
            None => format!("planet {}", short(id.as_str()?)),
        })
    }
}

fn read<T: DeserializeOwned>(id: &Value) -> Option<T> {
    serde_json::from_value(id.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_shown_by_its_end_whatever_it_is() {
        assert_eq!(short("01a1ee34-0000-7000-8000-00000000abcd"), "0000abcd");
        for odd in ["", "abc", "\u{fc}\u{fc}\u{fc}\u{fc}\u{fc}"] {
            assert!(odd.ends_with(short(odd)), "{odd}");
        }
    }
}
