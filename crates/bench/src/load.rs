//! The load generator: keep-alive connections that each send one request after the other, on one thread.
//! It shares two cores with what it measures, so per answer it reads the clock once and, where requests can be prepared,
//! renders none.
//! `wrk` is not used where it is present: measured on the same bare server in the same minute, it took 8 to 9 µs of CPU a
//! request, this one 8 µs. It would bring nothing but turns of whole seconds, and needs a script for bodies and random ids.

use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::clock;
use crate::failure::{During, Failure};
use crate::http::{self, Answer};
use crate::sample::{Sample, Slice, nanos};

/// How long an answer may take after the slice is over before the server counts as hung.
pub(crate) const HANG_LIMIT: Duration = Duration::from_mins(1);

/// By how many requests the turns of a client begin apart: more than it sends in a turn of most paths.
const FURTHER: usize = 7_919;

/// What one client says.
pub(crate) trait Talk: Send {
    fn request(&mut self) -> &[u8];

    /// The answer to it; any that is not as expected is a failure.
    fn answered(&mut self, answer: &Answer<'_>) -> Result<(), Failure>;
}

/// So many clients on connections of their own, at once.
pub(crate) struct Load {
    /// The server of each client.
    addresses: Vec<SocketAddr>,
    /// Of the client of this number, anew for each turn.
    talk: Box<dyn Fn(usize) -> Box<dyn Talk>>,
}

impl Load {
    pub(crate) fn new(
        address: SocketAddr,
        clients: usize,
        talk: impl Fn(usize) -> Box<dyn Talk> + 'static,
    ) -> Self {
        Self { addresses: vec![address; clients], talk: Box::new(talk) }
    }

    /// All clients send the same prepared requests, in the same order, but begin at different ones.
    pub(crate) fn prepared(
        address: SocketAddr,
        requests: impl IntoIterator<Item = Asked>,
        clients: usize,
    ) -> Self {
        Self::prepared_for_all(vec![address], requests, clients)
    }

    /// The same with so many clients of each of these servers, which all have the same answers.
    pub(crate) fn prepared_for_all(
        servers: Vec<SocketAddr>,
        requests: impl IntoIterator<Item = Asked>,
        clients_of_each: usize,
    ) -> Self {
        let requests: Arc<[Asked]> = requests.into_iter().collect();
        let (begun, clients) = (Cell::new(0), servers.len() * clients_of_each);
        let talk = move |client| -> Box<dyn Talk> {
            let turn = begun.replace(begun.get() + 1) / clients;
            let first = client * requests.len() / clients + turn * FURTHER;
            Box::new(Prepared { next: first % requests.len(), requests: requests.clone() })
        };
        let addresses = servers.into_iter().cycle().take(clients).collect();
        Self { addresses, talk: Box::new(talk) }
    }

    pub(crate) fn run(&self, slice: Slice) -> Result<Sample, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .during("starting the load generator")?;
        runtime.block_on(clock::within(slice.whole() + HANG_LIMIT, self.slice(slice)))
    }

    async fn slice(&self, slice: Slice) -> Result<Sample, Failure> {
        let mut connections = Vec::with_capacity(self.addresses.len());
        for &address in &self.addresses {
            connections.push(connected(address).await?);
        }
        let counted_from = clock::now() + slice.warm_up;
        let window = Window { from: counted_from, until: counted_from + slice.counted };

        let mut clients = JoinSet::new();
        for (number, stream) in connections.into_iter().enumerate() {
            clients.spawn(client(stream, (self.talk)(number), window));
        }
        let mut all = Answers { nanos: Vec::new(), done: 0, last_at: window.until };
        while let Some(ended) = clients.join_next().await {
            let mut answers = ended.during("a client")??;
            all.nanos.append(&mut answers.nanos);
            all.done += answers.done;
            all.last_at = all.last_at.max(answers.last_at);
        }
        let sample = Sample::of_latencies(all.nanos, all.last_at - window.from)?;
        Ok(Sample { done: all.done, ..sample })
    }
}

/// A request, and the only status that counts as an answer to it.
pub(crate) struct Asked {
    pub(crate) request: Vec<u8>,
    pub(crate) expected: u16,
}

/// Prepared requests, again and again.
struct Prepared {
    requests: Arc<[Asked]>,
    next: usize,
}

impl Talk for Prepared {
    fn request(&mut self) -> &[u8] {
        &self.requests[self.next].request
    }

    fn answered(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        let Asked { expected, .. } = self.requests[self.next];
        self.next = (self.next + 1) % self.requests.len();
        answer.must_be(expected)
    }
}

/// Requests are sent until its end. What is then under way is still waited for and counted, and its time as
/// well, so that a stall of the machine lowers a figure and never leaves it without an answer.
#[derive(Clone, Copy)]
struct Window {
    from: Instant,
    until: Instant,
}

/// The latencies of the counted answers, how many answers there were in all, and when the last of them came.
struct Answers {
    nanos: Vec<u32>,
    done: u32,
    last_at: Instant,
}

async fn client(mut stream: TcpStream, mut talk: Box<dyn Talk>, window: Window) -> Result<Answers, Failure> {
    let mut buffer = vec![0; 16 * 1024];
    let mut answers = Answers { nanos: Vec::with_capacity(16 * 1024), done: 0, last_at: clock::now() };
    while answers.last_at < window.until {
        stream.write_all(talk.request()).await.during("sending")?;
        receive(&mut stream, &mut buffer, |answer| talk.answered(answer)).await?;
        let answered_at = clock::now();
        if answered_at >= window.from {
            answers.nanos.push(nanos(answered_at - answers.last_at));
        }
        answers.done += 1;
        answers.last_at = answered_at;
    }
    Ok(answers)
}

pub(crate) async fn connected(address: SocketAddr) -> Result<TcpStream, Failure> {
    let stream = TcpStream::connect(address).await.during("connecting")?;
    stream.set_nodelay(true).during("connecting")?;
    Ok(stream)
}

/// The next answer, given to `accept`.
pub(crate) async fn receive<T>(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    accept: impl FnOnce(&Answer<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize(2 * filled, 0);
        }
        let count = stream.read(&mut buffer[filled..]).await.during("receiving")?;
        if count == 0 {
            return Err(Failure::new("the server closed a connection that was waiting for its answer"));
        }
        filled += count;
        if let Some(answer) = http::parse(&buffer[..filled])? {
            return accept(&answer);
        }
    }
}
