//! The background tasks of the robot service: following the game service's events, finishing minings, and telling what is around
//! robots that were spawned. Tasks are started and stopped by the platform.

mod game_stream;
mod mining_settler;
mod neighbour_teller;

pub use self::game_stream::GameStream;
pub use self::mining_settler::MiningSettler;
pub use self::neighbour_teller::{NeighbourTeller, Waiting};
