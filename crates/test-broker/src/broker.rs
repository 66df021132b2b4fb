//! A broker: started in a folder of its own, killed, stopped and restarted there, ended with its handle.
//! What is in its topics: `topics`; its process: `script`.

use std::fs::OpenOptions;
use std::io::Write;

use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::left_out;
use crate::script::{self, Keeper, Order, Release};

/// How many brokers run at a time, however many tests do: each is a Java program, which takes a core for seconds when it starts.
static PLACES: Semaphore = Semaphore::const_new(2);

pub struct Broker {
    // Before the folder: it is dropped first, so that the broker has ended when its files are removed.
    keeper: Option<Keeper>,
    folder: TempDir,
    release: Release,
    address: String,
    _place: SemaphorePermit<'static>,
}

impl Broker {
    /// The first line of a test. `None` where no broker is available: the test is then left out, with a notice; with
    /// `STARKEEP_NEED_ALL=1` it fails instead.
    ///
    /// The broker ends with its handle, and one that is kept in a static with the process, however that ends.
    pub async fn start() -> Option<Self> {
        Self::start_release(Release::Current).await
    }

    /// The same with a broker of Kafka 2.2, the oldest that the program is made for.
    pub async fn start_old() -> Option<Self> {
        Self::start_release(Release::Old).await
    }

    async fn start_release(release: Release) -> Option<Self> {
        if let Err(reason) = script::jars(release).await {
            left_out::leave_out(&format!("no Kafka broker ({reason})"));
            return None;
        }
        let place = PLACES.acquire().await.expect("the semaphore is never closed");
        let folder = tempfile::Builder::new().prefix("starkeep-broker-").tempdir();
        let folder = folder.expect("a place for temporary files");
        let (keeper, address) = Keeper::start(release, folder.path()).await;
        Some(Self { keeper: Some(keeper), folder, release, address, _place: place })
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
        let (keeper, address) = Keeper::start(self.release, self.folder.path()).await;
        assert_eq!(address, self.address, "a restarted broker has moved");
        self.keeper = Some(keeper);
    }

    /// Restarts it with a setting (`name=value`) that takes the place of an earlier one.
    pub async fn restart_with(&mut self, setting: &str) {
        self.stop().await;
        let file = OpenOptions::new().append(true).open(self.folder.path().join("server.properties"));
        let written = file.and_then(|mut file| writeln!(file, "{setting}"));
        written.expect("the broker's settings");
        self.restart().await;
    }

    async fn end(&mut self, order: Order) {
        if let Some(keeper) = self.keeper.take() {
            keeper.end(order).await;
        }
    }
}
