//! A service in its frame, asked without a socket: a clock that stands, sequential ids, one thread, a store in memory or on a file.
//! Requests are made beforehand, so that what is counted is the service's.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use http::{Method, Request, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use starkeep_core_types::Rng;
use starkeep_platform::chance::{Chance, SequentialIds};
use starkeep_platform::clock::ManualClock;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::http::common::Front;
use starkeep_platform::memory::Disturbance;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed, Service};
use starkeep_platform::sql::{SqlStore, SqlTables};
use starkeep_platform::sqlite;
use starkeep_platform::store::CommonStore;
use starkeep_platform::tasks::{Leader, Stop};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::measured::count;

pub(crate) const REPLICA: ReplicaId = ReplicaId(Uuid::from_u128(1));

/// What a service is opened with.
pub(crate) struct Surroundings {
    runtime: Runtime,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) chance: Arc<dyn Chance>,
    folder: TempDir,
}

impl Surroundings {
    pub(crate) fn new() -> Self {
        Self::with(SequentialIds::new())
    }

    /// How many pages a commit takes depends on how far apart ids are.
    pub(crate) fn with_scattered_ids() -> Self {
        Self::with(Arc::new(ScatteredIds(Mutex::new(Rng::from_seed(1)))))
    }

    fn with(chance: Arc<dyn Chance>) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().expect("a time stamp"));
        // Where there is such a place in memory: what the disk does is not counted, so it need not be waited for.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { runtime, clock, chance, folder: folder.expect("a temporary folder") }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("service.db")
    }

    pub(crate) fn store<D: SqlTables>(&self) -> Arc<SqlStore<D>> {
        let store = sqlite::open(&self.file(), REPLICA, DiskLog::of_one_store());
        Arc::new(store.expect("the store opens"))
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn serve(
        self,
        service: Arc<dyn Service>,
        store: Arc<dyn CommonStore>,
        frame: FrameConfig,
    ) -> Served {
        let framed = self.block_on(Framed::open(service, store, self.clock.clone(), frame, None));
        let leader = Leader::always(self.clock.clone(), Stop::new());
        let router = framed.expect("the service opens").router(&leader);
        Served { router, surroundings: self }
    }
}

/// The same ones every time, as far apart as those of a real service.
struct ScatteredIds(Mutex<Rng>);

impl Chance for ScatteredIds {
    fn uuid(&self) -> Uuid {
        let mut rng = self.0.lock().expect("nobody has panicked");
        let bits = Uuid::from_u64_pair(rng.next_u64(), rng.next_u64()).into_bytes();
        uuid::Builder::from_random_bytes(bits).into_uuid()
    }
}

/// Decisions are the same every time: that is for the tests to check.
pub(crate) fn undisturbed() -> Disturbance {
    Arc::new(|_| {})
}

pub(crate) struct Served {
    router: Front,
    surroundings: Surroundings,
}

impl Served {
    /// Sends the first one beforehand, and counts the others.
    pub(crate) fn count_requests(&self, times: u32, request: impl Fn(u32) -> Request<Body>) {
        let requests: Vec<_> = (0..=times).map(request).collect();
        let mut requests = requests.into_iter();
        let mut send = || drop(self.send(requests.next().expect("one for each time")));
        send();
        count(times, send);
    }

    /// The body of the answer, which has to be a success.
    pub(crate) fn ask(&self, request: Request<Body>) -> Value {
        serde_json::from_slice(&self.send(request)).expect("the answer is JSON")
    }

    pub(crate) fn send(&self, request: Request<Body>) -> Vec<u8> {
        self.block_on(self.answer(request))
    }

    pub(crate) async fn answer(&self, request: Request<Body>) -> Vec<u8> {
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let body = response.into_body().collect().await.expect("the body arrives").to_bytes();
        assert!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
        body.to_vec()
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.surroundings.block_on(work)
    }

    /// Of a store on a file.
    pub(crate) fn file(&self) -> PathBuf {
        self.surroundings.file()
    }
}

pub(crate) fn get(path: impl AsRef<str>) -> Request<Body> {
    request(Method::GET, path, Body::empty())
}

pub(crate) fn put(path: impl AsRef<str>, body: &Value) -> Request<Body> {
    request(Method::PUT, path, Body::from(body.to_string()))
}

pub(crate) fn post(path: impl AsRef<str>, body: &Value) -> Request<Body> {
    request(Method::POST, path, Body::from(body.to_string()))
}

fn request(method: Method, path: impl AsRef<str>, body: Body) -> Request<Body> {
    let request = Request::builder().method(method).uri(path.as_ref());
    request.header(header::CONTENT_TYPE, "application/json").body(body).expect("a request")
}

/// A field that is a text.
pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no {field} in {value}")).to_owned()
}
