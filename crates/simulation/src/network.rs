//! The simulated network between clients and services: each request takes its time, goes to one of the replicas, and may be
//! refused, swallowed or answered in vain. It notes which batches of commands arrived where.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Collected, Full, StreamBody};
use hyper::body::Body as _;
use starkeep_contract::batch_headers;
use starkeep_fault_harness::Chance;
use starkeep_http_client::{BodyFault, DeliveredBody, Delivery, Failure, Network, ServiceUrl};
use starkeep_platform::http::common::Front;
use starkeep_platform::memory::PlantedBug;
use tokio_util::task::AbortOnDropHandle;
use tower::ServiceExt as _;

use crate::process::Process;
use crate::time::SimulatedTime;

/// So long one way takes, in microseconds.
const USUAL: std::ops::RangeInclusive<u64> = 50..=1_000;
/// How often a stream that is swallowed is tried again.
const RESEND: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFault {
    /// No connection comes about, and those that there are break.
    Refusing,
    /// Nothing arrives, and nobody is told.
    Swallowing,
    /// Requests arrive and take effect; their answers are lost.
    LosingAnswers,
    /// Each way takes longer by so much.
    Slow(Duration),
}

/// From whom to whom.
pub(crate) type Link = (&'static str, &'static str);

pub(crate) struct SimulatedNetwork {
    time: Arc<SimulatedTime>,
    chance: Mutex<Chance>,
    faults: Mutex<BTreeMap<Link, LinkFault>>,
    /// Who listens, by service.
    listening: Mutex<BTreeMap<&'static str, Vec<Listener>>>,
    /// How often each batch of commands arrived.
    batches: Mutex<BTreeMap<String, u32>>,
    /// Whether executors seem to be such as carry a batch out each time it comes.
    hides_executes_once: bool,
    /// A planted bug.
    repeats: bool,
}

#[derive(Clone)]
struct Listener {
    process: Process,
    front: Front,
}

impl Listener {
    /// Returns when it runs; a connection to one that dies breaks.
    async fn is_there(&self) -> Result<(), Failure> {
        tokio::select! {
            biased;
            () = self.process.died() => Err(broken()),
            () = self.process.runs() => Ok(()),
        }
    }
}

fn broken() -> Failure {
    Failure::NoAnswer("the connection broke".to_owned())
}

impl SimulatedNetwork {
    pub(crate) fn new(
        time: Arc<SimulatedTime>,
        chance: Chance,
        hides_executes_once: bool,
        planted: Option<PlantedBug>,
    ) -> Arc<Self> {
        Arc::new(Self {
            time,
            chance: Mutex::new(chance),
            faults: Mutex::default(),
            listening: Mutex::default(),
            batches: Mutex::default(),
            hides_executes_once,
            repeats: planted == Some(PlantedBug::RequestsRepeated),
        })
    }

    pub(crate) fn set(&self, link: Link, fault: Option<LinkFault>) {
        match fault {
            Some(fault) => lock(&self.faults).insert(link, fault),
            None => lock(&self.faults).remove(&link),
        };
    }

    pub(crate) fn listen(&self, service: &'static str, process: Process, front: Front) {
        lock(&self.listening).entry(service).or_default().push(Listener { process, front });
    }

    /// It takes no new requests.
    pub(crate) fn close(&self, service: &'static str, process: &Process) {
        let mut listening = lock(&self.listening);
        let listeners = listening.entry(service).or_default();
        listeners.retain(|listener| !listener.process.is_same(process) && !listener.process.is_dead());
    }

    /// A service as one process calls it.
    pub(crate) fn url(self: &Arc<Self>, (from, to): Link, caller: &Process) -> ServiceUrl {
        let route = Route { network: self.clone(), link: (from, to), caller: caller.clone() };
        let url = ServiceUrl::parse(&format!("http://{to}")).expect("the name of a service");
        url.over(Arc::new(route))
    }

    /// Batches that came more than once to executors of which nobody knew that they carry out once.
    pub(crate) fn repeated_batches(&self) -> Vec<String> {
        let batches = lock(&self.batches);
        let repeated = batches.iter().filter(|(_, times)| self.hides_executes_once && **times > 1);
        repeated.map(|(batch, times)| format!("a batch was sent {times} times: {batch}")).collect()
    }

    fn fault(&self, link: Link) -> Option<LinkFault> {
        lock(&self.faults).get(&link).copied()
    }

    async fn travel(&self, link: Link) {
        let usual = Duration::from_micros(lock(&self.chance).draw(&USUAL));
        let longer = match self.fault(link) {
            Some(LinkFault::Slow(longer)) => longer,
            _ => Duration::ZERO,
        };
        self.pause(usual + longer).await;
    }

    async fn pause(&self, span: Duration) {
        self.time.sleep_until(self.time.now().after(span)).await;
    }

