//! One process of a service after the other, on the same file or schema or once in memory, and requests to the one that is open.
//! Nothing runs in the background unless a test starts it.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;
use starkeep_contract_check::ContractCheck;
use starkeep_http_client::ServiceUrl;
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::{Clock, ManualClock};
use starkeep_platform::http::common::Front;
use starkeep_platform::memory::Disturbance;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::Framed;
use starkeep_platform::store::CommonStore;
use starkeep_platform::tasks::{Leader, Stop};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::contracts;
use crate::postgres::{self, Schema};
use crate::requests::{TestRequest, get};
use crate::under_test::{Environment, Opened, ServiceUnderTest, StoreKind, StorePlace};
use starkeep_test_http::Reply;

pub struct Harness<S: ServiceUnderTest> {
    pub under_test: S,
    pub clock: Arc<ManualClock>,
    pub chance: Arc<SequentialIds>,
    process: Option<Process<S>>,
    /// Of the process that was opened last.
    replica: ReplicaId,
    kept: Kept,
}

/// Where the data is while no process is open.
enum Kept {
    Memory,
    Folder(tempfile::TempDir),
    Postgres(Schema),
}

struct Process<S: ServiceUnderTest> {
    service: Arc<S::Service>,
    store: Arc<dyn CommonStore>,
    framed: Framed,
    leader: Leader,
    router: Front,
    contract: Option<Arc<ContractCheck>>,
}

/// In memory where there is such a place: what survives is decided by the commits, not by the disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}

impl<S: ServiceUnderTest> Harness<S> {
    pub async fn open(under_test: S, store: StoreKind) -> Self {
        let mut harness = Self {
            under_test,
            clock: ManualClock::new(S::START.parse().expect("a time stamp")),
            chance: SequentialIds::new(),
            process: None,
            replica: ReplicaId(Uuid::nil()),
            kept: match store {
                _ if postgres::is_wanted() => Kept::Postgres(Schema::new()),
                StoreKind::Sqlite => Kept::Folder(folder()),
                StoreKind::Memory => Kept::Memory,
            },
        };
        harness.open_process().await;
        harness
    }

    /// Another process beside this one, with the same clock and the same chance. What else the two share, their store above
    /// all, is for `under_test` to say.
    pub async fn beside(&self, under_test: S) -> Self {
        let mut harness = Self {
            under_test,
            clock: self.clock.clone(),
            chance: self.chance.clone(),
            process: None,
            replica: self.replica,
            kept: Kept::Memory,
        };
        harness.open_process().await;
        harness
    }

    /// Every process is another replica.
    async fn open_process(&mut self) {
        self.replica = ReplicaId(Uuid::from_u128(self.replica.0.as_u128() + 1));
        let (clock, chance) = (self.clock.clone(), self.chance.clone());
        let file = matches!(self.kept, Kept::Folder(_)).then(|| self.file());
        let store = match (&self.kept, &file) {
            (Kept::Postgres(schema), _) => StorePlace::Postgres(schema.clone()),
            (_, Some(file)) => StorePlace::File(file),
            (_, None) => StorePlace::Memory(self.disturbance()),
        };
        let opened = self
            .under_test
            .open(Environment { store, replica: self.replica, clock: clock.clone(), chance })
            .await;
        let Opened { service, store, frame, relay_to } = opened;
        let framed = Framed::open(service.clone(), store.clone(), clock.clone(), frame, relay_to).await;
        let framed = framed.expect("the service opens");
        let leader = Leader::always(clock, Stop::new());
        let (router, contract) = (framed.router(&leader), S::HAS_CONTRACT.then(|| contracts::of(&*service)));
        self.process = Some(Process { service, store, framed, leader, router, contract });
    }

    fn disturbance(&self) -> Disturbance {
        let (clock, chance) = (self.clock.clone(), self.chance.clone());
        Arc::new(move |on| {
            clock.disturb(on);
            chance.disturb(on);
        })
    }

    /// Ends the process. The connection is for a test that looks at the file or changes it.
    pub fn close(&mut self) -> Connection {
        self.end_process();
        let database = self.database();
        database.pragma_update(None, "foreign_keys", true).expect("a setting");
        database
    }

