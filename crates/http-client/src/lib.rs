//! Calls to a service and the stream of its events: one caller with time-outs, token, problem bodies and a rule for what
//! may be sent again, used by the services and the client alike. Nothing here belongs to a server.

mod answer;
mod call;
mod caller;
mod failure;
mod network;
mod query;
mod service_url;
mod sse;
mod stream;
mod token;

pub use self::answer::Answer;
pub use self::call::Call;
pub use self::caller::{Caller, Connections, Timeout};
pub use self::failure::{Failure, Refusal};
pub use self::network::{AnswerBody, BodyFault, DeliveredBody, Delivery, Network};
pub use self::query::encode_query;
pub use self::service_url::{BadServiceUrl, ServiceUrl};
pub use self::stream::{EventStream, Item, StartFrom};
pub use self::token::Token;
