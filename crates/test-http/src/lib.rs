//! HTTP for tests: a caller over real sockets, servers that a test plays, and a time limit for waits.
//! Dev-only. What a request or an answer ought to be is for the tests to say.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod caller;
mod fake_server;
mod local_server;
mod message;
mod one_request_server;
mod raw;
mod reply;
mod scripted_server;
mod time_limit;

pub use self::caller::Caller;
pub use self::fake_server::{FakeServer, ReceivedRequest};
pub use self::local_server::LocalServer;
pub use self::message::Message;
pub use self::one_request_server::{OneRequestServer, RawAnswer};
pub use self::raw::send_raw;
pub use self::reply::Reply;
pub use self::scripted_server::{Connection, ScriptedServer};
pub use self::time_limit::within_limit;
