//! A connection between two services that can be made bad: it delays what is sent, swallows it, or cuts every connection.
//! It passes bytes on and understands none of them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::HarnessError;

/// How it treats what is sent over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Passes everything on.
    Open,
    /// Passes each piece on after this long.
    Slow(Duration),
    /// Takes everything, passes nothing on, and says nothing of it.
    Swallowing,
    /// Closes every connection, old and new.
    Cut,
}

/// Listens on a port of its own. It ends with its handle.
pub struct Link {
    address: SocketAddr,
    state: watch::Sender<LinkState>,
    accepting: JoinHandle<()>,
}

impl Link {
    /// To whoever listens there when a connection comes.
    pub async fn to(target: SocketAddr, clock: Arc<dyn Clock>) -> Result<Self, HarnessError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(HarnessError::during("a link"))?;
        let address = listener.local_addr().map_err(HarnessError::during("a link"))?;
        let (state, seen) = watch::channel(LinkState::Open);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (seen, clock) = (seen.clone(), clock.clone());
                tokio::spawn(async move {
                    // Whichever side is gone, the other one is closed, too.
                    let _ = connect(client, target, seen, clock).await;
                });
            }
        });
        Ok(Self { address, state, accepting })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on.
    pub fn set(&self, state: LinkState) {
        self.state.send_replace(state);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn connect(
    client: TcpStream,
    target: SocketAddr,
    state: watch::Receiver<LinkState>,
    clock: Arc<dyn Clock>,
) -> io::Result<()> {
    if *state.borrow() == LinkState::Cut {
        return Ok(());
    }
    let server = TcpStream::connect(target).await?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        ended = pass_on(from_client, to_server, state.clone(), clock.clone()) => ended,
        ended = pass_on(from_server, to_client, state.clone(), clock) => ended,
        () = is_cut(state) => Ok(()),
    }
}

async fn pass_on(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<LinkState>,
    clock: Arc<dyn Clock>,
) -> io::Result<()> {
    let mut piece = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut piece).await?;
        if read == 0 {
            return Ok(());
        }
        let now = *state.borrow_and_update();
        match now {
            LinkState::Open => {}
            LinkState::Slow(delay) => clock.sleep_until(clock.monotonic().after(delay)).await,
            // What was swallowed is missing from then on: the connection ends when the link is well again.
            LinkState::Swallowing => {
                let _ = state.wait_for(|state| *state != LinkState::Swallowing).await;
                return Ok(());
            }
            LinkState::Cut => return Ok(()),
        }
        to.write_all(&piece[..read]).await?;
    }
}

async fn is_cut(mut state: watch::Receiver<LinkState>) {
    if state.wait_for(|state| *state == LinkState::Cut).await.is_err() {
        // The link is gone, and with it whoever could cut it.
        std::future::pending::<()>().await;
    }
}
