//! The flags of `starkeep world`: worlds are drawn and checked on this machine, or compared with those of a map service.
//! What they do is in `world`.

use std::ops::Range;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use starkeep_contract::WorldId;
use starkeep_map_core::{SEEDS, Style};

use super::addresses::MapAddress;
use super::headings::WORLDS;
use super::output::OutputArgs;
use super::words::players;

#[derive(Args)]
pub(crate) struct WorldArgs {
    #[command(subcommand)]
    pub command: WorldCommand,
}

#[derive(Subcommand)]
pub(crate) enum WorldCommand {
    /// Draw a world in the terminal, and print how fair its starts are.
    Preview(PreviewArgs),
    /// Prove what every world promises, over many seeds: connected, spaced, fair.
    Check(CheckArgs),
    /// Compute a finished gameworld anew from its seed, and compare: commitment, layout and certificate.
    Verify(VerifyArgs),
}

#[derive(Args)]
pub(crate) struct PreviewArgs {
    /// For how many players.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = players(), help_heading = WORLDS)]
    pub players: u32,

    /// The seed; the same seed gives the same world. Default: a random one, which is printed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(SEEDS), help_heading = WORLDS)]
    pub seed: Option<u64>,

    /// How the world is laid out.
    #[arg(long, value_enum, default_value_t = StyleArg::Balanced, help_heading = WORLDS)]
    pub style: StyleArg,

    /// Also draw the world into this file, as SVG.
    #[arg(long, value_name = "FILE", help_heading = WORLDS)]
    pub svg: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// The seeds, as FIRST..END; END itself is left out.
    #[arg(long, default_value = "0..10000", value_name = "FIRST..END", value_parser = seeds, help_heading = WORLDS)]
    pub seeds: Range<u64>,

    /// For how many players, separated by commas.
    #[arg(long, default_value = "1,4,9", value_delimiter = ',', value_name = "COUNTS", value_parser = players(), help_heading = WORLDS)]
    pub players: Vec<u32>,

    /// How the worlds are laid out, separated by commas.
    #[arg(
        long,
        value_enum,
        default_value = "balanced,symmetric,wild",
        value_delimiter = ',',
        value_name = "STYLES", help_heading = WORLDS)]
    pub style: Vec<StyleArg>,

    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// The gameworld's id. Its seed is shown once it is inactive.
    #[arg(value_name = "ID", value_parser = world_id)]
    pub id: WorldId,

    #[command(flatten)]
    pub address: MapAddress,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum StyleArg {
    /// Deposits are moved until the starts are worth about the same.
    Balanced,
    /// The same after half a turn, and balanced.
    Symmetric,
    /// As it was drawn, not balanced.
    Wild,
}

impl From<StyleArg> for Style {
    fn from(style: StyleArg) -> Self {
        match style {
            StyleArg::Balanced => Self::Balanced,
            StyleArg::Symmetric => Self::Symmetric,
            StyleArg::Wild => Self::Wild,
        }
    }
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let range = text.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    range.filter(|seeds: &Range<u64>| !seeds.is_empty() && SEEDS.contains(&(seeds.end - 1))).ok_or_else(
        || {
            format!(
                "expected two numbers as in 0..10000, the first one smaller, both at most {}",
                SEEDS.end() + 1
            )
        },
    )
}

fn world_id(text: &str) -> Result<WorldId, String> {
    serde_json::from_value(text.into()).map_err(|_| "expected a UUID".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_range() {
        assert_eq!(seeds("3..10"), Ok(3..10));
        assert_eq!(
            seeds("9007199254740991..9007199254740992"),
            Ok(9_007_199_254_740_991..9_007_199_254_740_992)
        );
        for wrong in ["", "3", "3..", "..3", "3..3", "4..3", "-1..3", "0..9007199254740993", "a..b"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }
}
