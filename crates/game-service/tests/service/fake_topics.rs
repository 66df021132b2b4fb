//! Topics in memory, as far as the results of robots need some: a test puts records into them, and takes their broker away.
//! The topics with reports on robots are not there; their tests hand the records over themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers};
use starkeep_platform::relay::BrokerFault;
use tokio::sync::{mpsc, watch};

type Reads = watch::Sender<HashMap<String, usize>>;
type Read = Result<Vec<Record>, BrokerFault>;

/// Whether it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    #[default]
    Here,
    WithoutTopics,
    Away,
}

pub(crate) struct FakeTopics {
    presence: Mutex<Presence>,
    readers: Mutex<HashMap<String, mpsc::UnboundedSender<Read>>>,
    /// How often somebody has asked for the next records of a topic.
    reads: Reads,
}

impl FakeTopics {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            presence: Mutex::default(),
            readers: Mutex::default(),
            reads: watch::Sender::default(),
        })
    }

    pub(crate) fn set(&self, presence: Presence) {
        *self.presence.lock().unwrap_or_else(PoisonError::into_inner) = presence;
    }

    /// Returns when records of the topic have been asked for so often, in all.
    pub(crate) async fn read(&self, topic: &str, times: usize) {
        let enough = |reads: &HashMap<String, usize>| reads.get(topic).is_some_and(|reads| *reads >= times);
        self.reads.subscribe().wait_for(enough).await.expect("it is alive");
    }

    /// How often records of the topic have been asked for.
    pub(crate) fn reads(&self, topic: &str) -> usize {
        self.reads.borrow().get(topic).copied().unwrap_or_default()
    }

    pub(crate) fn put(&self, topic: &str, headers: &[(&str, &str)]) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let record = Record { position: "0".to_owned(), headers: headers.collect(), value: b"{}".to_vec() };
        self.send(topic, Ok(vec![record]));
    }

    /// Whoever reads the topic is told that the broker is lost.
    pub(crate) fn fail(&self, topic: &str) {
        self.send(topic, Err(fault()));
    }

    fn send(&self, topic: &str, read: Read) {
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.get(topic).expect("somebody reads it").send(read).expect("somebody reads it");
    }
}

fn fault() -> BrokerFault {
    BrokerFault { broker: "here".to_owned(), reason: "is lost".to_owned() }
}

impl TopicConsumers for FakeTopics {
    fn create<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async { Ok(()) }.boxed()
    }

    fn subscribe<'a>(
        &'a self,
        _: &'a str,
        _: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        async { Ok(None) }.boxed()
    }

    fn subscribe_at_end<'a>(
        &'a self,
        topic: &'a str,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        let presence = *self.presence.lock().unwrap_or_else(PoisonError::into_inner);
        async move {
            match presence {
                Presence::Away => Err(fault()),
                Presence::WithoutTopics => Ok(None),
                Presence::Here => {
                    let (sender, records) = mpsc::unbounded_channel();
                    let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
                    readers.insert(topic.to_owned(), sender);
                    let reader = Reader { reads: self.reads.clone(), topic: topic.to_owned(), records };
                    Ok(Some(Box::new(reader) as Box<dyn TopicConsumer>))
                }
            }
        }
        .boxed()
    }
}

struct Reader {
    reads: Reads,
    topic: String,
    records: mpsc::UnboundedReceiver<Read>,
}

impl TopicConsumer for Reader {
    fn next(&mut self) -> BoxFuture<'_, Read> {
        self.reads.send_modify(|reads| *reads.entry(self.topic.clone()).or_default() += 1);
        async { self.records.recv().await.unwrap_or_else(|| Err(fault())) }.boxed()
    }
}
