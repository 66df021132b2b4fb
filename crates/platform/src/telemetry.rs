//! Log lines: as text for a person, or as JSON for a collector.
//! There is no line a request at the default level.

mod full_disk;

use std::backtrace::{Backtrace, BacktraceStatus};

use tracing::{Level, Metadata};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::full_disk::WithoutFullDisk;
use crate::background_output;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Call it once, first of all, and `background_output::finish` at the end. `filter` as in `info,starkeep_platform=debug`.
pub fn start(format: LogFormat, filter: &str, with_colours: bool) {
    let lines = fmt::layer().with_writer(background_output::stderr).with_ansi(with_colours);
    let lines = match format {
        LogFormat::Text => lines.with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let filters = targets(filter).and_then(filter_fn(has_no_values)).and_then(WithoutFullDisk);
    tracing_subscriber::registry().with(filters).with(lines).init();
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let output = background_output::stderr();
        output.print_line(&format!("thread '{}' {panic}", thread.name().unwrap_or("unnamed")));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            output.print_line(&backtrace.to_string());
        }
    }));
}

/// PostgreSQL's driver logs the values of statements at lower levels, among them tokens and mail addresses.
fn has_no_values(line: &Metadata<'_>) -> bool {
    !line.target().starts_with("tokio_postgres") || *line.level() <= Level::INFO
}

/// A filter that cannot be read does not keep the program from starting.
fn targets(filter: &str) -> Targets {
    let usual = || Targets::new().with_default(LevelFilter::INFO);
    if filter.is_empty() {
        return usual();
    }
    filter.parse().unwrap_or_else(|fault| {
        let text = format!("the log filter `{}` is not used: {fault}", filter.escape_debug());
        background_output::stderr().print_line(&text);
        usual()
    })
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter as Level;

    use super::*;

    #[test]
    fn a_filter_is_a_level_for_all_and_one_for_each_target() {
        let shown = |filter: &str, target: &str| {
            let levels = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];
            let shown = levels.into_iter().filter_map(Level::into_level);
            shown.filter(|level| targets(filter).would_enable(target, level)).count()
        };
        for (filter, platform, other) in [
            ("info", 3, 3),
            ("off", 0, 0),
            ("", 3, 3),
            ("warn,starkeep_platform=debug", 4, 2),
            ("starkeep_platform=error", 1, 0),
            ("info,starkeep_platform=loud", 3, 3),
        ] {
            assert_eq!(
                (shown(filter, "starkeep_platform::relay"), shown(filter, "hyper")),
                (platform, other),
                "{filter}"
            );
        }
    }
}
