//! What others publish: topics of a broker, created for them and read from a position that the consumer keeps itself.
//! Which topics there are, and what their records mean, is for the services to know.

use futures::future::BoxFuture;

use crate::relay::BrokerFault;

pub trait TopicConsumers: Send + Sync + 'static {
    /// Creates those that are missing, also where some of them cannot be created.
    fn create<'a>(&'a self, topics: &'a [&'a str]) -> BoxFuture<'a, Result<(), BrokerFault>>;

    /// Reads the topic after that position, or from its oldest record if there is none or the next record is gone. `None`
    /// while there is no such topic. A position that this broker cannot have given is a fault.
    fn subscribe<'a>(
        &'a self,
        topic: &'a str,
        after: Option<&'a str>,
        when_lost: WhenLost,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>>;
}

/// What a consumer does when its broker is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenLost {
    /// It waits for the broker's return.
    Wait,
    /// It fails, so that nobody waits for records that cannot come.
    Fail,
}

/// A topic that is being read.
pub trait TopicConsumer: Send {
    /// Waits for the next records, in order. Once it gives none: all that were there at the beginning have been given.
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, BrokerFault>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it stands in its topic, in the broker's own form. It is stored and handed back, never computed with.
    pub position: String,
    pub value: Vec<u8>,
    /// Names and values, as far as they are text.
    pub headers: Vec<(String, String)>,
}

impl Record {
    /// The last header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().rev().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}
