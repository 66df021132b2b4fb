//! Log lines: as text for a person, or as JSON for a collector.
//! There is no line a request at the default level.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Call it once, first of all. `filter` as in `info,starkeep_platform=debug`.
pub fn start(format: LogFormat, filter: &str, with_colours: bool) {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).parse_lossy(filter);
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(with_colours);
    match format {
        LogFormat::Text => log.with_target(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}
