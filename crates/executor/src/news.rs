//! What the game service's and the map service's events tell an executor. Events that tell it nothing are left out.

use serde::de::DeserializeOwned;
use starkeep_contract::events::{
    Channel, GameStatusChanged, GameStatusWord, GameworldCreated, PublishedEvent, RoundStatusChanged,
};
use starkeep_contract::game_roster::{GameRosterChange, GameRosterChanged};
use starkeep_core_types::{GameId, PlanetId, PlayerId, WorldId};
use uuid::Uuid;

use crate::round_state::RoundState;

/// What an executor follows of the game service.
pub const GAME_CHANNELS: [&str; 3] = ["status", "gameRoster", "roundStatus"];

/// What an executor follows of the map service.
pub const MAP_CHANNELS: [&str; 1] = ["gameworld-created"];

/// What happened to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEvent {
    pub game: GameId,
    pub news: GameNews,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameNews {
    Created,
    /// With the transaction of the join.
    Joined {
        player: PlayerId,
        money: u64,
        transaction: Option<Uuid>,
    },
    Left {
        player: PlayerId,
    },
    Started {
        world: WorldId,
    },
    Ended,
    Deleted,
    Round {
        number: u32,
        state: RoundState,
    },
}

impl GameEvent {
    /// `None` where the event tells nothing that is not told by another one.
    pub fn read(event: &PublishedEvent) -> Result<Option<Self>, serde_json::Error> {
        Ok(match event.channel {
            Channel::Status => {
                let status: GameStatusChanged = payload(event)?;
                let game = GameId(status.game_id.0);
                // Logs from before there was a roster tell the end only here. A start needs the roster: it names the world.
                let news = match status.status {
                    GameStatusWord::Created => Some(GameNews::Created),
                    GameStatusWord::Started => None,
                    GameStatusWord::Ended => Some(GameNews::Ended),
                };
                news.map(|news| Self { game, news })
            }
            Channel::RoundStatus => {
                let round: RoundStatusChanged = payload(event)?;
                let state = RoundState::from(round.round_status);
                let news = GameNews::Round { number: round.round_number, state };
                Some(Self { game: GameId(round.game_id.0), news })
            }
            Channel::GameRoster => {
                let roster: GameRosterChanged = payload(event)?;
                let player = roster.player_id.map(|player| PlayerId(player.0));
                let news = match (roster.change, player, roster.gameworld_id) {
                    (GameRosterChange::Joined, Some(player), _) => Some(GameNews::Joined {
                        player,
                        money: roster.start_money.unwrap_or_default(),
                        transaction: event.headers.transaction_id.parse().ok(),
                    }),
                    (GameRosterChange::Left, Some(player), _) => Some(GameNews::Left { player }),
                    (GameRosterChange::Started, _, Some(world)) => {
                        Some(GameNews::Started { world: WorldId(world.0) })
                    }
                    (GameRosterChange::Ended, ..) => Some(GameNews::Ended),
                    (GameRosterChange::Deleted, ..) => Some(GameNews::Deleted),
                    _ => None,
                };
                news.map(|news| Self { game: GameId(roster.game_id.0), news })
            }
            _ => None,
        })
    }
}

/// A gameworld was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldEvent {
    pub world: WorldId,
    /// In the order in which the map tells of them, which does not depend on their ids.
    pub stations: Vec<PlanetId>,
}

impl WorldEvent {
    pub fn read(event: &PublishedEvent) -> Result<Option<Self>, serde_json::Error> {
        if event.channel != Channel::GameworldCreated {
            return Ok(None);
        }
        let created: GameworldCreated = payload(event)?;
        let stations = created.spacestation_ids.into_iter().map(|planet| PlanetId(planet.0)).collect();
        Ok(Some(Self { world: WorldId(created.id.0), stations }))
    }
}

fn payload<T: DeserializeOwned>(event: &PublishedEvent) -> Result<T, serde_json::Error> {
    T::deserialize(&event.payload)
}

#[cfg(test)]
mod tests {
    use starkeep_contract::events::{EventAbout, EventHeaders};

    use super::*;

    /// Logs from before there was a roster have nothing else.
    #[test]
    fn a_status_tells_the_beginning_and_the_end() {
        let game = Uuid::from_u128(7);
        for (status, news) in
            [("created", Some(GameNews::Created)), ("started", None), ("ended", Some(GameNews::Ended))]
        {
            let event = PublishedEvent {
                id: String::new(),
                channel: Channel::Status,
                headers: EventHeaders {
                    event_id: Uuid::nil(),
                    transaction_id: String::new(),
                    version: "1".to_owned(),
                    timestamp: String::new(),
                    r#type: String::new(),
                },
                payload: serde_json::json!({"gameId": game, "status": status}),
                about: EventAbout::default(),
            };
            let expected = news.map(|news| GameEvent { game: GameId(game), news });
            assert_eq!(GameEvent::read(&event).unwrap(), expected, "{status}");
        }
    }
}
