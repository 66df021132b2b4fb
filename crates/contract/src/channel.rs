//! The channels: where each kind of event is published. A channel is also the Kafka topic of its name.
//! Existing consumers know the names and types of all but `gameClock`, `gameRoster` and `scores`, which are our own.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::trading_events::TradeKind;

/// Where an event is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub enum Channel {
    #[serde(rename = "status")]
    Status,
    #[serde(rename = "playerStatus")]
    PlayerStatus,
    #[serde(rename = "roundStatus")]
    RoundStatus,
    #[serde(rename = "gameClock")]
    GameClock,
    #[serde(rename = "gameRoster")]
    GameRoster,
    #[serde(rename = "scores")]
    Scores,
    #[serde(rename = "gameworld-created")]
    GameworldCreated,
    #[serde(rename = "spacestation-created")]
    SpacestationCreated,
    #[serde(rename = "resource-mined")]
    ResourceMined,
    #[serde(rename = "resource-replenished")]
    ResourceReplenished,
    #[serde(rename = "spawn-notification")]
    SpawnNotification,
    #[serde(rename = "neighbours")]
    Neighbours,
    #[serde(rename = "movement")]
    Movement,
    #[serde(rename = "mining")]
    Mining,
    #[serde(rename = "regeneration")]
    Regeneration,
    #[serde(rename = "fighting")]
    Fighting,
    #[serde(rename = "robot-destroyed")]
    RobotDestroyed,
    #[serde(rename = "resource-distribution")]
    ResourceDistribution,
    #[serde(rename = "bank-created")]
    BankCreated,
    #[serde(rename = "trades")]
    Trades,
    #[serde(rename = "current-item-prices")]
    CurrentItemPrices,
    #[serde(rename = "current-resource-prices")]
    CurrentResourcePrices,
}

/// The service that publishes a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Publisher {
    Game,
    Map,
    Robot,
    Trading,
}

impl Publisher {
    pub fn name(self) -> &'static str {
        match self {
            Self::Game => "game",
            Self::Map => "map",
            Self::Robot => "robot",
            Self::Trading => "trading",
        }
    }
}

impl Channel {
    pub const ALL: [Self; 22] = [
        Self::Status,
        Self::PlayerStatus,
        Self::RoundStatus,
        Self::GameClock,
        Self::GameRoster,
        Self::Scores,
        Self::GameworldCreated,
        Self::SpacestationCreated,
        Self::ResourceMined,
        Self::ResourceReplenished,
        Self::SpawnNotification,
        Self::Neighbours,
        Self::Movement,
        Self::Mining,
        Self::Regeneration,
        Self::Fighting,
        Self::RobotDestroyed,
        Self::ResourceDistribution,
        Self::BankCreated,
        Self::Trades,
        Self::CurrentItemPrices,
        Self::CurrentResourcePrices,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::PlayerStatus => "playerStatus",
            Self::RoundStatus => "roundStatus",
            Self::GameClock => "gameClock",
            Self::GameRoster => "gameRoster",
            Self::Scores => "scores",
            Self::GameworldCreated => "gameworld-created",
            Self::SpacestationCreated => "spacestation-created",
            Self::ResourceMined => "resource-mined",
            Self::ResourceReplenished => "resource-replenished",
            Self::SpawnNotification => "spawn-notification",
            Self::Neighbours => "neighbours",
            Self::Movement => "movement",
            Self::Mining => "mining",
            Self::Regeneration => "regeneration",
            Self::Fighting => "fighting",
            Self::RobotDestroyed => "robot-destroyed",
            Self::ResourceDistribution => "resource-distribution",
            Self::BankCreated => "bank-created",
            Self::Trades => "trades",
            Self::CurrentItemPrices => "current-item-prices",
            Self::CurrentResourcePrices => "current-resource-prices",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.name() == name)
    }

    /// The `type` header of its events, where all have the same; of `trades` it says what kind of trade it was.
    pub fn event_type(self) -> EventType {
        EventType(match self {
            Self::Status => "game-status",
            Self::PlayerStatus => "player-status",
            Self::RoundStatus => "round-status",
            other => other.name(),
        })
    }

    pub fn publisher(self) -> Publisher {
        match self {
            Self::Status
            | Self::PlayerStatus
            | Self::RoundStatus
            | Self::GameClock
            | Self::GameRoster
            | Self::Scores => Publisher::Game,
            Self::GameworldCreated
            | Self::SpacestationCreated
            | Self::ResourceMined
            | Self::ResourceReplenished => Publisher::Map,
            Self::SpawnNotification
            | Self::Neighbours
            | Self::Movement
            | Self::Mining
            | Self::Regeneration
            | Self::Fighting
            | Self::RobotDestroyed
            | Self::ResourceDistribution => Publisher::Robot,
            Self::BankCreated | Self::Trades | Self::CurrentItemPrices | Self::CurrentResourcePrices => {
                Publisher::Trading
            }
        }
    }

    /// The channels of one service, in the order of `ALL`.
    pub fn of(publisher: Publisher) -> Vec<Self> {
        Self::ALL.into_iter().filter(|channel| channel.publisher() == publisher).collect()
    }
}

/// The `type` header of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventType(&'static str);

impl EventType {
    pub fn name(self) -> &'static str {
        self.0
    }

    /// As a log has kept it.
    pub fn from_name(channel: Channel, name: &str) -> Option<Self> {
        let trades = TradeKind::ALL.into_iter().map(Self::from).filter(|_| channel == Channel::Trades);
        trades.chain([channel.event_type()]).find(|kind| kind.0 == name)
    }
}

impl From<TradeKind> for EventType {
    fn from(kind: TradeKind) -> Self {
        Self(kind.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_wire_are_the_names_here() {
        for channel in Channel::ALL {
            assert_eq!(serde_json::to_value(channel).unwrap(), channel.name());
            assert_eq!(Channel::from_name(channel.name()), Some(channel));
        }
    }

    #[test]
    fn a_type_is_read_only_for_the_channel_that_has_it() {
        let sale = EventType::from(TradeKind::SellResource);
        assert_eq!(EventType::from_name(Channel::Trades, sale.name()), Some(sale));
        assert_eq!(EventType::from_name(Channel::Movement, sale.name()), None);
        assert_eq!(EventType::from_name(Channel::Status, "game-status"), Some(Channel::Status.event_type()));
    }
}
