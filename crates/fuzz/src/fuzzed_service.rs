//! A service in its frame, on a store in memory and a clock that stands still: asked without a socket, and every exchange compared
//! with its contract. Whatever waits is waited for by moving the clock.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::response::Response;
use bytes::BytesMut;
use futures::future::BoxFuture;
use http::{HeaderMap, Method, header};
use http_body_util::BodyExt as _;
use serde_json::Value;
use starkeep_contract_check::Exchange;
use starkeep_platform::chance::SequentialIds;
use starkeep_platform::clock::ManualClock;
use starkeep_platform::http::common::Front;
use starkeep_platform::lease::Epoch;
use starkeep_platform::memory::Disturbance;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::service::{FrameConfig, Framed, Service};
use starkeep_platform::store::CommonStore;
use starkeep_platform::tasks::{Leader, Stop};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::contracts::{self, Contract};
use crate::names::Names;
use crate::request::FuzzRequest;
use crate::target::Verdict;

/// Of the lease that the service holds.
pub(crate) const EPOCH: Epoch = Epoch(1);

/// When it begins, on the wall clock.
const START: &str = "2026-01-01T00:00:00Z";

/// All others are the same to everybody.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Nothing is waited for longer: an answer that has not come by then never comes.
const LONGEST_WAIT_SECONDS: u32 = 120;

/// So often everything else that is ready gets a turn before the clock is moved.
const TURNS: u32 = 16;

/// What a service is opened with.
pub(crate) struct Surroundings {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) chance: Arc<SequentialIds>,
    pub(crate) replica: ReplicaId,
}

impl Surroundings {
    pub(crate) fn new() -> Self {
        let clock = ManualClock::new(START.parse().expect("a time stamp"));
        Self { clock, chance: SequentialIds::new(), replica: ReplicaId(Uuid::from_u128(1)) }
    }

    /// Moves clock and ids on while a decision is made a second time.
    pub(crate) fn disturbance(&self) -> Disturbance {
        let (clock, chance) = (self.clock.clone(), self.chance.clone());
        Arc::new(move |on| {
            clock.disturb(on);
            chance.disturb(on);
        })
    }
}

/// Does once what the service's tasks do all the time.
pub(crate) type Tasks = Box<dyn Fn() -> BoxFuture<'static, Result<(), String>>>;

pub(crate) struct FuzzedService {
    runtime: Runtime,
    clock: Arc<ManualClock>,
    front: Front,
    tasks: Tasks,
    pub(crate) contract: Arc<Contract>,
    pub(crate) names: Names,
}

/// A whole answer; of a stream that does not end what there is so far.
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: HeaderMap,
    body: BytesMut,
}

impl Reply {
    /// Null where it is no JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn is_stream(&self) -> bool {
        self.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
    }
}

impl FuzzedService {
    pub(crate) fn open(
        service: Arc<dyn Service>,
        store: Arc<dyn CommonStore>,
        frame: FrameConfig,
        clock: &Arc<ManualClock>,
        tasks: Tasks,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime can be made");
        let contract = contracts::of(&*service);
        let framed = runtime.block_on(Framed::open(service, store, clock.clone(), frame, None));
        let front = framed.expect("the service opens").router(&Leader::always(clock.clone(), Stop::new()));
        Self { runtime, clock: clock.clone(), front, tasks, contract, names: Names::default() }
    }

    /// What the service's own interface gives, beside requests.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    pub(crate) fn front(&self) -> Front {
        self.front.clone()
    }

    /// How the request is answered, and whether the service is well afterwards.
    pub(crate) fn judge(&self, request: &FuzzRequest) -> Verdict {
        let reply = self.ask(request)?;
        self.check_health()?;
        let problem = reply.json();
        let method =
            Some(request.method.as_str()).filter(|method| METHODS.contains(method)).unwrap_or("OTHER");
        let template = self.contract.template(request.path()).unwrap_or("elsewhere");
        let text = |field: &str| problem[field].as_str().unwrap_or_default().replace(char::is_numeric, "");
        Ok(format!("{method} {template} {} {} {}", reply.status, text("code"), text("field")))
    }

    /// Refused where the answer is not one that the contract allows.
    pub(crate) fn ask(&self, request: &FuzzRequest) -> Result<Reply, String> {
        let (method, path) = (&request.method, request.path());
        let reply = self.run(self.answer(request)).map_err(|fault| format!("{method} {path}: {fault}"))?;
        let faults = self.contract.check.faults(&Exchange {
            method,
            path,
            request_headers: &request.headers,
            request_body: &request.body,
            status: reply.status,
            headers: &reply.headers,
            body: &reply.body,
            is_request_documented: false,
        });
        let answered = || format!("{method} {path} is answered with {}", reply.status);
        let body = || String::from_utf8_lossy(&reply.body).chars().take(2_000).collect::<String>();
        if reply.status >= 500 && reply.status != 503 {
            return Err(format!("{}: {}", answered(), body()));
        }
        if !faults.is_empty() && !request.is_beyond_contracts() {
            let faults = faults.join("; ");
            return Err(format!("{}, which the contract does not allow: {faults}: {}", answered(), body()));
        }
        Ok(reply)
    }

    /// All parts are well, the books among them.
    pub(crate) fn check_health(&self) -> Result<(), String> {
        self.run((self.tasks)())?;
        let health = self.ask(&FuzzRequest::get("/health"))?.json();
        if health["status"] == "ok" { Ok(()) } else { Err(format!("the service is not well: {health}")) }
    }

    /// For the preparation of a service: what is answered to a request that succeeds.
    pub(crate) fn done(&self, method: Method, path: &str, body: &Value) -> Value {
        let reply = self.ask(&FuzzRequest::json(method, path, body.to_string()));
        let reply = reply.unwrap_or_else(|fault| panic!("{fault}"));
        assert!(reply.status < 300, "{path}: {}", String::from_utf8_lossy(&reply.body));
        reply.json()
    }

    async fn answer(&self, request: &FuzzRequest) -> Result<Reply, String> {
        let response = self.waited_for(self.front().oneshot(request.to_http())).await?;
        let Ok(response): Result<Response, _> = response;
        let (parts, mut body) = response.into_parts();
        let (status, headers) = (parts.status.as_u16(), parts.headers);
        let mut reply = Reply { status, headers, body: BytesMut::new() };
        loop {
            let frame = match soon(body.frame()).await {
                None if reply.is_stream() => return Ok(reply),
                None => self.waited_for(body.frame()).await?,
                Some(frame) => frame,
            };
            match frame {
                None => return Ok(reply),
                Some(Ok(frame)) => reply.body.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
                Some(Err(fault)) => {
                    return Err(format!("the answer to {} broke off: {fault}", request.path()));
                }
            }
        }
    }

    async fn waited_for<F: Future>(&self, future: F) -> Result<F::Output, String> {
        let mut future = pin!(future);
        for _ in 0..LONGEST_WAIT_SECONDS {
            if let Some(output) = soon(&mut future).await {
                return Ok(output);
            }
            (self.tasks)().await?;
            self.clock.advance(Duration::from_secs(1));
        }
        Err(format!("there is no answer within {LONGEST_WAIT_SECONDS} s"))
    }
}

/// The future's output, if it needs no time on the clock.
async fn soon<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..TURNS {
        if let Poll::Ready(output) = futures::poll!(&mut future) {
            return Some(output);
        }
        tokio::task::yield_now().await;
    }
    None
}
