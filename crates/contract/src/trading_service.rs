//! Answers of the trading service, as the existing one has them. What it is sent is in `dispatch`.
//! Field order is free; names are upper case for items, lower case for resources.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{GameId, PlanetId, PlayerId};

/// An element of `GET /items`, of `GET /resources`, and of the events with prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "price": 5, "name": "coal" })))]
pub struct Price {
    /// In the round that is open.
    pub price: u64,
    /// Of the item or resource.
    pub name: String,
}

/// Answer to `GET /items/{name}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "itemName": "HEALTH_1", "price": 50, "type": "upgrade" })))]
pub struct ItemDetails {
    /// The item.
    pub item_name: String,
    /// In the round that is open.
    pub price: u64,
    /// `item`, `robot`, `upgrade`, `health` or `energy`.
    pub r#type: String,
}

/// An element of the histories of prices, purchases and sales.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "name": "coal", "history": { "0": 5, "1": 5 } })))]
pub struct History {
    /// Of the item or resource.
    pub name: String,
    /// By round; 0 is before the first.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub history: BTreeMap<u32, u64>,
}

/// An element of `GET /balances`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "balance": 200, "playerId": "5eed0000-0000-4000-8000-000000000004" })))]
pub struct Balance {
    /// The player's money.
    pub balance: u64,
    /// The player.
    pub player_id: PlayerId,
}

/// An element of `GET /balances/{round}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "round": 1, "balance": 260, "playerId": "5eed0000-0000-4000-8000-000000000004" })))]
pub struct RoundBalance {
    /// The round; 0 is before the first.
    pub round: u32,
    /// The player's money when it ended.
    pub balance: u64,
    /// The player.
    pub player_id: PlayerId,
}

/// An element of `GET /players`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "playerId": "5eed0000-0000-4000-8000-000000000004", "moneyAmount": 200, "balanceHistory": { "0": 200 },
})))]
pub struct TradingPlayer {
    /// The player.
    pub player_id: PlayerId,
    /// The player's money.
    pub money_amount: u64,
    /// By round; 0 is before the first.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub balance_history: BTreeMap<u32, u64>,
}

/// An element of `GET /stations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "planetId": "5eed0000-0000-4000-8000-000000000002" })))]
pub struct Station {
    /// The space station.
    pub planet_id: PlanetId,
}

/// An element of `GET /games`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameId": "5eed0000-0000-4000-8000-000000000001", "currentRound": 0, "isCurrentGame": true, "roundStatus": "init",
})))]
pub struct TradingGame {
    /// The game.
    pub game_id: GameId,
    /// 0 before the first.
    pub current_round: u32,
    /// Whether it is the one that is meant where none is named.
    pub is_current_game: bool,
    /// `init`, `started`, `command input ended` or `ended`.
    pub round_status: String,
}
