//! The background tasks of the robot service: following the game service's events, and finishing minings.
//! Tasks are started and stopped by the platform.

mod game_stream;
mod mining_settler;

pub use self::game_stream::GameStream;
pub use self::mining_settler::MiningSettler;
