//! The flags of `serve`: every one with the sentence that the docs would have, and the environment variable beside it.
//! What the values mean together is checked in `serve`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use starkeep_contract::Dialect;
use starkeep_platform::relay::RelayStart;
use starkeep_platform::retention::RetentionPolicy;
use starkeep_platform::telemetry::LogFormat;

use super::executors::ExecutorArgs;
use super::headings::{ACCESS, ADDRESSES, GAMES, KAFKA, LOGGING, ROBOT_AND_TRADING, STORAGE};
use super::limits::LimitArgs;
use super::listen::Listen;
use super::output::OutputArgs;
use super::player_access::PlayerAccessArgs;
use super::token::TokenArgs;
use super::words::or_legacy_env;
use crate::durations::{duration, duration_or_off};

/// The schemas of an installation are called starkeep_game, starkeep_map, …
pub(crate) const SCHEMA_PREFIX: &str = "starkeep";

/// Where everything durable is if nobody says otherwise.
pub(super) const DATA_DIR: &str = "starkeep-data";

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Which services to run.
    #[arg(value_enum, default_value_t = Which::All)]
    pub which: Which,

    #[command(flatten)]
    pub flags: ServeFlags,
}

#[derive(Args)]
pub(crate) struct ServeFlags {
    /// Directory for all durable data; created if missing. Each process needs its own. Default: starkeep-data; of `demo` a
    /// temporary one.
    #[arg(long, env = "STARKEEP_DATA_DIR", value_name = "DIRECTORY", help_heading = STORAGE)]
    pub data_dir: Option<PathBuf>,

    /// PostgreSQL database for all durable data instead of a directory, as in postgresql://user:password@host/database; each service
    /// keeps to a schema of its own (starkeep_game, starkeep_map, …), which is made if missing. Several hosts may be named; the one
    /// that can be written is used. sslmode is disable, prefer, require or verify-full (with sslrootcert, or the system's certificates).
    /// Needs the feature `postgres`.
    #[arg(long, env = "STARKEEP_DATABASE_URL", hide_env_values = true, value_name = "URL", conflicts_with = "data_dir", help_heading = STORAGE)]
    pub database_url: Option<String>,

    /// What the names of the schemas begin with. Only for the self-test, which makes schemas of its own: other commands do not know it. Needs
    /// the feature `postgres`.
    #[arg(long, env = "STARKEEP_SCHEMA_PREFIX", hide = true, value_name = "NAME", default_value = SCHEMA_PREFIX, help_heading = STORAGE)]
    pub schema_prefix: String,

