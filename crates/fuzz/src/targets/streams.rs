//! Streams of events as a client reads them, over a socket: in whatever pieces the bytes come, they say the same.
//! The client is asked as its users ask it; its parser is not known here.

use std::convert::Infallible;
use std::fmt::Write as _;

use starkeep_fault_harness::Chance;
use starkeep_http_client::{EventStream, Item, ServiceUrl, StartFrom};
use starkeep_platform::clock::ManualClock;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::mutator::Dictionary;
use crate::target::{Subject, Verdict};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\
    Connection: close\r\n\r\n";

/// Up to here an input is also sent byte by byte.
const LONGEST_IN_BYTES: usize = 300;

const LINES: [&str; 14] = [
    "event: status",
    "event: gap",
    "event: somethingNew",
    "id: 000000000000001f-42-00000007",
    "id: a\u{0}b",
    "id:",
    "retry: 1000",
    "retry: 99999999999999999999",
    ": keep-alive",
    "data: {}",
    "data",
    "\u{feff}data: x",
    "data: {\"reason\":\"expired\",\"resumesAfter\":\"x\"}",
    "\r",
];

pub(super) struct Streams {
    runtime: Runtime,
    /// One for many clients: a port is not free again for a while.
    listener: TcpListener,
    clients: u64,
}

/// What a client was told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    items: Vec<Item>,
    failures: Vec<String>,
    position: Option<String>,
}

impl Streams {
    pub(super) fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime can be made");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        Self { runtime, listener, clients: 0 }
    }

    fn told(&mut self, pieces: &[&[u8]]) -> Result<Told, String> {
        self.clients += 1;
        let client = format!("client-{}", self.clients);
        let address = self.listener.local_addr().map_err(|fault| fault.to_string())?;
        self.runtime.block_on(async {
            tokio::select! {
                told = read(ServiceUrl::local(address), client.clone()) => Ok(told),
                served = serve(&self.listener, &client, pieces) => {
                    Err(format!("the socket failed: {:?}", served.err()))
                }
            }
        })
    }
}

/// Answers the client, and nobody who has come back from before. Each piece is a chunk, which a client gets by itself.
async fn serve(listener: &TcpListener, client: &str, pieces: &[&[u8]]) -> std::io::Result<Infallible> {
    let mut answer = HEAD.to_vec();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        answer.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        answer.extend_from_slice(piece);
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    let expected = format!("after={client} ");
    loop {
        let (mut socket, _) = listener.accept().await?;
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") && socket.read_buf(&mut request).await? > 0 {}
        if String::from_utf8_lossy(&request).contains(&expected) {
            socket.write_all(&answer).await?;
            // It is the client that closes.
            while socket.read_buf(&mut request).await? > 0 {}
        }
    }
}

/// Until the connection is lost. It does not come back: its clock stands still.
async fn read(url: ServiceUrl, client: String) -> Told {
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().expect("a time stamp"));
    let mut stream = EventStream::open(url, clock, StartFrom::After(client), &[]).unlogged();
    let mut reached = stream.is_reached();
    let mut told = Told::default();
    loop {
        tokio::select! {
            biased;
            next = stream.next() => match next {
                Ok(item) => told.items.push(item),
                Err(failure) => told.failures.push(failure.to_string()),
            },
            _ = reached.wait_for(|is_reached| !is_reached) => break,
        }
    }
    // It is told nothing else where it begins.
    told.position = stream.position().filter(|position| !position.starts_with("client-")).map(str::to_owned);
    told
}

impl Subject for Streams {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let whole = self.told(&[input])?;
        // The same input is always cut at the same places.
        let mut chance =
            Chance(input.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte))));
        let cuts = chance.draw(&(1..=8));
        let mut cuts: Vec<usize> = (0..cuts).map(|_| place(input, &mut chance)).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        let mut all_pieces = vec![cuts.windows(2).map(|cut| &input[cut[0]..cut[1]]).collect::<Vec<_>>()];
        if input.len() <= LONGEST_IN_BYTES {
            all_pieces.push(input.chunks(1).collect());
        }
        for pieces in all_pieces {
            let told = self.told(&pieces)?;
            if told != whole {
                return Err(format!("in pieces it says {told:?}, as a whole {whole:?}"));
            }
        }
        let mut outcome = String::new();
        for item in whole.items.iter().take(5) {
            let kind = match item {
                Item::Event(event) => event.channel.name(),
                Item::Gap(_) => "gap",
            };
            let _ = write!(outcome, "{kind} ");
        }
        let failure = whole.failures.first().map(|failure| failure.replace(char::is_numeric, ""));
        Ok(format!("{outcome}{failure:?} {}", whole.position.is_some()))
    }

    fn dictionary(&self) -> Dictionary {
        let lines = LINES.map(|line| line.as_bytes().to_vec()).to_vec();
        let words = ["data", "event", "id", "retry", "gap", "status", "roundStatus", "payload", "headers"];
        Dictionary { words: words.map(|word| word.as_bytes().to_vec()).to_vec(), lines }
    }
}

fn place(input: &[u8], chance: &mut Chance) -> usize {
    usize::try_from(chance.draw(&(0..=input.len() as u64))).unwrap_or_default()
}
