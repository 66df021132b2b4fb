//! The rules of trading: what is for sale, what resources are worth, and what accounts can afford.
//! Everything here is a plain function of its arguments: no I/O, no clock, no wire format; ids and chance are passed in.

mod account;
mod audit;
mod item;
mod market;
mod price;
mod spawn;

pub use starkeep_core_types::{
    Amounts, CommandId, GameId, IdGenerator, PlanetId, PlayerId, ResourceKind, Rng, RobotId, Upgrade, WorldId,
};

pub use account::{Account, Bought, CannotAfford};
pub use audit::Imbalance;
pub use item::{Item, LARGEST_ORDER, ROBOT_PRICE, SpecialItem};
pub use market::{Market, Reservation, TradeRefusal, TradedRobot};
pub use price::{PriceList, item_price, resource_price};
pub use spawn::SpawnSites;
