//! The background tasks of the trading service: they listen to the game and map services, and finish what was left open.
//! Tasks are started and stopped by the platform.

mod listeners;
mod missing_worlds;
mod open_trades;

pub(crate) use self::listeners::Listeners;
pub use self::missing_worlds::MissingWorlds;
pub use self::open_trades::OpenTrades;
