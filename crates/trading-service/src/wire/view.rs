//! Markets and games as clients see them.

use std::collections::BTreeMap;

use starkeep_contract::trading_service::{
    Balance, History, ItemDetails, Price, RoundBalance, Station, TradingGame, TradingPlayer,
};
use starkeep_contract::{
    Code, Dialect, GameId as WireGameId, PlanetId as WirePlanetId, PlayerId as WirePlayerId, Problem,
};
use starkeep_executor::{FollowedGame, RoundState};
use starkeep_trading_core::{GameId, Item, Market, PriceList, ResourceKind, SpecialItem};

use super::commands::{no_item, short};

/// Only special items have prices that change.
pub(super) fn priced_items(prices: &PriceList) -> Vec<Price> {
    let listed = SpecialItem::ALL.into_iter().zip(prices.items);
    listed.map(|(item, price)| Price { price, name: item.name().to_owned() }).collect()
}

pub(super) fn priced_resources(prices: &PriceList) -> Vec<Price> {
    let listed = ResourceKind::ALL.into_iter().map(|kind| (kind, prices.of(kind)));
    listed.map(|(kind, price)| Price { price, name: kind.as_str().to_owned() }).collect()
}

pub(crate) fn items(market: &Market) -> Vec<Price> {
    Item::all().map(|item| Price { price: price_of(market, item), name: item.name() }).collect()
}

pub(crate) fn item(market: &Market, name: &str) -> Result<ItemDetails, Problem> {
    // Also those that cannot be bought are shown.
    let unknown = || Problem::new(Code::UnknownItem, no_item(name, |_| true));
    let item = Item::find(name).ok_or_else(unknown)?;
    Ok(ItemDetails { item_name: item.name(), price: price_of(market, item), r#type: item.kind().to_owned() })
}

fn price_of(market: &Market, item: Item) -> u64 {
    match item {
        Item::Special(special) => {
            let listed = SpecialItem::ALL.into_iter().zip(market.prices().items);
            listed.filter(|(item, _)| *item == special).map(|(_, price)| price).sum()
        }
        constant => constant.start_price(),
    }
}

pub(crate) fn resource_prices(market: &Market) -> Vec<Price> {
    priced_resources(market.prices())
}

/// The prices of special items by round.
pub(crate) fn item_price_history(market: &Market) -> Vec<History> {
    let of = |(place, item): (usize, SpecialItem)| History {
        name: item.name().to_owned(),
        history: market.prices.iter().map(|(round, prices)| (*round, prices.items[place])).collect(),
    };
    SpecialItem::ALL.into_iter().enumerate().map(of).collect()
}

/// Purchases of special items by round: nobody can buy one.
pub(crate) fn purchase_history() -> Vec<History> {
    let of = |item: SpecialItem| History { name: item.name().to_owned(), history: BTreeMap::new() };
    SpecialItem::ALL.into_iter().map(of).collect()
}

pub(crate) fn resource_price_history(market: &Market) -> Vec<History> {
    by_resource(|kind| market.prices.iter().map(|(round, prices)| (*round, prices.of(kind))).collect())
}

pub(crate) fn sales_history(market: &Market) -> Vec<History> {
    by_resource(|kind| market.sold.iter().map(|(round, sold)| (*round, sold.of(kind))).collect())
}

fn by_resource(history: impl Fn(ResourceKind) -> BTreeMap<u32, u64>) -> Vec<History> {
    let of = |kind: ResourceKind| History { name: kind.as_str().to_owned(), history: history(kind) };
    ResourceKind::ALL.into_iter().map(of).collect()
}

pub(crate) fn balances(market: &Market) -> Vec<Balance> {
    let accounts = market.accounts.values();
    accounts
        .map(|account| Balance { balance: account.balance(), player_id: WirePlayerId(account.player.0) })
        .collect()
}

/// None if a player has no balance of that round.
pub(crate) fn round_balances(market: &Market, round: u32) -> Option<Vec<RoundBalance>> {
    let noted = market.balances.get(&round)?;
    let of = |player| noted.get(player).map(|balance| (*player, *balance));
    let balances: Option<Vec<_>> = market.accounts.keys().map(of).collect();
    let shown = |(player, balance): (starkeep_trading_core::PlayerId, u64)| RoundBalance {
        round,
        balance,
        player_id: WirePlayerId(player.0),
    };
    balances.map(|balances| balances.into_iter().map(shown).collect())
}

pub(crate) fn no_balances(dialect: Dialect, round: &str) -> Problem {
    let text = format!("There are no balanceHistories for round {} saved.", short(round));
    Problem::spoken(dialect, Code::UnknownRound, text)
}

pub(crate) fn players(market: &Market) -> Vec<TradingPlayer> {
    let history = |player| {
        let noted = market.balances.iter();
        noted.filter_map(|(round, balances)| Some((*round, *balances.get(player)?))).collect()
    };
    let accounts = market.accounts.values();
    accounts
        .map(|account| TradingPlayer {
            player_id: WirePlayerId(account.player.0),
            money_amount: account.balance(),
            balance_history: history(&account.player),
        })
        .collect()
}

pub(crate) fn stations(market: &Market) -> Vec<Station> {
    market.stations().iter().map(|planet| Station { planet_id: WirePlanetId(planet.0) }).collect()
}

pub(crate) fn game(id: GameId, game: &FollowedGame, is_current_game: bool) -> TradingGame {
    TradingGame {
        game_id: WireGameId(id.0),
        current_round: game.round,
        is_current_game,
        round_status: round_word(game.round_state).to_owned(),
    }
}

fn round_word(state: RoundState) -> &'static str {
    match state {
        RoundState::Init => "init",
        RoundState::Started => "started",
        RoundState::InputEnded => "command input ended",
        RoundState::Ended => "ended",
    }
}
