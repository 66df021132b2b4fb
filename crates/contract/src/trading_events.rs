//! Payloads of the trading service's events. Existing consumers parse them strictly: a payload has exactly these fields.
//! `trades` says by its `type` header what kind of trade it was; the events with prices are arrays of `Price`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::PlayerId;
use crate::robot_service::{ResourceAmounts, Robot};

/// The payload of `bank-created`: a player has an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BankCreatedEvent {
    /// What the player begins with.
    pub money: u64,
    /// The player.
    pub player_id: PlayerId,
}

/// The `type` header of `trades`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TradeKind {
    BuyRobot,
    BuyItem,
    SellResource,
    BuyError,
    SellError,
}

impl TradeKind {
    pub const ALL: [Self; 5] =
        [Self::BuyRobot, Self::BuyItem, Self::SellResource, Self::BuyError, Self::SellError];

    pub fn name(self) -> &'static str {
        match self {
            Self::BuyRobot => "buy-robot",
            Self::BuyItem => "buy-item",
            Self::SellResource => "sell-resource",
            Self::BuyError => "buy-error",
            Self::SellError => "sell-error",
        }
    }
}

/// The payload of `trades`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TradeEvent {
    /// The robots that were bought, or the resources that were sold; otherwise null.
    #[schema(required)]
    pub data: Option<TradeData>,
    /// Whether the trade was made.
    pub success: bool,
    /// A sentence for a person.
    pub message: String,
    /// Negative for a purchase, 0 for a failure.
    pub money_changed_by: i64,
}

/// What was traded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum TradeData {
    /// Robots that were bought.
    Robots(Vec<Robot>),
    /// Resources that were sold.
    Resources(ResourceAmounts),
}
