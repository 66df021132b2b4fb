//! A port of the test's own that can be closed and opened again: while it is closed, connections are refused.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::program::STARTING;

pub(crate) struct ClosablePort {
    address: SocketAddr,
    state: State,
    attend: Attend,
}

/// Serves one connection. An error closes it: the client may have been killed.
type Attend = Arc<dyn Fn(TcpStream) -> BoxFuture<'static, io::Result<()>> + Send + Sync>;

enum State {
    Open(JoinHandle<()>),
    /// Bound and not listening: connections are refused, and nobody else takes the port meanwhile.
    Closed(TcpSocket),
}

impl ClosablePort {
    /// Open, at a port that is free. Connections are taken in their order, each as soon as `attend` has returned its future.
    pub(crate) fn attended<Served>(attend: impl Fn(TcpStream) -> Served + Send + Sync + 'static) -> Self
    where
        Served: Future<Output = io::Result<()>> + Send + 'static,
    {
        let socket = bound("127.0.0.1:0".parse().unwrap());
        let address = socket.local_addr().unwrap();
        let mut port = Self {
            address,
            state: State::Closed(socket),
            attend: Arc::new(move |client| attend(client).boxed()),
        };
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
            self.state = State::Open(tokio::spawn(serve(listener, self.attend.clone())));
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

/// Ends, with every connection, when it is aborted.
async fn serve(listener: TcpListener, attend: Attend) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        connections.spawn(attend(client));
    }
}

fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.set_reuseport(true).unwrap();
    socket.bind(address).unwrap();
    socket
}