    /// By how many seconds the wall clock is ahead of the machine's. Only for the self-test.
    #[arg(long, env = "STARKEEP_SHIFT_WALL_CLOCK", hide = true, value_name = "SECONDS", default_value_t = 0, allow_negative_numbers = true,
          help_heading = LOGGING)]
    pub shift_wall_clock: i64,

    /// Address on which the game service listens, as in localhost:8080; port 0 picks a free port. Default: 127.0.0.1:8080.
    #[arg(long, env = "STARKEEP_GAME_LISTEN", value_name = "ADDRESS", help_heading = ADDRESSES)]
    pub game_listen: Option<Listen>,

    /// Address on which the map service listens; port 0 picks a free port. Default: 127.0.0.1:8081.
    #[arg(long, env = "STARKEEP_MAP_LISTEN", value_name = "ADDRESS", help_heading = ADDRESSES)]
    pub map_listen: Option<Listen>,

    /// URL of the map service, for the other services. Default with `serve all`: the map service of this process; otherwise
    /// http://127.0.0.1:8081. All but `serve all` read the variable MAP_SERVICE as well.
    #[arg(long, env = "STARKEEP_MAP_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub map_url: Option<String>,

    #[command(flatten)]
    pub executors: ExecutorArgs,

    /// How many robots a command may buy at once, of a trading service that does not say in its /health that it
    /// `executesOnce`: that of the existing stack fails half-way with 20 or more.
    #[arg(long, env = "STARKEEP_LARGEST_ORDER", value_name = "COUNT", default_value_t = 19,
          value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = ROBOT_AND_TRADING)]
    pub largest_order: u32,

    /// Pause between two batches of commands for the robot service, which would otherwise work on both at the same time; 0
    /// for none. Without this flag the next batch waits for the results of the one before, which come over Kafka, or
    /// 100ms and 20ms for each of its commands. All pauses together take at most half of the execution phase.
    #[arg(long, env = "STARKEEP_BATCH_GAP", value_name = "DURATION", help_heading = ROBOT_AND_TRADING)]
    pub batch_gap: Option<String>,

    /// Time-out of the game service's calls to the map service.
    #[arg(long, env = "STARKEEP_MAP_TIMEOUT", value_name = "DURATION", default_value = "5s", value_parser = duration, help_heading = ADDRESSES)]
    pub map_timeout: Duration,

    /// Kafka brokers, as `host:port,host:port`: every event is sent to the topic of its channel, and robots are
    /// learned from the robot service's topics. The variable KAFKA_BOOTSTRAP_ADDRESS is read as well. Needs the feature `kafka`.
    #[arg(long, env = "STARKEEP_KAFKA", value_name = "BROKERS", help_heading = KAFKA)]
    pub kafka: Option<String>,

    /// Where sending to Kafka begins if nothing was ever sent: with the next event, or with the start of the log. Needs the feature
    /// `kafka`.
    #[arg(long, env = "STARKEEP_KAFKA_FROM", value_enum, default_value_t = SentFrom::Next, help_heading = KAFKA)]
    pub kafka_from: SentFrom,

    /// Exactly the published interface, or what the existing Microservice Dungeon clients parse.
    #[arg(long, env = "STARKEEP_DIALECT", value_enum, default_value_t = SpokenDialect::Standard, help_heading = GAMES)]
    pub dialect: SpokenDialect,

    /// How many games may run at the same time.
    #[arg(long, env = "STARKEEP_MAX_RUNNING_GAMES", value_name = "COUNT", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = GAMES)]
    pub max_running_games: u32,

    /// Time between the start of a game and its first round, at most a minute; 0 for none. Default: 5s with --dialect msd,
    /// whose clients read both in separate threads; otherwise 0.
    #[arg(long, env = "STARKEEP_START_DELAY", value_name = "DURATION", help_heading = GAMES)]
    pub start_delay: Option<String>,

    /// With --kafka: so long before and after each `status` record `created` or `ended` the game service sends no other
    /// record, at most a minute; 0 for none. Default: 1s with --dialect msd, whose consumers read topics in parallel;
    /// otherwise 0. Needs the feature `kafka`.
    #[arg(long, env = "STARKEEP_STATUS_GAP", value_name = "DURATION", help_heading = KAFKA)]
    pub status_gap: Option<String>,

    /// How often deposits are replenished; 0 for never. The gameworld of a game is replenished in the game's time: after as
    /// many whole rounds as last so long. Any other is replenished by the clock, if that was asked for.
    #[arg(long, env = "STARKEEP_REPLENISH_EVERY", value_name = "DURATION", default_value = "60s", help_heading = GAMES)]
    pub replenish_every: String,

    #[command(flatten)]
    pub token: TokenArgs,

    #[command(flatten)]
    pub player_access: PlayerAccessArgs,

    /// Require the admin token for mining, too, so that bots can mine only through the robot service.
    #[arg(long, env = "STARKEEP_CLOSED_MINING", help_heading = ACCESS)]
    pub closed_mining: bool,

    /// Require the admin token for looking up the planets of active gameworlds and the values of their starts, so that bots
    /// have to explore with robots.
    #[arg(long, env = "STARKEEP_CLOSED_MAP", help_heading = ACCESS)]
    pub closed_map: bool,

    /// The only origin whose web pages may call the services. Default: any.
    #[arg(long, env = "STARKEEP_CORS_ORIGIN", value_name = "ORIGIN", help_heading = ACCESS)]
    pub cors_origin: Option<String>,

    /// Events older than this are removed from the log; 0 for no limit.
    #[arg(long, env = "STARKEEP_EVENTS_KEEP_AGE", value_name = "DURATION", default_value = "30d", help_heading = STORAGE)]
    pub events_keep_age: String,

    /// How many events are kept at most in each service's log.
    #[arg(long, env = "STARKEEP_EVENTS_KEEP_COUNT", value_name = "COUNT", default_value_t = 10_000_000,
          value_parser = clap::value_parser!(u64).range(1..), help_heading = STORAGE)]
    pub events_keep_count: u64,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Format of the log lines, which go to standard error: text for people, or JSON for a collector.
    #[arg(long, env = "STARKEEP_LOG_FORMAT", value_enum, default_value_t = ShownLog::Text, help_heading = LOGGING)]
    pub log_format: ShownLog,

    /// What is logged: error, warn, info, debug, or a filter such as `info,starkeep_platform=debug`.
    /// Default: info; of `demo` warn.
    #[arg(long, env = "STARKEEP_LOG", value_name = "FILTER", help_heading = LOGGING)]
    pub log: Option<String>,

    #[command(flatten)]
    pub output: OutputArgs,
}

