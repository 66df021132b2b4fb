//! Runs a service in its own tests: on a clock that is moved by hand, with sequential ids, on a store in memory or on a file.
//! Dev-only. A service declares how it is opened ([`ServiceUnderTest`]); requests, the comparison of every exchange with the
//! contract, restarts and a look into the stored data are here, written once.

mod contracts;
mod harness;
mod history_bench;
mod json;
mod postgres;
mod requests;
mod spoiled;
mod stored;
mod under_test;

pub use starkeep_test_http::Reply;

pub use self::harness::{Harness, Served};
pub use self::history_bench::HistoryBench;
pub use self::json::{text, uuid_in};
pub use self::postgres::{Schema, settings as postgres_settings};
pub use self::requests::{TestRequest, delete, get, patch, post, put, request};
pub use self::stored::StoredEvent;
pub use self::under_test::{
    EPOCH, Environment, Opened, START, ServiceUnderTest, StoreKind, StorePlace, store_in,
};

use std::future::Future;

/// Runs one process of a service: what is under way when `life` is over is killed where it stands.
pub fn in_one_process<T>(life: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(life)
}
