//! How a request gets to a service: over the machine's network, or over one that a simulation puts in its place.
//! Both end alike: with the head of an answer, or with what is certain about the request.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use starkeep_clock::error_chain;

use crate::failure::Failure;

/// Why the body of an answer broke off.
pub type BodyFault = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer that came over a network in the place of the machine's.
pub type DeliveredBody = UnsyncBoxBody<Bytes, BodyFault>;

/// The head of an answer, or how the exchange failed: `NotSent` or `NoAnswer`.
pub type Delivery = Pin<Box<dyn Future<Output = Result<Response<DeliveredBody>, Failure>> + Send>>;

type Exchange<'a> = Pin<Box<dyn Future<Output = Result<Response<AnswerBody>, Failure>> + Send + 'a>>;

/// A network in the place of the machine's.
pub trait Network: fmt::Debug + Send + Sync + 'static {
    fn deliver(&self, request: Request<Full<Bytes>>) -> Delivery;
}

/// The body of an answer, whichever way it comes.
#[derive(Debug)]
pub enum AnswerBody {
    Machine(Incoming),
    Other(DeliveredBody),
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = BodyFault;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyFault>>> {
        match &mut *self {
            Self::Machine(body) => Pin::new(body).poll_frame(context).map_err(Into::into),
            Self::Other(body) => Pin::new(body).poll_frame(context),
        }
    }
}

#[derive(Clone)]
pub(crate) enum Transport {
    Machine(Client<HttpConnector, Full<Bytes>>),
    Other(Arc<dyn Network>),
}

impl Transport {
    /// Boxed, so that the client is compiled here, once, and not in every crate that calls a service.
    pub(crate) fn exchange(&self, request: Request<Full<Bytes>>) -> Exchange<'_> {
        Box::pin(async {
            match self {
                Self::Machine(client) => match client.request(request).await {
                    Ok(answer) => Ok(answer.map(AnswerBody::Machine)),
                    Err(fault) if fault.is_connect() => Err(Failure::NotSent(error_chain(&fault))),
                    Err(fault) => Err(Failure::NoAnswer(error_chain(&fault))),
                },
                Self::Other(network) => Ok(network.deliver(request).await?.map(AnswerBody::Other)),
            }
        })
    }
}