    /// Nothing holds on to its store.
    fn end_process(&mut self) {
        let process = self.process.take().expect("the service is open");
        process.leader.stop().cancel();
        let (service, store) = (Arc::downgrade(&process.service), Arc::downgrade(&process.store));
        drop(process);
        assert!(service.upgrade().is_none(), "something of the process lives on");
        assert!(store.upgrade().is_none(), "somebody holds on to the store");
    }

    /// Ends the process and starts another one, whose monotonic clock knows nothing of the first.
    pub async fn restart(&mut self) {
        self.end_process();
        self.open_next_process().await;
    }

    /// Ends the process, lets somebody at its file, and starts another one.
    pub async fn reopen_after(&mut self, change: impl FnOnce(&Connection)) {
        change(&self.close());
        self.open_next_process().await;
    }

    async fn open_next_process(&mut self) {
        self.clock = ManualClock::new(self.clock.wall());
        self.open_process().await;
    }

    fn process(&self) -> &Process<S> {
        self.process.as_ref().expect("the service is open")
    }

    pub fn service(&self) -> &Arc<S::Service> {
        &self.process().service
    }

    pub fn store(&self) -> &Arc<dyn CommonStore> {
        &self.process().store
    }

    /// What is answered to a request that waits for something that does not come.
    pub async fn waiting_in_vain(&self, request: TestRequest) -> Reply {
        let mut asked = Box::pin(self.ask(request));
        assert!(futures::poll!(&mut asked).is_pending(), "it does not wait");
        self.clock.advance(Duration::from_mins(1));
        asked.await
    }

    /// Sends the request to the router, without a socket. The exchange is compared with the contract.
    pub fn ask(&self, request: TestRequest) -> impl Future<Output = Reply> + Send + use<S> {
        let contract = self.process().contract.clone();
        let asked = self.ask_without_contract(request.clone());
        async move {
            let reply = asked.await;
            if let Some(contract) = contract {
                contracts::compare(&contract, &request, &reply);
            }
            reply
        }
    }

    /// The exchange is not compared with the contract: for answers that earlier versions stored.
    pub fn ask_without_contract(&self, request: TestRequest) -> impl Future<Output = Reply> + Send + use<S> {
        let router = self.process().router.clone();
        async move {
            let Ok(response) = router.oneshot(request.to_http()).await;
            Reply::read(response).await.expect("the body arrives")
        }
    }

    pub async fn metrics(&self) -> String {
        self.ask(get("/metrics")).await.expect_text(200)
    }

    /// Serves on a socket, with all background tasks.
    pub async fn serve(&self) -> Served {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = ServiceUrl::local(listener.local_addr().expect("an address"));
        let stop = Stop::new();
        let serving = self.process().framed.clone().serve(listener, Duration::from_secs(1), stop.clone());
        Served { url, stop, serving: tokio::spawn(serving) }
    }

    /// The leader of the background tasks: what has been started is in its states, also those that `/health` shows.
    pub fn leader(&self) -> &Leader {
        &self.process().leader
    }

    /// Starts all background tasks.
    pub fn start_tasks(&self) {
        self.process().framed.start_tasks(&self.process().leader);
    }

    /// Starts the relay alone.
    pub fn start_relay(&self) {
        self.process().framed.start_relay(&self.process().leader);
    }

    /// Waits until every background task has ended.
    pub async fn stop_tasks(&self) {
        let leader = self.leader();
        leader.stop().cancel();
        leader.finished().await;
    }

    pub fn wall(&self) -> Timestamp {
        self.clock.wall()
    }

    pub fn is_in_memory(&self) -> bool {
        matches!(self.kept, Kept::Memory)
    }

    pub(crate) fn schema(&self) -> Option<&Schema> {
        match &self.kept {
            Kept::Postgres(schema) => Some(schema),
            Kept::Memory | Kept::Folder(_) => None,
        }
    }

    pub(crate) fn file(&self) -> PathBuf {
        let Kept::Folder(folder) = &self.kept else { panic!("the store is not on a file") };
        folder.path().join("service.db")
    }
}

/// A service on a socket.
pub struct Served {
    pub url: ServiceUrl,
    stop: Stop,
    serving: JoinHandle<()>,
}

impl Served {
    pub async fn stop(self) {
        self.stop.cancel();
        self.serving.await.expect("it ends by itself");
    }
}
