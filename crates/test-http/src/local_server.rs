//! Routes at a free port of this machine.

use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Serves until it is stopped, at the latest with its handle.
pub struct LocalServer {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl LocalServer {
    pub async fn start(routes: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self { address, serving }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections are refused when it returns.
    pub async fn stop(mut self) {
        self.serving.abort();
        assert!((&mut self.serving).await.is_err_and(|end| end.is_cancelled()), "it served until now");
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
