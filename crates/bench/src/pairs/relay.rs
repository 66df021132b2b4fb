//! The relay: events that wait in the log, on their way to a Kafka broker. Beside it, librdkafka alone with the same records.
//! Each turn the log gets as many further events as the other side sends records.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use super::streams::first_station;
use super::{Measure, Pair};
use crate::bare::{Produced, Record};
use crate::clock;
use crate::failure::{During, Failure};
use crate::http;
use crate::kafka::Broker;
use crate::long_log::{lengthen, long_log};
use crate::program::{MAP, Server, producing};
use crate::sample::Sample;

/// The log before the first turn.
const BEGUN: u32 = 1_000;

/// Of a turn: enough to last for a good part of a second.
const RECORDS: u32 = 50_000;

const TOPIC: &str = "spacestation-created";
const SENT: &str = "starkeep_relay_events_sent_total";
const BEHIND: &str = "starkeep_relay_events_behind";

/// How often the relay is asked how far it is.
const ASKED_EVERY: Duration = Duration::from_millis(5);

/// However slow the machine is.
const LIMIT: Duration = Duration::from_mins(2);

pub(crate) fn relay(executable: &Path) -> Result<Pair, Failure> {
    let broker = Rc::new(Broker::start()?);
    let home = long_log(executable, BEGUN)?;
    let starkeep = Server::starkeep_map(executable, &home)?;
    let record = record(&starkeep)?;
    drop(starkeep);
    let record_file = home.path().join("record.json");
    std::fs::write(&record_file, record).during("writing the record")?;

    let (executable, kafka, mut log) = (executable.to_owned(), broker.clone(), BEGUN);
    let turns_home = home.clone();
    let ours: Measure = Box::new(move |_| {
        log += RECORDS;
        lengthen(&turns_home, "map", log)?;
        let flags = ["--kafka", &kafka.address, "--kafka-from", "start"];
        let starkeep = Server::starkeep(&executable, &turns_home, MAP, &flags)?;
        sent_by(&starkeep).map_err(|failure| starkeep.explained(failure))
    });
    let bare = Box::new(move |_| {
        let _lives_as_long = &home;
        let output = producing(&broker.address, TOPIC, RECORDS, &record_file)?
            .output()
            .during("starting librdkafka")?;
        if !output.status.success() {
            return Err(Failure::new(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let produced: Produced = serde_json::from_slice(&output.stdout).during("reading what was found")?;
        let took = Duration::from_secs_f64(produced.seconds);
        Ok(Sample { cpu_seconds: produced.cpu_seconds, ..Sample::of_rate(RECORDS, took) })
    });
    Ok(Pair { ours, bare })
}

/// From when the first were acknowledged until all are.
fn sent_by(starkeep: &Server) -> Result<Sample, Failure> {
    let started_at = clock::now();
    let mut begin = None;
    loop {
        let (sent, behind) = progress(starkeep)?;
        let now = clock::now();
        if sent > 0 {
            let (first, begun_at, cpu_before) = *begin.get_or_insert((sent, now, starkeep.cpu_seconds()));
            if behind == 0 && sent > first {
                let cpu_seconds =
                    cpu_before.zip(starkeep.cpu_seconds()).map(|(before, after)| after - before);
                return Ok(Sample { cpu_seconds, ..Sample::of_rate(sent - first, now - begun_at) });
            }
            if behind == 0 {
                // All at once, before it could be asked a second time.
                return Ok(Sample::of_rate(sent, now - started_at));
            }
        }
        if now - started_at > LIMIT {
            return Err(Failure::new(format!("after {LIMIT:?} {behind} events still wait for Kafka")));
        }
        clock::wait_until(now + ASKED_EVERY);
    }
}

fn progress(starkeep: &Server) -> Result<(u32, u32), Failure> {
    http::exchange(starkeep.address, &http::get(starkeep.address, "/metrics"), 200, |answer| {
        let text = String::from_utf8_lossy(answer.body);
        Ok((metric(&text, SENT)?, metric(&text, BEHIND)?))
    })
}

fn metric(text: &str, name: &str) -> Result<u32, Failure> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().last());
    value.ok_or_else(|| Failure::new(format!("/metrics shows no {name}")))?.parse().during(name)
}

/// An event as the relay sends it.
fn record(starkeep: &Server) -> Result<String, Failure> {
    let event = first_station(starkeep)?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let headers: BTreeMap<_, _> = event
        .headers
        .as_object()
        .map(|headers| headers.iter().map(|(name, value)| (name.clone(), text(value))).collect())
        .unwrap_or_default();
    let key = "6f2a1c04-58be-4d7e-9a31-000000000001".to_owned();
    let record = Record { key, headers, payload: event.payload.to_string() };
    serde_json::to_string(&record).during("writing the record")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_read_with_or_without_labels() {
        let text = "# TYPE starkeep_relay_events_behind gauge\nstarkeep_relay_events_behind 7\n\
                    starkeep_relay_events_sent_total{service=\"map\"} 12\n";
        assert_eq!((metric(text, SENT).unwrap(), metric(text, BEHIND).unwrap()), (12, 7));
        assert!(metric(text, "starkeep_requests_total").is_err());
    }
}
