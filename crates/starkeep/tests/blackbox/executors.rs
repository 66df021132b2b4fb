//! The two services that carry commands out, run by the test: they speak the real protocol, answer as the test says or not at all,
//! and keep a list of every batch that has arrived.

use std::collections::HashMap;
use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use starkeep_contract::command::CommandType;
use starkeep_platform::clock::{Clock, Monotonic, SystemClock};
use starkeep_test_http::{Message, within_limit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use uuid::Uuid;

use crate::closable_port::ClosablePort;
use crate::execution_wire::{BREAKDOWN, NOT_FOUND, Service};
use starkeep_fault_harness::Chance;

pub(crate) struct Executors {
    pub(crate) trading: FakeExecutor,
    pub(crate) robots: FakeExecutor,
    book: Arc<Book>,
}

#[derive(Default)]
struct Book {
    arrived: watch::Sender<Vec<Arrived>>,
    /// What the real ones would have turned down.
    unfit: Mutex<Vec<String>>,
}

/// A batch that was received as a whole, whether or not an answer arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub(crate) at: Monotonic,
    pub(crate) kind: CommandType,
    pub(crate) commands: Vec<Uuid>,
    pub(crate) text: String,
}

/// How a batch is answered.
pub(crate) enum Manner {
    Prompt,
    /// After so many milliseconds, drawn for each.
    Late(RangeInclusive<u64>, Chance),
    /// With a 500, whatever it is.
    Broken,
    /// Not at all.
    Silent,
}

pub(crate) struct FakeExecutor {
    port: ClosablePort,
    fake: Arc<FakeService>,
}

struct FakeService {
    service: Service,
    clock: Arc<SystemClock>,
    manner: Mutex<Manner>,
    book: Arc<Book>,
    /// How many connections have not yet brought all that they will.
    reading: watch::Sender<usize>,
}

impl Executors {
    pub(crate) fn start() -> Self {
        let (book, clock) = (Arc::<Book>::default(), SystemClock::start());
        let start = |service| FakeExecutor::start(service, clock.clone(), book.clone());
        Self { trading: start(Service::Trading), robots: start(Service::Robots), book: book.clone() }
    }

    /// What a game service needs to find them.
    pub(crate) fn flags(&self) -> Vec<String> {
        let url = |executor: &FakeExecutor| format!("http://{}", executor.port.address());
        vec!["--trading-url".into(), url(&self.trading), "--robot-url".into(), url(&self.robots)]
    }

    /// Everything that was sent until now, also by a process that is gone. All of it had its right form.
    pub(crate) async fn arrived(&self) -> Vec<Arrived> {
        self.trading.catch_up().await;
        self.robots.catch_up().await;
        assert_eq!(*self.book.unfit.lock().unwrap(), Vec::<String>::new());
        self.book.arrived.borrow().clone()
    }

    /// Waits until so many batches have arrived in all.
    pub(crate) async fn receive(&self, batches: usize) {
        let mut arrived = self.book.arrived.subscribe();
        within_limit("a batch", arrived.wait_for(|arrived| arrived.len() >= batches)).await.unwrap();
    }
}

/// How often each command is among the batches.
pub(crate) fn times(arrived: &[Arrived]) -> HashMap<Uuid, usize> {
    let mut times = HashMap::new();
    for id in arrived.iter().flat_map(|batch| &batch.commands) {
        *times.entry(*id).or_default() += 1;
    }
    times
}

impl FakeExecutor {
    fn start(service: Service, clock: Arc<SystemClock>, book: Arc<Book>) -> Self {
        let manner = Mutex::new(Manner::Prompt);
        let fake = Arc::new(FakeService { service, clock, manner, book, reading: watch::Sender::new(0) });
        let served = fake.clone();
        let port = ClosablePort::attended(move |client| {
            let reading = Reading::begun(served.clone());
            served.clone().attend(client, reading)
        });
        Self { port, fake }
    }

    /// From the next batch on.
    pub(crate) fn behave(&self, manner: Manner) {
        *self.fake.manner.lock().unwrap() = manner;
    }

    /// Connections are refused from now on.
    pub(crate) async fn go_away(&mut self) {
        self.port.close().await;
    }

    pub(crate) fn come_back(&mut self) {
        self.port.open();
    }

    /// Connections are accepted in their order: when one that brings nothing has come and gone, all before it are at the fake.
    async fn catch_up(&self) {
        if !self.port.is_open() {
            return;
        }
        let mut last = TcpStream::connect(self.port.address()).await.unwrap();
        last.shutdown().await.unwrap();
        within_limit("the fake", last.read_u8()).await.unwrap_err();
        let mut reading = self.fake.reading.subscribe();
        within_limit("what is under way", reading.wait_for(|reading| *reading == 0)).await.unwrap();
    }
}

/// A connection that has not yet brought all that it will. It ends also where the port is closed meanwhile.
struct Reading(Arc<FakeService>);

impl Reading {
    fn begun(fake: Arc<FakeService>) -> Self {
        fake.reading.send_modify(|reading| *reading += 1);
        Self(fake)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.reading.send_modify(|reading| *reading -= 1);
    }
}

impl FakeService {
    /// One batch a connection.
    async fn attend(self: Arc<Self>, mut client: TcpStream, reading: Reading) -> io::Result<()> {
        let message = Message::read(&mut client).await;
        // It keeps no robots and no accounts, and says nothing about its health.
        let known = ["/health", "/robots", "/balances", "/resources"];
        let asks = |path: &str| known.iter().any(|known| path.starts_with(known));
        let asked = matches!(&message, Ok(Some(message)) if message.method() == "GET" && asks(message.path_and_query()));
        let taken = message.map(|message| message.filter(|_| !asked).map(|message| self.take(&message)));
        drop(reading);
        if asked {
            return client.write_all(NOT_FOUND.as_bytes()).await;
        }
        let Some(consent) = taken? else { return Ok(()) };
        let (delay, answer) = match &mut *self.manner.lock().unwrap() {
            Manner::Prompt => (Some(0), consent),
            Manner::Late(millis, chance) => (Some(chance.draw(millis)), consent),
            Manner::Broken => (Some(0), BREAKDOWN),
            Manner::Silent => (None, consent),
        };
        let Some(delay) = delay else { return std::future::pending().await };
        self.clock.sleep_until(self.clock.monotonic().after(Duration::from_millis(delay))).await;
        client.write_all(answer.as_bytes()).await
    }

    /// Notes the batch; how it is answered by one who means well.
    fn take(&self, message: &Message) -> &'static str {
        let body = message.json();
        let fits = message.method() == "POST" && message.path_and_query() == "/commands";
        let text = String::from_utf8_lossy(message.bytes()).into_owned();
        let Some((kind, commands)) = self.service.read(&body).filter(|_| fits) else {
            self.book.unfit.lock().unwrap().push(text);
            return self.service.refusal();
        };
        let at = self.clock.monotonic();
        self.book.arrived.send_modify(|arrived| arrived.push(Arrived { at, kind, commands, text }));
        self.service.consent()
    }
}
