//! Translates between the contract and the domain: commands into the domain's terms, results into the contract's.
//! Nothing is decided here.

mod commands;
pub(crate) mod events;
mod problem;
mod sentences;
mod view;

pub(crate) use self::commands::command;
pub(crate) use self::problem::{refuse, refuse_batch};
pub(crate) use self::sentences::{NO_ANSWER, NO_ROBOT_SERVICE, NOT_REACHED, refusal};
pub(crate) use self::view::{
    balances, game, item, item_price_history, items, no_balances, players, purchase_history,
    resource_price_history, resource_prices, round_balances, sales_history, stations,
};
