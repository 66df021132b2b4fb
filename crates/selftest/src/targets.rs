//! Where the clients of a test find the services, by which clock they live, and how patient they are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::Clock;
use starkeep_http_client::ServiceUrl;

use crate::service::{LoadSwitch, Service};

/// In the order in which they are started.
pub const SERVICES: [&str; 4] = ["map", "robot", "trading", "game"];
/// So many games may run at a time.
pub const RUNNING_GAMES: usize = 2;

#[derive(Clone)]
pub struct Targets {
    /// Of each of the services.
    pub urls: BTreeMap<&'static str, ServiceUrl>,
    pub clock: Arc<dyn Clock>,
    /// Between two attempts of a client.
    pub pause: Duration,
}

impl Targets {
    pub(crate) fn service(&self, name: &'static str, load: &LoadSwitch) -> Service {
        Service::new(self.urls[name].clone(), self.clock.clone(), self.pause, load.clone())
    }
}
