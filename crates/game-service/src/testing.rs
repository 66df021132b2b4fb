//! What tests outside this crate need and nobody else does.
//! No part of the service's interface.

pub use crate::store::observed::StoreObserver;
