//! The wire: what the services' requests, answers, events and problems look like as JSON.
//! Nothing here decides anything; the rules live in the cores, the translation in each service's `wire`.

pub mod about;
pub mod asyncapi;
pub mod batch_headers;
pub mod bounded;
pub mod channel;
pub mod command;
pub mod dialect;
pub mod did_you_mean;
pub mod dispatch;
pub mod events;
pub mod found;
pub mod game;
pub mod game_name;
pub mod game_roster;
pub mod health;
pub mod ids;
pub mod ignored_field;
pub mod map;
pub mod nonce;
pub mod object;
mod optional_id;
pub mod path_id;
pub mod player;
pub mod problem;
pub mod replay;
pub mod robot;
pub mod robot_events;
pub mod robot_service;
pub mod round_player;
pub mod schema;
pub mod scores;
pub mod services;
pub mod topics;
pub mod trading_events;
pub mod trading_service;
pub mod view;

pub use bounded::Bounded;
pub use dialect::Dialect;
pub use game_name::GameName;
pub use ids::{DepositId, GameId, MiningId, PlanetId, PlayerId, RobotId, RoundId, TransactionId, WorldId};
pub use nonce::Nonce;
pub use path_id::PathId;
pub use problem::{Code, Problem};
