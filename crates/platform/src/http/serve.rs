//! The accept loop: our own over hyper, for the header and idle time-outs, the limit on connections
//! and a graceful stop. The listener and the end are handed in; tests bind port 0.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::Service;

use super::kept_timer::KeptTimer;
use crate::tasks::Stop;

/// The largest head of a request, its first line included; beyond it 431.
const LARGEST_HEAD: usize = 64 * 1024;

/// What a connection may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connections: usize,
    /// For the head of a request; also how long a connection may idle between two requests.
    pub head: Duration,
    /// After a stop, for what is in flight.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 10_000, head: Duration::from_mins(1), shutdown_timeout: Duration::from_secs(8) }
    }
}

/// Serves until the stop, then finishes what is in flight.
pub async fn serve<S>(listener: TcpListener, service: S, limits: Limits, stop: Stop)
where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let places = Arc::new(Semaphore::new(limits.connections));
    let service = TowerToHyperService::new(service);
    let mut http = http1::Builder::new();
    http.header_read_timeout(limits.head).max_header_size(LARGEST_HEAD);
    let graceful = GracefulShutdown::new();
    loop {
        // A connection beyond the limit waits in the backlog instead of being refused.
        let place = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            place = places.clone().acquire_owned() => place.expect("the semaphore is never closed"),
        };
        let stream = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            stream = accept(&listener) => stream,
        };
        http.timer(KeptTimer::default());
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is nothing to report.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    if !patiently(limits.shutdown_timeout, graceful.shutdown()).await {
        tracing::warn!("some connections did not finish in time and were closed");
    }
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Small answers must not wait for an acknowledgement.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(fault) => {
                tracing::warn!(%fault, "a connection could not be accepted");
                // Out of file descriptors, most likely: trying again at once would only burn the processor.
                patiently(Duration::from_millis(100), std::future::pending::<()>()).await;
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a transport time-out is on the real clock")]
async fn patiently(span: Duration, future: impl Future<Output = ()>) -> bool {
    tokio::time::timeout(span, future).await.is_ok()
}
