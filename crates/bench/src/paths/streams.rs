//! What is read of the log, how soon its readers have it, and what is sent on to Kafka.

use super::{Figure, MeasuredPath, Mode};
use crate::pairs::{latencies, relay, streams};

pub(super) const STREAMS: &[MeasuredPath] = &[
    MeasuredPath {
        name: "events-1",
        what: "events delivered, 1 SSE reader, one core",
        beside: "bare axum SSE loop",
        at_least: 0.7,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: |executable| streams::events(executable, 1),
    },
    MeasuredPath {
        name: "events-100",
        what: "events delivered, 100 SSE readers, one core",
        beside: "bare axum SSE loop, 100 readers",
        at_least: 0.9,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: |executable| streams::events(executable, 100),
    },
    MeasuredPath {
        name: "latency-sse",
        what: "p99 from a mining's answer to its event at an SSE reader, open loop, half load",
        beside: "bare axum + group commit with an SSE loop, same load",
        at_least: 0.5,
        figure: Figure::Lateness,
        mode: Mode::Quick,
        prepare: latencies::commit_to_reader,
    },
    MeasuredPath {
        name: "kafka-relay",
        what: "events sent by the Kafka relay",
        beside: "librdkafka alone, same records, acks=all",
        at_least: 0.7,
        figure: Figure::Rate,
        mode: Mode::Quick,
        prepare: relay::relay,
    },
];
