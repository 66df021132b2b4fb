//! The flags of `starkeep events`: which services, which channels, from where, and how it is printed.
//! The addresses have the same variables as in the other commands.

use clap::{Args, ValueEnum};
use starkeep_client::StartFrom;

#[derive(Args)]
pub(crate) struct EventsArgs {
    /// Only these channels, separated by commas. Default: all.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub channels: Vec<String>,

    /// Where to begin: with the oldest kept event (start), with the next one (end), or after a position of one service.
    #[arg(long, default_value = "end", value_name = "POSITION", value_parser = from)]
    pub after: StartFrom,

    /// Which service's events are shown.
    #[arg(long, value_enum, default_value_t = Followed::All)]
    pub service: Followed,

    /// URL of the game service.
    #[arg(long, env = "STARKEEP_GAME_URL", default_value = "http://127.0.0.1:8080", value_name = "URL")]
    pub game_url: String,

    /// URL of the map service. Default: as the game service tells it.
    #[arg(long, env = "STARKEEP_MAP_URL", value_name = "URL")]
    pub map_url: Option<String>,

    /// URL of the robot service. Default: as the game service tells it.
    #[arg(long, env = "STARKEEP_ROBOT_URL", value_name = "URL")]
    pub robot_url: Option<String>,

    /// URL of the trading service. Default: as the game service tells it.
    #[arg(long, env = "STARKEEP_TRADING_URL", value_name = "URL")]
    pub trading_url: Option<String>,

    /// Print one JSON object per line instead of text for people.
    #[arg(long)]
    pub json: bool,

    /// Stop after so many events. Default: run until Ctrl-C.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
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
