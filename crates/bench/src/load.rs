//! The load generator: keep-alive connections that send prepared requests one after the other, on one thread.
//! It shares two cores with what it measures, so per answer it reads the clock once, allocates nothing and
//! never renders a request.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::clock;
use crate::failure::{During, Failure};
use crate::http;
use crate::stats::percentile;

/// How long an answer may take after the slice is over before the server counts as hung.
pub(crate) const HANG_LIMIT: Duration = Duration::from_secs(10);

/// What each of `clients` connections sends in turn, and the only status that counts as an answer.
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Arc<[Vec<u8>]>,
    pub(crate) clients: usize,
    pub(crate) expected: u16,
}

/// One turn of one side: answers during the warm-up are not counted.
#[derive(Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) warm_up: Duration,
    pub(crate) counted: Duration,
}

impl Slice {
    pub(crate) fn times(self, longer: u32) -> Self {
        Self { warm_up: self.warm_up * longer, counted: self.counted * longer }
    }
}

/// What one turn of one side gave.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Sample {
    pub(crate) per_second: f64,
    pub(crate) p50_micros: f64,
    pub(crate) p99_micros: f64,
    /// The most memory that the process has had, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_bytes: Option<u64>,
}

impl Sample {
    pub(crate) fn at_least_as_late_as(self, late: Duration) -> Self {
        Self { p99_micros: self.p99_micros.max(1_000_000.0 * late.as_secs_f64()), ..self }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}/s, p99 {:.2} ms", self.per_second, self.p99_micros / 1_000.0)?;
        match self.memory_bytes {
            Some(bytes) => write!(f, ", at most {} MB", bytes.div_ceil(1_000_000)),
            None => Ok(()),
        }
    }
}

impl Load {
    pub(crate) fn run(&self, slice: Slice) -> Result<Sample, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .during("starting the load generator")?;
        let limit = slice.warm_up + slice.counted + HANG_LIMIT;
        runtime.block_on(clock::within(limit, self.slice(slice)))
    }

    async fn slice(&self, slice: Slice) -> Result<Sample, Failure> {
        let mut connections = Vec::with_capacity(self.clients);
        for _ in 0..self.clients {
            let stream = TcpStream::connect(self.address).await.during("connecting")?;
            stream.set_nodelay(true).during("connecting")?;
            connections.push(stream);
        }
        let counted_from = clock::now() + slice.warm_up;
        let window = Window { from: counted_from, until: counted_from + slice.counted };

        let mut clients = JoinSet::new();
        for (number, stream) in connections.into_iter().enumerate() {
            let first = number * self.requests.len() / self.clients;
            clients.spawn(client(stream, Arc::clone(&self.requests), first, self.expected, window));
        }
        let mut all = Answers { nanos: Vec::new(), last_at: window.until };
        while let Some(ended) = clients.join_next().await {
            let mut answers = ended.during("a client")??;
            all.nanos.append(&mut answers.nanos);
            all.last_at = all.last_at.max(answers.last_at);
        }
        all.nanos.sort_unstable();
        sample(&all.nanos, all.last_at - window.from)
    }
}

/// Requests are sent until its end. What is then under way is still waited for and counted, and its time as
/// well, so that a stall of the machine lowers a figure and never leaves it without an answer.
#[derive(Clone, Copy)]
struct Window {
    from: Instant,
    until: Instant,
}

/// The latencies of the counted answers, and when the last of them came.
struct Answers {
    nanos: Vec<u32>,
    last_at: Instant,
}

async fn client(
    mut stream: TcpStream,
    requests: Arc<[Vec<u8>]>,
    first: usize,
    expected: u16,
    window: Window,
) -> Result<Answers, Failure> {
    let mut buffer = vec![0; 16 * 1024];
    let mut nanos = Vec::with_capacity(64 * 1024);
    let mut sent_at = clock::now();
    for request in requests.iter().cycle().skip(first) {
        stream.write_all(request).await.during("sending")?;
        receive(&mut stream, &mut buffer, expected).await?;
        let answered_at = clock::now();
        if answered_at >= window.from {
            let latency = answered_at - sent_at;
            nanos.push(u32::try_from(latency.as_nanos()).unwrap_or(u32::MAX));
        }
        sent_at = answered_at;
        if answered_at >= window.until {
            break;
        }
    }
    Ok(Answers { nanos, last_at: sent_at })
}

async fn receive(stream: &mut TcpStream, buffer: &mut Vec<u8>, expected: u16) -> Result<(), Failure> {
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
            if answer.status == expected {
                return Ok(());
            }
            return Err(Failure::new(format!("expected {expected}, got {}", answer.shown())));
        }
    }
}

/// The figures of answers that took so long each, and together.
pub(crate) fn sample(sorted_nanos: &[u32], took: Duration) -> Result<Sample, Failure> {
    let answers = u32::try_from(sorted_nanos.len()).during("counting the answers")?;
    let micros = |percent| f64::from(percentile(sorted_nanos, percent)) / 1_000.0;
    Ok(Sample {
        per_second: f64::from(answers) / took.as_secs_f64(),
        p50_micros: micros(50),
        p99_micros: micros(99),
        memory_bytes: None,
    })
}
