//! A store that cannot go on: a newer version writes there, or one of its own tasks has failed. The process is to end; what it would
//! answer from then on would be wrong or late.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Shared by the stores of a process and by whoever ends it.
#[derive(Clone, Debug, Default)]
pub struct Broken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    reason: OnceLock<String>,
    told: CancellationToken,
}

impl Broken {
    /// The first reason is kept.
    pub fn tell(&self, reason: impl Into<String>) {
        let _ = self.0.reason.set(reason.into());
        self.0.told.cancel();
    }

    pub fn reason(&self) -> Option<&str> {
        self.0.reason.get().map(String::as_str)
    }

    /// Waits until something is broken; why.
    pub async fn told(&self) -> &str {
        self.0.told.cancelled().await;
        self.reason().unwrap_or_default()
    }
}
