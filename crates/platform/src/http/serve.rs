//! The accept loop: our own over hyper, for the header and idle time-outs, the limit on connections
//! and a graceful stop. The listener and the end are handed in; tests bind port 0.

use std::convert::Infallible;
use std::net::SocketAddr;
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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service;

use super::connection::{BodyLimits, Connection};
use super::kept_timer::KeptTimer;
use super::open_connections::OpenConnections;
use crate::tasks::Stop;

/// While no place becomes free, so often somebody who waits for nothing in particular is asked to leave.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At a time. One more makes those leave that have waited longest for a request; if there are none it waits.
    pub connections: usize,
    /// Streams of events at a time.
    pub event_streams: usize,
    /// For the head of a request; also how long a connection may idle between two requests.
    pub head: Duration,
    /// The largest head of a request in bytes, its first line included; beyond it 431.
    pub largest_head: usize,
    pub body: BodyLimits,
    /// After a stop, for what is in flight.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            event_streams: 5_000,
            head: Duration::from_mins(1),
            largest_head: 64 * 1024,
            body: BodyLimits::default(),
            shutdown_timeout: Duration::from_secs(8),
        }
    }
}

/// Serves until the stop, then finishes what is in flight.
pub async fn serve<S>(listener: TcpListener, service: S, limits: Limits, stop: Stop)
where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let places = Arc::new(Semaphore::new(limits.connections));
    let open = OpenConnections::default();
    let service = TowerToHyperService::new(service);
    let mut http = http1::Builder::new();
    http.header_read_timeout(limits.head).max_header_size(limits.largest_head);
    let graceful = GracefulShutdown::new();
    loop {
        let (stream, peer) = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = accept(&listener) => accepted,
        };
        let place = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            place = free_place(&places, &open) => place,
        };
        let timer = KeptTimer::default();
        http.timer(timer.clone());
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service.clone()));
        let known = Connection { peer: Some(peer.ip()), body: limits.body };
        let connection = open.run(timer, known.around(connection));
        tokio::spawn(async move {
            // A client that breaks off is nothing to report.
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    if !patiently(limits.shutdown_timeout, graceful.shutdown()).await {
        tracing::warn!("some connections did not finish in time and were closed");
    }
}

/// A connection beyond the limit, and all behind it in the backlog, wait instead of being refused.
async fn free_place(places: &Arc<Semaphore>, open: &OpenConnections) -> OwnedSemaphorePermit {
    loop {
        if let Ok(place) = places.clone().try_acquire_owned() {
            return place;
        }
        let closed = open.close_longest_waiting();
        tracing::debug!(closed, "there are as many connections as may be");
        let mut place = None;
        let freed = async { place = places.clone().acquire_owned().await.ok() };
        patiently(ASK_AGAIN, freed).await;
        if let Some(place) = place {
            return place;
        }
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Small answers must not wait for an acknowledgement.
                let _ = stream.set_nodelay(true);
                return (stream, peer);
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
