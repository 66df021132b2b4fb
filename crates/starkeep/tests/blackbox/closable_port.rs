//! A port of the test's own that can be closed and opened again: while it is closed, connections are refused.

use std::net::SocketAddr;

use futures::future::BoxFuture;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;

use crate::program::STARTING;

pub(crate) struct ClosablePort {
    address: SocketAddr,
    state: State,
    serve: Serve,
}

/// Ends, with every connection, when it is aborted.
type Serve = Box<dyn Fn(TcpListener) -> BoxFuture<'static, ()> + Send + Sync>;

enum State {
    Open(JoinHandle<()>),
    /// Bound and not listening: connections are refused, and nobody else takes the port meanwhile.
    Closed(TcpSocket),
}

impl ClosablePort {
    /// Open, at a port that is free.
    pub(crate) fn serving(
        serve: impl Fn(TcpListener) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        let socket = bound("127.0.0.1:0".parse().unwrap());
        let address = socket.local_addr().unwrap();
        let mut port = Self { address, state: State::Closed(socket), serve: Box::new(serve) };
        port.open();
        port
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    pub(crate) fn open(&mut self) {
        let serving = tokio::spawn(std::future::pending());
        if let State::Closed(socket) = std::mem::replace(&mut self.state, State::Open(serving)) {
            let listener = socket.listen(128).unwrap();
            self.state = State::Open(tokio::spawn((self.serve)(listener)));
        }
    }

    /// Closes every connection and refuses new ones.
    pub(crate) async fn close(&mut self) {
        if let State::Open(serving) = &mut self.state {
            let _no_process_starts = STARTING.lock().await;
            // Bound again before it is released: nobody else gets the port in between.
            let kept = bound(self.address);
            serving.abort();
            let _ = serving.await;
            self.state = State::Closed(kept);
        }
    }
}

fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.set_reuseport(true).unwrap();
    socket.bind(address).unwrap();
    socket
}
