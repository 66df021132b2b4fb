//! Readers of event streams, each on one connection for the whole slice: it reads from the beginning and goes on
//! until the slice is over.
//! What is counted are events delivered, by the lines that carry their ids.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::clock;
use crate::failure::{During, Failure};
use crate::load::HANG_LIMIT;
use crate::sample::{Sample, Slice};

/// The line with an event's id begins so.
const ID: &[u8] = b"\nid: ";

pub(crate) struct Streaming {
    pub(crate) address: SocketAddr,
    /// Asks for a stream that has more events than a slice can take.
    pub(crate) request: Arc<[u8]>,
    pub(crate) readers: usize,
}

impl Streaming {
    pub(crate) fn run(&self, slice: Slice) -> Result<Sample, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .during("starting the readers")?;
        runtime.block_on(clock::within(slice.whole() + HANG_LIMIT, self.slice(slice)))
    }

    async fn slice(&self, slice: Slice) -> Result<Sample, Failure> {
        let from = clock::now() + slice.warm_up;
        let until = from + slice.counted;
        let mut readers = JoinSet::new();
        for _ in 0..self.readers {
            readers.spawn(read(self.address, self.request.clone(), from, until));
        }
        let mut all = Sample::default();
        while let Some(reader) = readers.join_next().await {
            let read = reader.during("a reader")??;
            all.per_second += read.per_second;
            all.count = all.count.saturating_add(read.count);
            all.done = all.done.saturating_add(read.done);
        }
        if all.count == 0 {
            return Err(Failure::new("not one event was delivered"));
        }
        Ok(all)
    }
}

/// The events of one reader. Its last read is waited for and counted, and so is its time: a stall lowers
/// the rate of its reader.
async fn read(
    address: SocketAddr,
    request: Arc<[u8]>,
    from: Instant,
    until: Instant,
) -> Result<Sample, Failure> {
    let mut stream = TcpStream::connect(address).await.during("connecting")?;
    stream.write_all(&request).await.during("asking for the stream")?;
    let mut buffer = vec![0; 64 * 1024];
    let mut counter = Counter::default();
    let (mut delivered, mut done) = (0, 0);
    let mut last_at = from;
    while last_at < until {
        // Who has read all that there is waits for no more than the slice.
        let limit = if done == 0 { until + HANG_LIMIT } else { until };
        let Some(read) = clock::before(limit, stream.read(&mut buffer)).await else {
            last_at = last_at.max(until);
            break;
        };
        let read = read.during("reading the stream")?;
        if read == 0 {
            return Err(Failure::new("the stream ended"));
        }
        let events = counter.count(&buffer[..read]);
        done += events;
        let now = clock::now();
        if now >= from {
            delivered += events;
            last_at = now;
        }
    }
    Ok(Sample { done, ..Sample::of_rate(delivered, last_at - from) })
}

/// Counts ids in a stream of bytes, also where one lies across two reads.
#[derive(Default)]
struct Counter {
    matched: usize,
}

impl Counter {
    fn count(&mut self, bytes: &[u8]) -> u32 {
        let mut found = 0;
        for &byte in bytes {
            if byte == ID[self.matched] {
                self.matched += 1;
            } else {
                self.matched = usize::from(byte == ID[0]);
            }
            if self.matched == ID.len() {
                found += 1;
                self.matched = 0;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_counted_wherever_the_bytes_are_cut() {
        let text = b"retry: 1\n\nevent: a\nid: 1\ndata: {}\n\nevent: a\n\nid: 2\nid:3\n\nid: 4\n";
        for cut in 0..=text.len() {
            let mut counter = Counter::default();
            assert_eq!(counter.count(&text[..cut]) + counter.count(&text[cut..]), 3, "cut at {cut}");
        }
    }
}
