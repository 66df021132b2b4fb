//! A real Kafka broker for tests, one per test, and what a test does with it: kill it, restart it, read records, produce records.
//! Dev-only: nothing that is shipped depends on it, and how the program uses Kafka is not decided here.
//!
//! ```no_run
//! # async fn a_test() {
//! let Some(mut broker) = starkeep_test_broker::Broker::start().await else { return };
//! broker.create_topic("greetings").await;
//! broker.put("greetings", Some("key"), &[("type", "greeting")], "hello").await;
//! broker.kill().await;
//! broker.restart().await;
//! assert_eq!(broker.records("greetings").await[0].value, "hello");
//! # }
//! ```

mod broker;
mod left_out;
mod live;
mod script;
mod time_limits;
mod topics;

pub use broker::Broker;
pub use left_out::leave_out;
pub use live::Client;
pub use script::STARTING;
pub use topics::Record;
