//! A broker: started in a folder of its own, killed, stopped and restarted there, ended with its handle.
//! What is in its topics: `topics`; its process: `script`.

use tempfile::TempDir;

use crate::left_out;
use crate::script::{self, Keeper, Order};

pub struct Broker {
    // Before the folder: it is dropped first, so that the broker has ended when its files are removed.
    keeper: Option<Keeper>,
    folder: TempDir,
    address: String,
}

impl Broker {
    /// The first line of a test. `None` where no broker is available: the test is then left out, with a notice; with
    /// `STARKEEP_NEED_ALL=1` it fails instead.
    ///
    /// The broker ends with its handle, and one that is kept in a static with the process, however that ends.
    pub async fn start() -> Option<Self> {
        if let Err(reason) = script::jars().await {
            left_out::leave_out(reason);
            return None;
        }
        let folder = tempfile::Builder::new().prefix("starkeep-broker-").tempdir();
        let folder = folder.expect("a place for temporary files");
        let (keeper, address) = Keeper::start(folder.path()).await;
        Some(Self { keeper: Some(keeper), folder, address })
    }

    /// `127.0.0.1:port`, the same over every restart.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// SIGKILL. Returns when the process has ended; its data stays.
    pub async fn kill(&mut self) {
        self.end(Order::Kill).await;
    }

    /// Shuts it down gracefully. Returns when the process has ended; its data stays.
    pub async fn stop(&mut self) {
        self.end(Order::Stop).await;
    }

    /// On the same address and with the same data; one that still runs is stopped first.
    pub async fn restart(&mut self) {
        self.stop().await;
        let (keeper, address) = Keeper::start(self.folder.path()).await;
        assert_eq!(address, self.address, "a restarted broker has moved");
        self.keeper = Some(keeper);
    }

    async fn end(&mut self, order: Order) {
        if let Some(keeper) = self.keeper.take() {
            keeper.end(order).await;
        }
    }
}
