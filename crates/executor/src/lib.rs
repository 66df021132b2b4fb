//! What the services that carry commands out (the executors: robot and trading) have in common: the games that they follow
//! by the game service's events, the headers of a batch, and how a batch waits for its round, its turn and open intents.

mod admission;
mod batch;
mod events;
mod game_locks;
mod games;
mod intent_changes;
mod reachability;
mod rebuild;
mod round_state;
mod waiting;

pub use self::admission::{BatchRefusal, Followed, admit, meant_game};
pub use self::batch::BatchHeaders;
pub use self::events::{GAME_CHANNELS, GameChange, GameEvent, MAP_CHANNELS, WorldEvent};
pub use self::game_locks::{GameLock, GameLocks};
pub use self::games::{FollowedGame, GameRefusal, GameStatus, Games};
pub use self::intent_changes::IntentChanges;
pub use self::reachability::Reachability;
pub use self::rebuild::{rebuild, rebuild_with_players};
pub use self::round_state::RoundState;
pub use self::waiting::wait_until;
