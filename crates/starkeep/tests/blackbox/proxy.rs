//! A proxy between the game service and the map service, run by the test: it forwards, stops a request at a chosen point
//! until the test decides, or refuses connections. It keeps a list of everything that the map has answered.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use starkeep_test_http::{Message, within_limit};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};

use crate::closable_port::ClosablePort;

pub(crate) struct Proxy {
    port: ClosablePort,
    forwarder: Arc<Forwarder>,
}

struct Forwarder {
    map: Mutex<SocketAddr>,
    traps: Mutex<Vec<Trap>>,
    forwarded: watch::Sender<Vec<Forwarded>>,
}

/// A request that the map has answered, whether or not the answer reached anybody.
#[derive(Clone, Debug)]
pub(crate) struct Forwarded {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
}

/// Where a request is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// The proxy has it, and the map does not.
    Received,
    /// The map has it and has not answered. The test is notified, and nothing is held.
    Forwarded,
    /// The map has executed it, and its answer is held.
    Answered,
    /// Half of the answer has been sent.
    HalfAnswered,
}

struct Trap {
    method: &'static str,
    point: Point,
    reached: oneshot::Sender<Value>,
    verdict: oneshot::Receiver<Verdict>,
    done: oneshot::Sender<u16>,
}

enum Verdict {
    GoOn,
    Cut,
}

/// The test's side of a trap.
pub(crate) struct Stop {
    reached: oneshot::Receiver<Value>,
    verdict: oneshot::Sender<Verdict>,
    done: oneshot::Receiver<u16>,
}

impl Stop {
    /// Waits until a request has come to the point; its body.
    pub(crate) async fn reached(&mut self) -> Value {
        within_limit("a request to reach its point", &mut self.reached).await.unwrap()
    }

    /// Lets it pass, also when nobody waits for the answer any more; the status that the map answered.
    pub(crate) async fn go_on(self) -> u16 {
        let _ = self.verdict.send(Verdict::GoOn);
        within_limit("a request that was let pass", self.done).await.unwrap()
    }

    /// Lets nothing more pass and closes the connection; returns when that is done.
    pub(crate) async fn cut(self) {
        let _ = self.verdict.send(Verdict::Cut);
        assert!(within_limit("a connection to be cut", self.done).await.is_err());
    }
}

impl Proxy {
    pub(crate) fn to(map: SocketAddr) -> Self {
        let forwarder = Forwarder {
            map: Mutex::new(map),
            traps: Mutex::default(),
            forwarded: watch::Sender::new(Vec::new()),
        };
        let forwarder = Arc::new(forwarder);
        let served = forwarder.clone();
        Self { port: ClosablePort::attended(move |client| served.clone().attend(client)), forwarder }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.port.address())
    }

    /// The map is to be found elsewhere from now on.
    pub(crate) fn lead_to(&self, map: SocketAddr) {
        *self.forwarder.map.lock().unwrap() = map;
    }

    /// Stops the next request with this method at the point.
    pub(crate) fn stop_next(&self, method: &'static str, point: Point) -> Stop {
        let ((reach, reached), (verdict, judged), (done, seen)) =
            (oneshot::channel(), oneshot::channel(), oneshot::channel());
        self.forwarder.traps.lock().unwrap().push(Trap {
            method,
            point,
            reached: reach,
            verdict: judged,
            done,
        });
        Stop { reached, verdict, done: seen }
    }

    /// Closes every connection and refuses new ones.
    pub(crate) async fn go_away(&mut self) {
        self.port.close().await;
    }

    pub(crate) fn come_back(&mut self) {
        self.port.open();
    }

    /// Waits until the map has answered such a request about the gameworld; the status of its answer.
    pub(crate) async fn forwarded(&self, method: &str, world: &Value) -> u16 {
        self.forwarded_times(1, method, world).await
    }

    /// Waits until the map has answered it so often; the status of its last answer.
    pub(crate) async fn forwarded_times(&self, times: usize, method: &str, world: &Value) -> u16 {
        let path = format!("/gameworlds/{}", world.as_str().unwrap());
        let wanted = |request: &&Forwarded| request.method == method && request.path == path;
        let mut list = self.forwarder.forwarded.subscribe();
        let enough = list.wait_for(|list| list.iter().filter(wanted).count() >= times);
        let list = within_limit(&format!("the map to answer {method} {path}"), enough).await.unwrap();
        list.iter().rfind(wanted).unwrap().status
    }
}

impl Forwarder {
    async fn attend(self: Arc<Self>, mut client: TcpStream) -> io::Result<()> {
        while let Some(request) = Message::read(&mut client).await? {
            self.exchange(&mut client, &request).await?;
        }
        Ok(())
    }

    /// An error closes the connection.
    async fn exchange(&self, client: &mut TcpStream, request: &Message) -> io::Result<()> {
        let Some(trap) = self.trap_for(request) else {
            let answer = self.ask(request, || ()).await?;
            return client.write_all(answer.bytes()).await;
        };
        let Trap { point, reached, verdict, done, .. } = trap;
        let mut reached = Some(reached);
        let mut notify = || {
            let _ = reached.take().unwrap().send(request.json());
        };
        let go_on = async || match verdict.await {
            Ok(Verdict::GoOn) => Ok(()),
            Ok(Verdict::Cut) | Err(_) => Err(io::Error::other("cut")),
        };
        let answer = match point {
            Point::Received => {
                notify();
                go_on().await?;
                self.ask(request, || ()).await?
            }
            Point::Forwarded => self.ask(request, notify).await?,
            Point::Answered => {
                let answer = self.ask(request, || ()).await?;
                notify();
                go_on().await?;
                answer
            }
            Point::HalfAnswered => {
                let answer = self.ask(request, || ()).await?;
                client.write_all(answer.half()).await?;
                notify();
                go_on().await?;
                client.write_all(&answer.bytes()[answer.half().len()..]).await?;
                let _ = done.send(answer.status());
                return Ok(());
            }
        };
        let written = client.write_all(answer.bytes()).await;
        let _ = done.send(answer.status());
        written
    }

    async fn ask(&self, request: &Message, asked: impl FnOnce()) -> io::Result<Message> {
        let address = *self.map.lock().unwrap();
        let mut map = TcpStream::connect(address).await?;
        map.write_all(request.bytes()).await?;
        asked();
        let answer = Message::read(&mut map).await?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let forwarded = Forwarded {
            method: request.method().to_owned(),
            path: request.path_and_query().to_owned(),
            status: answer.status(),
        };
        self.forwarded.send_modify(|list| list.push(forwarded));
        Ok(answer)
    }

    fn trap_for(&self, request: &Message) -> Option<Trap> {
        let mut traps = self.traps.lock().unwrap();
        let place = traps.iter().position(|trap| trap.method == request.method())?;
        Some(traps.remove(place))
    }
}
