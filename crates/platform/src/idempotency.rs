//! Idempotency keys: what a request with one is known by, and how its twins in flight wait for one another.
//! The answers themselves are kept by the store, in the transaction of their effect.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use crate::answer::Answer;

/// How long a successful answer is kept at least. It is repeated as long as it is kept; see `cleanup`.
pub const ANSWER_LIFETIME: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);

/// Takes a few milliseconds.
const DIGESTED_AT_ONCE: usize = 1024 * 1024;

/// What makes two requests the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestKey {
    pub key: String,
    pub method: String,
    pub path: String,
}

/// A request's claim on its key. While it lives, twins wait; so it lives as long as the work itself.
#[derive(Debug)]
pub struct KeyClaim {
    pub request_key: RequestKey,
    pub body_digest: [u8; 32],
    pub claimed_at: Timestamp,
    in_flight: Arc<InFlight>,
    /// Dropping it wakes the twins.
    _done: watch::Sender<()>,
}

pub fn digest(body: &[u8]) -> [u8; 32] {
    Sha256::digest(body).into()
}

/// The same for bodies of any size: between pieces the thread's other tasks get their turn.
pub(crate) async fn digest_in_pieces(body: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    let mut pieces = body.chunks(DIGESTED_AT_ONCE).peekable();
    while let Some(piece) = pieces.next() {
        digest.update(piece);
        if pieces.peek().is_some() {
            tokio::task::yield_now().await;
        }
    }
    digest.finalize().into()
}

/// A kept answer, with the digest of the body that it answered.
pub struct StoredAnswer {
    pub body_digest: [u8; 32],
    pub answer: Answer,
}

/// Where kept answers are found.
pub trait AnswerStore: Send + Sync + 'static {
    fn find<'a>(
        &'a self,
        request_key: &'a RequestKey,
    ) -> Pin<Box<dyn Future<Output = Result<Option<StoredAnswer>, String>> + Send + 'a>>;
}

/// The requests with a key that are under way in this process.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<HashMap<RequestKey, watch::Receiver<()>>>);

impl InFlight {
    /// Waits until no twin is under way, then claims the key.
    pub async fn claim(
        self: &Arc<Self>,
        request_key: RequestKey,
        body_digest: [u8; 32],
        claimed_at: Timestamp,
    ) -> KeyClaim {
        loop {
            let mut twin = {
                let mut under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(twin) = under_way.get(&request_key) else {
                    let (done, waiting) = watch::channel(());
                    under_way.insert(request_key.clone(), waiting);
                    let in_flight = self.clone();
                    return KeyClaim { request_key, body_digest, claimed_at, in_flight, _done: done };
                };
                twin.clone()
            };
            // An error says it: the ticket of the first request was dropped.
            let _ = twin.changed().await;
        }
    }
}

impl Drop for KeyClaim {
    fn drop(&mut self) {
        let mut under_way = self.in_flight.0.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.remove(&self.request_key);
    }
}

type Render<T> = Arc<dyn Fn(&T) -> Option<Answer> + Send + Sync>;

/// How a successful answer is stored for a repeated request; empty where the request had no key.
pub struct AnswerRecorder<T>(Option<(Arc<KeyClaim>, Render<T>)>);

impl<T> Clone for AnswerRecorder<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: 'static> AnswerRecorder<T> {
    pub fn none() -> Self {
        Self(None)
    }

    /// For work of several steps: stores an answer only where the step's output already is the answer's.
    #[must_use]
    pub fn when<U: 'static>(
        self,
        finished: impl Fn(&U) -> Option<&T> + Send + Sync + 'static,
    ) -> AnswerRecorder<U> {
        AnswerRecorder(self.0.map(|(claim, render)| {
            let render: Render<U> =
                Arc::new(move |output| finished(output).and_then(|output| render(output)));
            (claim, render)
        }))
    }

    /// Does the request have a key?
    pub fn has_key(&self) -> bool {
        self.0.is_some()
    }

    /// The request's claim, if it has a key.
    pub(crate) fn claim(&self) -> Option<&KeyClaim> {
        self.0.as_ref().map(|(claim, _)| &**claim)
    }

    pub(crate) fn answer(&self, output: &T) -> Option<(Arc<KeyClaim>, Answer)> {
        let (claim, render) = self.0.as_ref()?;
        Some((claim.clone(), render(output)?))
    }
}

/// A handler's view of the request's key: with it the answer is stored, without it nothing is.
#[derive(Clone, Debug, Default)]
pub struct IdempotencyContext(pub(crate) Option<Arc<KeyClaim>>);

impl IdempotencyContext {
    pub fn without_key() -> Self {
        Self(None)
    }

    pub fn with_claim(claim: KeyClaim) -> Self {
        Self(Some(Arc::new(claim)))
    }

    pub fn with<T: 'static>(
        self,
        render: impl Fn(&T) -> Answer + Send + Sync + 'static,
    ) -> AnswerRecorder<T> {
        let render: Render<T> = Arc::new(move |output| Some(render(output)));
        AnswerRecorder(self.0.map(|claim| (claim, render)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_key(key: &str) -> RequestKey {
        RequestKey { key: key.to_owned(), method: "POST".to_owned(), path: "/games".to_owned() }
    }

    #[tokio::test]
    async fn a_twin_waits_until_the_first_is_done_and_others_do_not() {
        let in_flight = Arc::new(InFlight::default());
        let first = in_flight.claim(request_key("a"), [0; 32], Timestamp::UNIX_EPOCH).await;
        let _other = in_flight.claim(request_key("b"), [0; 32], Timestamp::UNIX_EPOCH).await;
        let twin = in_flight.claim(request_key("a"), [0; 32], Timestamp::UNIX_EPOCH);
        let mut twin = Box::pin(twin);
        assert!(futures::poll!(&mut twin).is_pending());
        drop(first);
        assert!(futures::poll!(&mut twin).is_ready());
    }

    #[tokio::test]
    async fn a_digest_does_not_depend_on_the_pieces_and_large_ones_let_others_in() {
        for (size, is_at_once) in
            [(0, true), (7, true), (DIGESTED_AT_ONCE, true), (DIGESTED_AT_ONCE * 2 + 3, false)]
        {
            let body: Vec<u8> = (0..size).map(|place| place.to_le_bytes()[0]).collect();
            let mut digested = Box::pin(digest_in_pieces(&body));
            assert_eq!(futures::poll!(&mut digested).is_ready(), is_at_once, "{size} bytes");
            assert_eq!(digest_in_pieces(&body).await, digest(&body), "{size} bytes");
        }
    }
}
