//! Answers to GET that need nothing but memory, given before the routes are asked: what bots ask for all the time. Axum's
//! way to a handler (its copy of the path's parts, a boxed service, two boxed futures) costs more than such an answer itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use http::{Method, Request, Uri};
use pin_project_lite::pin_project;
use tower::Service;

use crate::answer::Answer;

/// The answer to GET, if it can be given at once; otherwise the routes are asked. It must be what they answer.
pub type AnswerFromMemory = Arc<dyn Fn(&Uri) -> Option<Answer> + Send + Sync>;

/// The routes of a service, and what is answered before they are asked.
pub struct ServiceRoutes {
    pub router: Router,
    pub from_memory: AnswerFromMemory,
}

impl From<Router> for ServiceRoutes {
    /// Nothing is answered before.
    fn from(router: Router) -> Self {
        Self { router, from_memory: Arc::new(|_| None) }
    }
}

/// A service that is asked only for what memory does not answer.
#[derive(Clone)]
pub struct FromMemory<S> {
    service: S,
    answer: AnswerFromMemory,
}

impl<S> FromMemory<S> {
    pub fn new(service: S, answer: AnswerFromMemory) -> Self {
        Self { service, answer }
    }
}

impl<S, B> Service<Request<B>> for FromMemory<S>
where
    S: Service<Request<B>, Response = Response>,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Answering<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let is_get = request.method() == Method::GET;
        match is_get.then(|| (self.answer)(request.uri())).flatten() {
            Some(answer) => Answering::Given { answer: Some(answer) },
            None => Answering::Asked { answer: self.service.call(request) },
        }
    }
}

pin_project! {
    #[project = Projected]
    pub enum Answering<F> {
        /// Taken when it is polled.
        Given { answer: Option<Answer> },
        Asked { #[pin] answer: F },
    }
}

impl<F, E> Future for Answering<F>
where
    F: Future<Output = Result<Response, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            Projected::Asked { answer } => answer.poll(context),
            Projected::Given { answer } => match answer.take() {
                Some(answer) => Poll::Ready(Ok(answer.into_response())),
                // Nobody polls a future that has ended.
                None => Poll::Pending,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http::StatusCode;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn only_a_get_that_memory_answers_does_not_come_to_the_routes() {
        let known: AnswerFromMemory = Arc::new(|uri| (uri.path() == "/known").then(|| Answer::ok(&"memory")));
        let router = Router::new().fallback(|| async { StatusCode::IM_A_TEAPOT });
        let service = FromMemory::new(router, known);
        for (method, path, status) in [
            (Method::GET, "/known", StatusCode::OK),
            (Method::GET, "/other", StatusCode::IM_A_TEAPOT),
            (Method::POST, "/known", StatusCode::IM_A_TEAPOT),
            (Method::HEAD, "/known", StatusCode::IM_A_TEAPOT),
        ] {
            let request = Request::builder().method(&method).uri(path).body(Body::empty()).unwrap();
            let answer = service.clone().oneshot(request).await.unwrap();
            assert_eq!(answer.status(), status, "{method} {path}");
        }
    }
}
