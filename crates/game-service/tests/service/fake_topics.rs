//! Topics in memory, as far as results and accounts need some: a test puts records into them, and takes their broker away.
//! The topics with reports on robots are not there; their tests hand the records over themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers, WhenLost};
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
    /// Everything that was ever put into each topic.
    records: Mutex<HashMap<String, Vec<Record>>>,
    readers: Mutex<HashMap<String, mpsc::UnboundedSender<Read>>>,
    /// How often somebody has asked for the next records of a topic.
    reads: Reads,
}

impl FakeTopics {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            presence: Mutex::default(),
            records: Mutex::default(),
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
        self.put_with(topic, headers, "{}");
    }

    /// Also where nobody reads the topic.
    pub(crate) fn put_with(&self, topic: &str, headers: &[(&str, &str)], value: &str) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let of_topic = records.entry(topic.to_owned()).or_default();
        let record =
            Record { position: of_topic.len().to_string(), headers: headers.collect(), value: value.into() };
        of_topic.push(record.clone());
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = readers.get(topic) {
            // One that has gone reads it from the topic when it comes again.
            let _ = reader.send(Ok(vec![record]));
        }
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
        topic: &'a str,
        after: Option<&'a str>,
        when_lost: WhenLost,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        if when_lost == WhenLost::Wait {
            return async { Ok(None) }.boxed();
        }
        let presence = *self.presence.lock().unwrap_or_else(PoisonError::into_inner);
        async move {
            match presence {
                Presence::Away => Err(fault()),
                Presence::WithoutTopics => Ok(None),
                Presence::Here => {
                    let (sender, records) = mpsc::unbounded_channel();
                    let kept = self.records.lock().unwrap_or_else(PoisonError::into_inner);
                    let first =
                        after.map_or(0, |after| after.parse::<usize>().expect("its own position") + 1);
                    for record in kept.get(topic).into_iter().flatten().skip(first) {
                        sender.send(Ok(vec![record.clone()])).expect("it is just made");
                    }
                    let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
                    readers.insert(topic.to_owned(), sender);
                    let (reads, topic) = (self.reads.clone(), topic.to_owned());
                    let reader = Reader { reads, topic, records, has_told_end: false };
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
    has_told_end: bool,
}

impl TopicConsumer for Reader {
    fn next(&mut self) -> BoxFuture<'_, Read> {
        if !self.has_told_end && self.records.is_empty() {
            self.has_told_end = true;
            return async { Ok(Vec::new()) }.boxed();
        }
        self.reads.send_modify(|reads| *reads.entry(self.topic.clone()).or_default() += 1);
        async { self.records.recv().await.unwrap_or_else(|| Err(fault())) }.boxed()
    }
}