    /// One of those who live, as a load balancer finds them.
    fn pick(&self, service: &'static str) -> Option<Listener> {
        let listening = lock(&self.listening);
        let living: Vec<_> =
            listening.get(service)?.iter().filter(|listener| !listener.process.is_dead()).collect();
        (!living.is_empty()).then(|| (*lock(&self.chance).pick(&living)).clone())
    }

    fn note(&self, to: &str, request: &Request<Bytes>) {
        if request.method() == Method::POST && request.uri().path() == "/commands" && to != "game" {
            let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
            let (game, round) = (header(batch_headers::GAME), header(batch_headers::ROUND));
            let body = String::from_utf8_lossy(request.body());
            *lock(&self.batches).entry(format!("{to} {game:?} {round:?} {body}")).or_default() += 1;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The way from one process to a service.
#[derive(Clone)]
struct Route {
    network: Arc<SimulatedNetwork>,
    link: Link,
    caller: Process,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from {} to {}", self.link.0, self.link.1)
    }
}

impl Network for Route {
    fn deliver(&self, request: Request<Full<Bytes>>) -> Delivery {
        let route = self.clone();
        Box::pin(async move {
            let first = route.clone().exchange(request.clone()).await;
            match first {
                Err(Failure::NoAnswer(_)) if route.network.repeats => route.exchange(request).await,
                outcome => outcome,
            }
        })
    }
}

impl Route {
    async fn exchange(self, request: Request<Full<Bytes>>) -> Result<Response<DeliveredBody>, Failure> {
        let network = &self.network;
        self.caller.runs().await;
        network.travel(self.link).await;
        match network.fault(self.link) {
            Some(LinkFault::Refusing) => return Err(Failure::NotSent("connection refused".to_owned())),
            Some(LinkFault::Swallowing) => pending().await,
            Some(LinkFault::LosingAnswers | LinkFault::Slow(_)) | None => {}
        }
        let not_sent = || Failure::NotSent("nobody listens".to_owned());
        let listener = network.pick(self.link.1).ok_or_else(not_sent)?;
        listener.is_there().await?;
        let (head, body) = request.into_parts();
        let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
        let request = Request::from_parts(head, body);
        network.note(self.link.1, &request);
        let is_health = request.uri().path() == "/health";
        let answering = listener.front.clone().oneshot(request.map(Body::from));
        if network.fault(self.link) == Some(LinkFault::LosingAnswers) {
            // Whoever asked has no part in it any more.
            tokio::spawn(answering);
            return pending().await;
        }
        // A connection ends with either side, and with it what is done for it.
        let (caller, service) = (self.caller.clone(), listener.process.clone());
        let answering = AbortOnDropHandle::new(tokio::spawn(async move {
            tokio::select! {
                biased;
                () = caller.died() => None,
                () = service.died() => None,
                answer = answering => Some(answer.unwrap_or_else(|never: Infallible| match never {})),
            }
        }));
        let answer = answering.await.ok().flatten().ok_or_else(broken)?;
        listener.is_there().await?;
        network.travel(self.link).await;
        match network.fault(self.link) {
            Some(LinkFault::Refusing) => return Err(broken()),
            Some(LinkFault::Swallowing | LinkFault::LosingAnswers) => pending().await,
            Some(LinkFault::Slow(_)) | None => {}
        }
        self.caller.runs().await;
        if is_health && network.hides_executes_once {
            return Ok(without_executes_once(answer).await);
        }
        let (head, body) = answer.into_parts();
        let body = if body.size_hint().exact().is_some() {
            body.map_err(BodyFault::from).boxed_unsync()
        } else {
            self.stream(body, listener.process)
        };
        Ok(Response::from_parts(head, body))
    }

    /// A body that comes piece by piece, and breaks off with its sender or with the link.
    fn stream(self, body: Body, sender: Process) -> DeliveredBody {
        let frames = stream::unfold(Some((self, body, sender)), |state| async move {
            let (route, mut body, sender) = state?;
            let frame = tokio::select! {
                biased;
                () = sender.died() => None,
                frame = body.frame() => Some(frame?),
            };
            route.network.travel(route.link).await;
            while route.network.fault(route.link) == Some(LinkFault::Swallowing) {
                route.network.pause(RESEND).await;
            }
            route.caller.runs().await;
            let is_broken = route.network.fault(route.link) == Some(LinkFault::Refusing);
            match frame {
                Some(Ok(frame)) if !is_broken => Some((Ok(frame), Some((route, body, sender)))),
                _ => Some((Err(BodyFault::from("the connection broke")), None)),
            }
        });
        StreamBody::new(frames).boxed_unsync()
    }
}

/// The answer to a question after its health, as an executor of another kind gives it.
async fn without_executes_once(answer: Response<Body>) -> Response<DeliveredBody> {
    let (mut head, body) = answer.into_parts();
    let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let mut health: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    if let Some(health) = health.as_object_mut() {
        health.remove("executesOnce");
    }
    head.headers.remove(http::header::CONTENT_LENGTH);
    let body = Full::new(Bytes::from(health.to_string()));
    Response::from_parts(head, body.map_err(|never| match never {}).boxed_unsync())
}
