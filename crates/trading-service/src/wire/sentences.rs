//! Why a trade was refused, in short sentences for players. Clients know some of them, so these are as they always were.

use starkeep_trading_core::{CannotAfford, PlayerId, TradeRefusal};

use crate::domain::Trade;

pub(crate) const NOT_REACHED: &str = "The robot service cannot be reached.";
pub(crate) const NO_ANSWER: &str = "The robot service did not answer.";
pub(crate) const NO_ROBOT_SERVICE: &str = "There is no robot service.";

pub(crate) fn refusal(trade: Trade, refusal: TradeRefusal) -> String {
    let robot = trade.robot().map(|robot| robot.to_string()).unwrap_or_default();
    match refusal {
        TradeRefusal::NoRobots { amount } => format!("Cannot buy {amount} robots"),
        TradeRefusal::TooManyRobots { amount } => {
            let most = starkeep_trading_core::LARGEST_ORDER;
            format!("Cannot buy {amount} robots at once, {most} at most.")
        }
        TradeRefusal::UnknownPlayer { player } => unknown_player(player),
        TradeRefusal::CannotAfford(CannotAfford { player, needed }) => {
            format!("Player '{player}' does not have the needed {needed} money-units.")
        }
        TradeRefusal::NoStation => "There is no space station to spawn robots on.".to_owned(),
        TradeRefusal::NotForSale => {
            let name = match trade {
                Trade::Item { item, .. } => item.name(),
                Trade::Robots { .. } | Trade::Sale { .. } => String::new(),
            };
            format!("The item/upgrade '{name}' is not for sale.")
        }
        TradeRefusal::NotAStation { planet } => {
            format!("The given planet '{planet}' is not registered as a station.")
        }
        TradeRefusal::UnknownRobot => format!("Robot with ID {robot} not found"),
        TradeRefusal::ElsewhereThanNamed { named } => {
            format!("Robot {robot} is not on the given planet '{named}'.")
        }
        TradeRefusal::NotItsRobot => {
            format!("Robot {robot} does not belong to player '{}'.", trade.player())
        }
    }
}

fn unknown_player(player: PlayerId) -> String {
    format!("Player '{player}' does not exist.")
}
