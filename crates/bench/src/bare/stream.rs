//! A bare axum stream of Server-Sent Events: a loop that sends the same event again and again, under a new id.
//! There is no log behind it, no position to resume from and nobody to wait for.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::Event;
use axum::routing::get;
use futures::stream::{self, Stream, StreamExt as _};

/// `data` is that of a real event.
pub(crate) fn router(data: String) -> Router {
    Router::new().route("/events", get(events)).with_state(Arc::from(data))
}

async fn events(State(data): State<Arc<str>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(stream::iter(0_u64..).map(move |number| {
        let id = format!("0123456789abcdef-{number}-01234567");
        Ok(Event::default().event("spacestation-created").id(id).data(&*data))
    }))
}
