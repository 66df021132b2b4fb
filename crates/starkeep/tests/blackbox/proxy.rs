//! A proxy between the game service and the map service, run by the test: it forwards, stops a request at a chosen point
//! until the test decides, or is away. Everything that the map has heard is on its list.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use crate::door::Door;
use crate::message::Message;
use crate::patience::patiently;

pub(crate) struct Proxy {
    door: Door,
    wires: Arc<Wires>,
}

struct Wires {
    map: Mutex<SocketAddr>,
    traps: Mutex<Vec<Trap>>,
    heard: watch::Sender<Vec<Heard>>,
}

/// A request that the map has answered, whether or not the answer reached anybody.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
}

/// Where a request is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// It has arrived and the map knows nothing of it.
    AtTheDoor,
    /// The map has it and has not answered. This is only told, nothing is held.
    WithTheMap,
    /// The map has executed it, and its answer is held.
    Answered,
    /// Half of the answer has been sent.
    HalfAnswered,
}

struct Trap {
    method: &'static str,
    point: Point,
    tell: oneshot::Sender<Value>,
    verdict: oneshot::Receiver<Verdict>,
    done: oneshot::Sender<u16>,
}

enum Verdict {
    GoOn,
    Cut,
}

/// The test's side of a trap.
pub(crate) struct Stop {
    told: oneshot::Receiver<Value>,
    verdict: oneshot::Sender<Verdict>,
    done: oneshot::Receiver<u16>,
}

impl Stop {
    /// Waits until a request has come to the point; its body.
    pub(crate) async fn reached(&mut self) -> Value {
        patiently("a request to reach its point", &mut self.told).await.unwrap()
    }

    /// Lets it pass, also when nobody waits for the answer any more; the status that the map answered.
    pub(crate) async fn go_on(self) -> u16 {
        let _ = self.verdict.send(Verdict::GoOn);
        patiently("a request that was let pass", self.done).await.unwrap()
    }

    /// Lets nothing more pass and closes the connection; returns when that is done.
    pub(crate) async fn cut(self) {
        let _ = self.verdict.send(Verdict::Cut);
        assert!(patiently("a connection to be cut", self.done).await.is_err());
    }
}

impl Proxy {
    pub(crate) fn to(map: SocketAddr) -> Self {
        let wires =
            Wires { map: Mutex::new(map), traps: Mutex::default(), heard: watch::Sender::new(Vec::new()) };
        let wires = Arc::new(wires);
        let served = wires.clone();
        Self { door: Door::to(move |listener| serve(listener, served.clone()).boxed()), wires }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.door.address())
    }

    /// The map is to be found elsewhere from now on.
    pub(crate) fn lead_to(&self, map: SocketAddr) {
        *self.wires.map.lock().unwrap() = map;
    }

    /// Stops the next request with this method at the point.
    pub(crate) fn stop_next(&self, method: &'static str, point: Point) -> Stop {
        let ((tell, told), (verdict, judged), (done, seen)) =
            (oneshot::channel(), oneshot::channel(), oneshot::channel());
        self.wires.traps.lock().unwrap().push(Trap { method, point, tell, verdict: judged, done });
        Stop { told, verdict, done: seen }
    }

    /// Closes every connection and refuses new ones.
    pub(crate) async fn go_away(&mut self) {
        self.door.close().await;
    }

    pub(crate) fn come_back(&mut self) {
        self.door.open();
    }

    /// Waits until the map has heard such a request about the gameworld; the status that it answered.
    pub(crate) async fn heard(&self, method: &str, world: &Value) -> u16 {
        self.heard_often(1, method, world).await
    }

    /// Waits until the map has heard it so often; the last status that it answered.
    pub(crate) async fn heard_often(&self, times: usize, method: &str, world: &Value) -> u16 {
        let path = format!("/gameworlds/{}", world.as_str().unwrap());
        let wanted = |heard: &&Heard| heard.method == method && heard.path == path;
        let mut list = self.wires.heard.subscribe();
        let enough = list.wait_for(|list| list.iter().filter(wanted).count() >= times);
        let list = patiently(&format!("the map to hear {method} {path}"), enough).await.unwrap();
        list.iter().rfind(wanted).unwrap().status
    }
}

/// Ends, with every connection, when it is aborted.
async fn serve(listener: TcpListener, wires: Arc<Wires>) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let wires = wires.clone();
        connections.spawn(async move {
            // A client that was killed is no news here.
            let _ = wires.attend(client).await;
        });
    }
}

impl Wires {
    async fn attend(&self, mut client: TcpStream) -> io::Result<()> {
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
        let Trap { point, tell, verdict, done, .. } = trap;
        let mut tell = Some(tell);
        let mut told = || {
            let _ = tell.take().unwrap().send(request.json());
        };
        let go_on = async || match verdict.await {
            Ok(Verdict::GoOn) => Ok(()),
            Ok(Verdict::Cut) | Err(_) => Err(io::Error::other("cut")),
        };
        let answer = match point {
            Point::AtTheDoor => {
                told();
                go_on().await?;
                self.ask(request, || ()).await?
            }
            Point::WithTheMap => self.ask(request, told).await?,
            Point::Answered => {
                let answer = self.ask(request, || ()).await?;
                told();
                go_on().await?;
                answer
            }
            Point::HalfAnswered => {
                let answer = self.ask(request, || ()).await?;
                client.write_all(answer.half()).await?;
                told();
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
        let heard = Heard {
            method: request.method().to_owned(),
            path: request.path().to_owned(),
            status: answer.status(),
        };
        self.heard.send_modify(|list| list.push(heard));
        Ok(answer)
    }

    fn trap_for(&self, request: &Message) -> Option<Trap> {
        let mut traps = self.traps.lock().unwrap();
        let place = traps.iter().position(|trap| trap.method == request.method())?;
        Some(traps.remove(place))
    }
}
