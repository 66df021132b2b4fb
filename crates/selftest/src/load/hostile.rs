//! Slow and broken clients: half a head, half a body, garbage, a stream that is never read. They must disturb nobody.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use starkeep_clock::{Clock, within};
use starkeep_fault_harness::Chance;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::service::LoadSwitch;

/// At a time; the oldest is let go for the next.
const MOST_OPEN: usize = 64;
/// Between two of them.
const PAUSE: Duration = Duration::from_millis(5);
/// Of a connection that does not come about.
const PATIENCE: Duration = Duration::from_secs(1);

const SAID: [&[u8]; 7] = [
    b"",
    b"GET /ga",
    b"POST /games HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"maxRo",
    b"POST /players HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n\xff\xfe\"",
    b"GET /events HTTP/1.1\r\nhost: x\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"DELETE /games/../../etc HTTP/9.9\r\n\r\n",
];

/// How many connections there were.
pub(crate) type Opened = Arc<AtomicU64>;

pub(crate) async fn disturb(
    addresses: Vec<SocketAddr>,
    clock: Arc<dyn Clock>,
    mut chance: Chance,
    load: LoadSwitch,
    opened: Opened,
) {
    let mut open = Vec::new();
    while !load.has_ended() {
        clock.sleep_until(clock.monotonic().after(PAUSE)).await;
        let address = *chance.pick(&addresses);
        let Some(Ok(mut stream)) = within(&*clock, PATIENCE, TcpStream::connect(address)).await else {
            continue;
        };
        opened.fetch_add(1, Ordering::Relaxed);
        let said: &&[u8] = chance.pick(&SAID[..]);
        let _ = stream.write_all(said).await;
        match chance.draw(&(0..=2)) {
            // Gone at once.
            0 => {}
            // Reads a little of what it is told.
            1 => drop(within(&*clock, PAUSE, stream.read(&mut [0; 16])).await),
            // Stays, and says and reads nothing more.
            _ => open.push(stream),
        }
        if open.len() > MOST_OPEN {
            open.remove(0);
        }
    }
}
