//! The flags of `starkeep selftest`.

use clap::Args;

use super::headings::{SELF_TEST, STORAGE};
use super::output::OutputArgs;

#[derive(Args)]
pub(crate) struct SelfTestArgs {
    /// How often services are killed. Between the kills there are faults of other kinds.
    #[arg(long, default_value_t = 20, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = SELF_TEST)]
    pub kills: u32,

    /// No new fault after so many seconds. Default: all of them, however long it takes.
    #[arg(long, value_name = "SECONDS", help_heading = SELF_TEST)]
    pub seconds: Option<u64>,

    /// What the faults and the load are drawn from. The same seed draws the same faults. Default: a random one, which is printed.
    #[arg(long, help_heading = SELF_TEST)]
    pub seed: Option<u64>,

    /// PostgreSQL database to test on instead of files, as in postgresql://user:password@host/database. It makes schemas of its own
    /// there and removes them at the end; nothing else is touched. Needs the feature `postgres`.
    #[arg(long, env = "STARKEEP_DATABASE_URL", hide_env_values = true, value_name = "URL", help_heading = STORAGE)]
    pub database_url: Option<String>,

    #[command(flatten)]
    pub output: OutputArgs,
}
