//! librdkafka alone: sends the same record again and again, as fast as it takes them, and waits until all are acknowledged.
//! Its settings are those of the real relay; there is no log to read from and no position to keep.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext, ThreadedProducer};
use serde::{Deserialize, Serialize};

use crate::failure::{During, Failure};
use crate::{clock, process};

/// However slow the machine is.
const LIMIT: Duration = Duration::from_mins(2);

/// A record as the relay sends it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) key: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) payload: String,
}

/// What the program prints.
#[derive(Serialize, Deserialize)]
pub(crate) struct Produced {
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: Option<f64>,
}

/// How many the broker has acknowledged.
#[derive(Clone, Default)]
struct Acknowledged(Arc<AtomicU32>);

impl ClientContext for Acknowledged {}

impl ProducerContext for Acknowledged {
    type DeliveryOpaque = ();

    fn delivery(&self, delivery: &DeliveryResult<'_>, (): ()) {
        if delivery.is_ok() {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

pub(super) fn run(broker: &str, topic: &str, records: u32, record: &str) -> Result<(), Failure> {
    let record: Record = serde_json::from_str(record).during("reading the record")?;
    let acknowledged = Acknowledged::default();
    let producer: ThreadedProducer<Acknowledged> = ClientConfig::new()
        .set("bootstrap.servers", broker)
        .set("socket.nagle.disable", "true")
        .set("enable.idempotence", "true")
        .set("linger.ms", "1")
        .create_with_context(acknowledged.clone())
        .during("making a producer")?;
    // The connection is there once the first is acknowledged.
    send(&producer, topic, &record, 1)?;
    let (begun_at, cpu_before) = (clock::now(), process::cpu_seconds(std::process::id()));
    send(&producer, topic, &record, records)?;
    let seconds = (clock::now() - begun_at).as_secs_f64();
    let cpu_seconds =
        cpu_before.zip(process::cpu_seconds(std::process::id())).map(|(before, after)| after - before);
    if acknowledged.0.load(Ordering::Relaxed) != records + 1 {
        return Err(Failure::new("the broker did not take every record"));
    }
    println!(
        "{}",
        serde_json::to_string(&Produced { seconds, cpu_seconds }).during("writing what was found")?
    );
    Ok(())
}

fn send(
    producer: &ThreadedProducer<Acknowledged>,
    topic: &str,
    record: &Record,
    times: u32,
) -> Result<(), Failure> {
    for _ in 0..times {
        let headers = record
            .headers
            .iter()
            .fold(OwnedHeaders::new_with_capacity(record.headers.len()), |headers, (key, value)| {
                headers.insert(Header { key, value: Some(value) })
            });
        let one =
            BaseRecord::to(topic).partition(0).key(&record.key).payload(&record.payload).headers(headers);
        producer.send(one).map_err(|(error, _)| error).during("sending a record")?;
    }
    producer.flush(LIMIT).during("waiting for the broker")
}
