//! The flags of `starkeep export`, `import`, `backup` and `restore`: the file, and the place that is read or filled.
//! What they do is in `transfer`.

use std::path::PathBuf;

use clap::Args;

use super::headings::STORAGE;
use super::output::OutputArgs;

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The file to be written; it must not exist. Keep it to yourself: it has the tokens of all players in it.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub from: SourceArgs,

    /// PostgreSQL database to be read instead, as in postgresql://user:password@host/database. No service may run on it. Needs the
    /// feature `postgres`.
    #[arg(long, env = "STARKEEP_DATABASE_URL", hide_env_values = true, value_name = "URL", conflicts_with = "data_dir", help_heading = STORAGE)]
    pub database_url: Option<String>,

    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(crate) struct BackupArgs {
    /// The file to be written; it must not exist. Keep it to yourself: it has the tokens of all players in it.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub from: SourceArgs,

    /// Only to say what to do instead: whoever has it in the environment would get a copy of another place.
    #[arg(long, env = "STARKEEP_DATABASE_URL", hide = true, value_name = "URL", help_heading = STORAGE)]
    pub database_url: Option<String>,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Files that are read.
#[derive(Args)]
pub(crate) struct SourceArgs {
    /// Data directory to be read. Repeat it for services with directories of their own. Default: starkeep-data.
    #[arg(long, env = "STARKEEP_DATA_DIR", value_name = "DIRECTORY", help_heading = STORAGE)]
    pub data_dir: Vec<PathBuf>,
}

impl SourceArgs {
    pub(crate) fn data_dirs(&self) -> Vec<PathBuf> {
        if self.data_dir.is_empty() { vec![super::serve::DATA_DIR.into()] } else { self.data_dir.clone() }
    }
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The file to be read, which `export` or `backup` wrote.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub to: TargetArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// The place that is filled.
#[derive(Args)]
pub(crate) struct TargetArgs {
    /// Data directory to be filled; made if missing, otherwise it must be empty. Default: starkeep-data.
    #[arg(long, env = "STARKEEP_DATA_DIR", value_name = "DIRECTORY", help_heading = STORAGE)]
    data_dir: Option<PathBuf>,

    /// PostgreSQL database to be filled instead, as in postgresql://user:password@host/database. It must have no tables of Starkeep.
    /// Needs the feature `postgres`.
    #[arg(long, env = "STARKEEP_DATABASE_URL", hide_env_values = true, value_name = "URL", conflicts_with = "data_dir", help_heading = STORAGE)]
    pub database_url: Option<String>,
}

impl TargetArgs {
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.data_dir.clone().unwrap_or_else(|| super::serve::DATA_DIR.into())
    }
}
