//! The flags of `serve` that bound what clients may take of each service: connections, streams, heads and bodies of requests.

use std::time::Duration;

use clap::Args;
use starkeep_platform::http::connection::BodyLimits;
use starkeep_platform::http::serve::Limits;

use super::headings::LIMITS;
use crate::durations::duration;

#[derive(Args)]
pub(crate) struct LimitArgs {
    /// Connections of clients to each service at a time. One more closes those that have waited longest for a request; where all are
    /// busy it waits.
    #[arg(long, env = "STARKEEP_MAX_CONNECTIONS", value_name = "COUNT", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = LIMITS)]
    max_connections: u32,

    /// Streams of events of each service at a time; one more is answered with 503 and `too-many-readers`.
    #[arg(long, env = "STARKEEP_MAX_EVENT_STREAMS", value_name = "COUNT", default_value_t = 5_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = LIMITS)]
    max_event_streams: u32,

    /// How long the first line and the headers of a request may take, and how long a connection may be silent between two requests;
    /// then it is closed.
    #[arg(long, env = "STARKEEP_HEAD_TIMEOUT", value_name = "DURATION", default_value = "60s", value_parser = duration, help_heading = LIMITS)]
    head_timeout: Duration,

    /// Largest first line and headers of a request together, in bytes; beyond it 431.
    #[arg(long, env = "STARKEEP_MAX_HEAD", value_name = "BYTES", default_value_t = 65_536,
          value_parser = clap::value_parser!(u32).range(8_192..=1_048_576), help_heading = LIMITS)]
    max_head: u32,

    /// How long a request's body may take to arrive; then 408.
    #[arg(long, env = "STARKEEP_BODY_TIMEOUT", value_name = "DURATION", default_value = "30s", value_parser = duration, help_heading = LIMITS)]
    body_timeout: Duration,

    /// Largest body of a request in bytes; beyond it 413. Most endpoints take 1 MiB at most, the robot service 16 MiB, a gameworld 32 MiB,
    /// the trading service 64 MiB: less than that holds for all of them.
    #[arg(long, env = "STARKEEP_MAX_BODY", value_name = "BYTES", default_value_t = 67_108_864,
          value_parser = clap::value_parser!(u32).range(1_024..=67_108_864), help_heading = LIMITS)]
    max_body: u32,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        let size = |bytes: u32| usize::try_from(bytes).unwrap_or(usize::MAX);
        Limits {
            connections: size(self.max_connections),
            event_streams: size(self.max_event_streams),
            head: self.head_timeout,
            largest_head: size(self.max_head),
            body: BodyLimits { largest: size(self.max_body), arrival: self.body_timeout },
            ..Limits::default()
        }
    }
}
