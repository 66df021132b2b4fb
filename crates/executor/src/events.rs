//! The events of the game and map services that an executor needs, in its own terms. Other events are left out.

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
    pub change: GameChange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameChange {
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
    /// `None` where another event says the same and more.
    pub fn read(event: &PublishedEvent) -> Result<Option<Self>, serde_json::Error> {
        Ok(match event.channel {
            Channel::Status => {
                let status: GameStatusChanged = payload(event)?;
                let game = GameId(status.game_id.0);
                // Logs from before there was a roster have the end only here. A start needs the roster: it names the world.
                let change = match status.status {
                    GameStatusWord::Created => Some(GameChange::Created),
                    GameStatusWord::Started => None,
                    GameStatusWord::Ended => Some(GameChange::Ended),
                };
                change.map(|change| Self { game, change })
            }
            Channel::RoundStatus => {
                let round: RoundStatusChanged = payload(event)?;
                let state = RoundState::from(round.round_status);
                let change = GameChange::Round { number: round.round_number, state };
                Some(Self { game: GameId(round.game_id.0), change })
            }
            Channel::GameRoster => {
                let roster: GameRosterChanged = payload(event)?;
                let player = roster.player_id.map(|player| PlayerId(player.0));
                let change = match (roster.change, player, roster.gameworld_id) {
                    (GameRosterChange::Joined, Some(player), _) => Some(GameChange::Joined {
                        player,
                        money: roster.start_money.unwrap_or_default(),
                        transaction: event.headers.transaction_id.parse().ok(),
                    }),
                    (GameRosterChange::Left, Some(player), _) => Some(GameChange::Left { player }),
                    (GameRosterChange::Started, _, Some(world)) => {
                        Some(GameChange::Started { world: WorldId(world.0) })
                    }
                    (GameRosterChange::Ended, ..) => Some(GameChange::Ended),
                    (GameRosterChange::Deleted, ..) => Some(GameChange::Deleted),
                    _ => None,
                };
                change.map(|change| Self { game: GameId(roster.game_id.0), change })
            }
            _ => None,
        })
    }
}

/// A gameworld was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldEvent {
    pub world: WorldId,
    /// In the order in which the map lists them, which does not depend on their ids.
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
    fn a_status_says_the_beginning_and_the_end() {
        let game = Uuid::from_u128(7);
        for (status, change) in
            [("created", Some(GameChange::Created)), ("started", None), ("ended", Some(GameChange::Ended))]
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
            let expected = change.map(|change| GameEvent { game: GameId(game), change });
            assert_eq!(GameEvent::read(&event).unwrap(), expected, "{status}");
        }
    }
}
