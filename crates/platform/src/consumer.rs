//! What others publish: topics of a broker, read from a place that the listener keeps itself.
//! Which topics there are, and what their records mean, is for the services to know.

use futures::future::BoxFuture;

use crate::relay::BrokerFault;

pub trait TopicConsumers: Send + Sync + 'static {
    /// Listens to the topic from that offset on, or from its oldest record if that one is gone. `None` while there is no
    /// such topic.
    fn subscribe<'a>(
        &'a self,
        topic: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>>;
}

/// A topic that is being listened to.
pub trait TopicConsumer: Send {
    /// Waits for the next records; at least one, in order.
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, BrokerFault>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub offset: u64,
    pub value: Vec<u8>,
}
