//! Counts what was asked and answered, by route template and never by path. A layer around the whole router: it takes no lock,
//! and a layer within the router would cost each request several allocations.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use http::{Method, Request, Response, StatusCode};
use matchit::Router as PathMatcher;
use pin_project_lite::pin_project;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, NoLabelSet};
use prometheus_client::metrics::MetricType;
use tower::Service;

/// Anybody can invent a method; a label for each would be kept for ever.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "other"];

/// The label of a path that no route has.
const NO_ROUTE: &str = "none";

/// Statuses have three digits.
const STATUSES: usize = 1000;

/// Of one service. Clones count together.
#[derive(Clone, Debug)]
pub struct RequestCounts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The last one is for paths without a route.
    routes: Vec<RouteCounts>,
    places: PathMatcher<usize>,
}

#[derive(Debug)]
struct RouteCounts {
    route: String,
    /// By method, then by status; most routes have one method.
    methods: [OnceLock<Box<[AtomicU64]>>; METHODS.len()],
}

impl RequestCounts {
    /// Of these route templates. A last part `{path}` stands for the rest of a path, slashes included: a contract cannot say it.
    pub fn new(routes: impl IntoIterator<Item = String>) -> Self {
        let (mut counts, mut places) = (Vec::new(), PathMatcher::new());
        for route in routes {
            let template = route.replace("/{path}", "/{*path}");
            places.insert(template, counts.len()).expect("the router has the same routes");
            counts.push(RouteCounts { route, methods: Default::default() });
        }
        counts.push(RouteCounts { route: NO_ROUTE.to_owned(), methods: Default::default() });
        Self(Arc::new(Inner { routes: counts, places }))
    }

    /// The service, whose answers are counted.
    pub fn count<S>(&self, service: S) -> Counted<S> {
        Counted { service, counts: self.clone() }
    }

    fn place(&self, path: &str) -> usize {
        self.0.places.at(path).map_or(self.0.routes.len() - 1, |found| *found.value)
    }
}

impl RouteCounts {
    fn add(&self, method: usize, status: StatusCode) {
        let counts = self.methods[method].get_or_init(|| (0..STATUSES).map(|_| AtomicU64::new(0)).collect());
        counts[usize::from(status.as_u16())].fetch_add(1, Ordering::Relaxed);
    }
}

fn place_of(method: &Method) -> usize {
    METHODS.iter().position(|known| *known == method.as_str()).unwrap_or(METHODS.len() - 1)
}

/// A service whose answers are counted.
#[derive(Clone, Debug)]
pub struct Counted<S> {
    service: S,
    counts: RequestCounts,
}

impl<S, B, A> Service<Request<B>> for Counted<S>
where
    S: Service<Request<B>, Response = Response<A>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Counting<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (route, method) = (self.counts.place(request.uri().path()), place_of(request.method()));
        Counting { answer: self.service.call(request), counts: self.counts.clone(), route, method }
    }
}

pin_project! {
    /// An answer that is counted when it is there.
    pub struct Counting<F> {
        #[pin]
        answer: F,
        counts: RequestCounts,
        route: usize,
        method: usize,
    }
}

impl<F, A, E> Future for Counting<F>
where
    F: Future<Output = Result<Response<A>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.answer.poll(context));
        if let Ok(answer) = &answer {
            this.counts.0.routes[*this.route].add(*this.method, answer.status());
        }
        Poll::Ready(answer)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    method: &'static str,
    route: String,
    status: u16,
}

impl Collector for RequestCounts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let mut family =
            encoder.encode_descriptor("http_requests", "Requests answered", None, MetricType::Counter)?;
        for RouteCounts { route, methods } in &self.0.routes {
            for (method, counts) in METHODS.iter().zip(methods) {
                let counts = counts.get().into_iter().flatten();
                for (status, count) in (0_u16..).zip(counts) {
                    let count = count.load(Ordering::Relaxed);
                    if count > 0 {
                        let labels = Labels { method, route: route.clone(), status };
                        let mut counter = family.encode_family(&labels)?;
                        counter.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_counted_under_its_route_and_an_unknown_method_under_other() {
        let counts = RequestCounts::new(["/planets/{id}", "/planets", "/page/{path}"].map(str::to_owned));
        let named = |path: &str| counts.0.routes[counts.place(path)].route.clone();
        assert_eq!(named("/planets"), "/planets");
        assert_eq!(named("/planets/7"), "/planets/{id}");
        assert_eq!(named("/planets/7/8"), NO_ROUTE);
        assert_eq!(named("/page/views/game.js"), "/page/{path}");
        assert_eq!(METHODS[place_of(&Method::PATCH)], "PATCH");
        assert_eq!(METHODS[place_of(&Method::TRACE)], "other");
    }
}
