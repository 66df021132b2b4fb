//! Which pages may call the services (CORS). Every answer gets the same two headers; tower-http answers the questions that
//! browsers ask beforehand, and would cost every other request more than the rest of what is done around the routes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
};
use http::{HeaderValue, Method, Request, Response};
use pin_project_lite::pin_project;
use tower::{Layer as _, Service};
use tower_http::cors::{self, AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};

/// Which pages may call the services.
#[derive(Clone, Debug, Default)]
pub enum CorsOrigin {
    #[default]
    Any,
    Only(HeaderValue),
}

impl CorsOrigin {
    /// The service, whose answers browsers hand on to these pages.
    pub fn around<S: Clone>(self, service: S) -> Cors<S> {
        let origin = match self {
            Self::Any => HeaderValue::from_static("*"),
            Self::Only(origin) => origin,
        };
        // A `*` would not cover `Authorization`, so what is asked for is mirrored.
        let preflights = CorsLayer::new()
            .allow_origin(AllowOrigin::exact(origin.clone()))
            .allow_methods(AllowMethods::mirror_request())
            .allow_headers(AllowHeaders::mirror_request());
        Cors { preflights: Arc::new(preflights.layer(service.clone())), service, origin }
    }
}

/// A service whose answers say which pages may read them.
#[derive(Clone, Debug)]
pub struct Cors<S> {
    service: S,
    /// Shared, since a service is cloned for every request.
    preflights: Arc<cors::Cors<S>>,
    origin: HeaderValue,
}

impl<S, B, A> Service<Request<B>> for Cors<S>
where
    S: Service<Request<B>, Response = Response<A>> + Clone,
    A: Default,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Answering<S::Future, cors::ResponseFuture<S::Future>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let is_preflight = request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if is_preflight {
            return Answering::Preflight { answer: cors::Cors::clone(&self.preflights).call(request) };
        }
        Answering::Request { answer: self.service.call(request), origin: self.origin.clone() }
    }
}

pin_project! {
    #[project = Projected]
    /// An answer that gets its headers when it is there.
    pub enum Answering<F, P> {
        Request { #[pin] answer: F, origin: HeaderValue },
        Preflight { #[pin] answer: P },
    }
}

impl<F, P, A, E> Future for Answering<F, P>
where
    F: Future<Output = Result<Response<A>, E>>,
    P: Future<Output = Result<Response<A>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (answer, origin) = match self.project() {
            Projected::Preflight { answer } => return answer.poll(context),
            Projected::Request { answer, origin } => (answer, origin),
        };
        let mut answer = ready!(answer.poll(context));
        if let Ok(answer) = &mut answer {
            let headers = answer.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
        }
        Poll::Ready(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::StatusCode;
    use http::header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_REQUEST_HEADERS, ORIGIN,
    };
    use tower::{ServiceExt as _, service_fn};

    use super::*;

    /// What a page on another address gets from a service that answers 418.
    async fn asked(origin: CorsOrigin, request: http::request::Builder) -> Response<String> {
        let service = service_fn(async |_: Request<String>| {
            let mut answer = Response::new(String::new());
            *answer.status_mut() = StatusCode::IM_A_TEAPOT;
            Ok::<_, Infallible>(answer)
        });
        let request = request.header(ORIGIN, "http://elsewhere").body(String::new()).unwrap();
        origin.around(service).oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn every_answer_says_who_may_read_it() {
        let page = HeaderValue::from_static("http://page");
        for (origin, shown) in [(CorsOrigin::Any, "*"), (CorsOrigin::Only(page), "http://page")] {
            for method in [Method::GET, Method::POST, Method::OPTIONS] {
                let answer = asked(origin.clone(), Request::builder().method(method)).await;
                assert_eq!(answer.status(), StatusCode::IM_A_TEAPOT);
                assert_eq!(answer.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], shown);
                assert_eq!(answer.headers()[ACCESS_CONTROL_EXPOSE_HEADERS], "*");
            }
        }
    }

    #[tokio::test]
    async fn what_a_browser_asks_beforehand_is_allowed_without_the_service() {
        let question = Request::builder()
            .method(Method::OPTIONS)
            .header(ACCESS_CONTROL_REQUEST_METHOD, "DELETE")
            .header(ACCESS_CONTROL_REQUEST_HEADERS, "authorization");
        let answer = asked(CorsOrigin::Only(HeaderValue::from_static("http://page")), question).await;
        assert_eq!(answer.status(), StatusCode::OK);
        for (name, value) in [
            (ACCESS_CONTROL_ALLOW_ORIGIN, "http://page"),
            (ACCESS_CONTROL_ALLOW_METHODS, "DELETE"),
            (ACCESS_CONTROL_ALLOW_HEADERS, "authorization"),
        ] {
            assert_eq!(answer.headers()[name], value);
        }
    }
}
