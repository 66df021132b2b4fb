//! The services as a program sees them: a method an endpoint with the contract's types, and a stream of their events.
//! Bots, the command line and the tests share it.
//!
//! ```no_run
//! # async fn example() -> Result<(), starkeep_client::ClientError> {
//! use starkeep_client::{EventStream, GameClient, Item, StartFrom};
//!
//! let game = GameClient::new("http://127.0.0.1:8080")?;
//! let mut events = EventStream::open("http://127.0.0.1:8080", StartFrom::End, &["roundStatus"])?;
//! events.ready().await?;
//! for created in game.games().await? {
//!     game.start(created.game_id).await?;
//! }
//! while let Item::Event(event) = events.next().await? {
//!     println!("{}", event.payload);
//! }
//! # Ok(())
//! # }
//! ```

mod client;
mod error;
mod game;
mod http;
mod map;
mod robot;
mod stream;

pub use self::client::{Client, LARGEST_PAGE};
pub use self::error::ClientError;
pub use self::game::GameClient;
pub use self::map::MapClient;
pub use self::robot::RobotClient;
pub use self::stream::EventStream;
pub use starkeep_clock::{Clock, SystemClock};
pub use starkeep_http_client::{Item, StartFrom};
