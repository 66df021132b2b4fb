//! The flags of `starkeep events`: which services, which channels, from where, and how it is printed.
//! The addresses are the same as in the other commands.

use clap::{Args, ValueEnum};
use starkeep_client::StartFrom;

use super::addresses::Addresses;
use super::headings::EVENTS;
use super::output::OutputArgs;
use super::token::TokenArgs;

#[derive(Args)]
pub(crate) struct EventsArgs {
    /// Only these channels, separated by commas. Default: all.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", help_heading = EVENTS)]
    pub channels: Vec<String>,

    /// Where to begin: with the oldest kept event (start), with the next one (end), or after a position of one service.
    #[arg(long, default_value = "end", value_name = "POSITION", value_parser = from, help_heading = EVENTS)]
    pub after: StartFrom,

    /// Which service's events are shown.
    #[arg(long, value_enum, default_value_t = Followed::All, help_heading = EVENTS)]
    pub service: Followed,

    /// Stop after so many events. Default: run until Ctrl-C.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..), help_heading = EVENTS)]
    pub limit: Option<u64>,

    #[command(flatten)]
    pub addresses: Addresses,

    #[command(flatten)]
    pub token: TokenArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Followed {
    /// All services, as their events arrive.
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

#[expect(clippy::unnecessary_wraps, reason = "what a position is, only the service knows")]
fn from(text: &str) -> Result<StartFrom, std::convert::Infallible> {
    Ok(match text {
        "start" => StartFrom::Start,
        "end" => StartFrom::End,
        position => StartFrom::After(position.to_owned()),
    })
}