impl ServeArgs {
    /// The stack's variable names the map that its game service used: `serve all` has a map of its own.
    pub(crate) fn map_url(&self) -> Option<String> {
        let given = or_legacy_env(self.flags.map_url.as_ref(), "MAP_SERVICE");
        if self.which == Which::All && self.flags.map_url.is_none() && given.is_some() {
            tracing::warn!(
                "MAP_SERVICE is ignored: `serve all` uses the map service of this process; `--map-url` overrides it"
            );
            return None;
        }
        given
    }
}

impl ServeFlags {
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.data_dir.clone().unwrap_or_else(|| DATA_DIR.into())
    }

    pub(crate) fn replenish_every(&self) -> Result<Option<Duration>, String> {
        duration_or_off(&self.replenish_every)
    }

    pub(crate) fn keep_events(&self) -> Result<RetentionPolicy, String> {
        Ok(RetentionPolicy { age: duration_or_off(&self.events_keep_age)?, count: self.events_keep_count })
    }

    pub(crate) fn robot_url(&self) -> Option<String> {
        or_legacy_env(self.executors.robot_url.as_ref(), "ROBOT_SERVICE")
    }

    pub(crate) fn trading_url(&self) -> Option<String> {
        or_legacy_env(self.executors.trading_url.as_ref(), "TRADING_SERVICE")
    }

    /// None: what the dialect says.
    pub(crate) fn start_delay(&self) -> Result<Option<Duration>, String> {
        self.start_delay.as_deref().map(at_most_a_minute).transpose()
    }

    /// None: what the dialect says.
    pub(crate) fn status_gap(&self) -> Result<Option<Duration>, String> {
        self.status_gap.as_deref().map(at_most_a_minute).transpose()
    }

    /// None: what the service does by itself.
    pub(crate) fn batch_gap(&self) -> Result<Option<Duration>, String> {
        let Some(given) = &self.batch_gap else { return Ok(None) };
        Ok(Some(duration_or_off(given)?.unwrap_or_default()))
    }

    pub(crate) fn kafka(&self) -> Option<String> {
        or_legacy_env(self.kafka.as_ref(), "KAFKA_BOOTSTRAP_ADDRESS")
    }
}

/// Of the time before round 1 and around a change of game. Nobody waits longer for a game to begin.
fn at_most_a_minute(given: &str) -> Result<Duration, String> {
    let delay = duration_or_off(given)?.unwrap_or_default();
    if delay > Duration::from_mins(1) {
        return Err("at most a minute is allowed".to_owned());
    }
    Ok(delay)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SentFrom {
    Next,
    Start,
}

impl From<SentFrom> for RelayStart {
    fn from(from: SentFrom) -> Self {
        match from {
            SentFrom::Next => Self::Next,
            SentFrom::Start => Self::Start,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// All services in this process.
    All,
    /// The game service alone.
    Game,
    /// The map service alone.
    Map,
    /// The robot service alone.
    Robot,
    /// The trading service alone.
    Trading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpokenDialect {
    Standard,
    Msd,
}

impl From<SpokenDialect> for Dialect {
    fn from(spoken: SpokenDialect) -> Self {
        match spoken {
            SpokenDialect::Standard => Self::Standard,
            SpokenDialect::Msd => Self::Msd,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShownLog {
    Text,
    Json,
}

impl From<ShownLog> for LogFormat {
    fn from(shown: ShownLog) -> Self {
        match shown {
            ShownLog::Text => Self::Text,
            ShownLog::Json => Self::Json,
        }
    }
}
