//! The flags of the robot and trading services: where they listen, where they find the others, and the rules that a host
//! may choose.

use clap::Args;

use super::headings::{ADDRESSES, ROBOT_AND_TRADING};
use super::listen::Listen;
use super::public_urls::PublicUrlArgs;

#[derive(Args)]
pub(crate) struct ExecutorArgs {
    /// Address on which the robot service listens; port 0 picks a free port. Default: 127.0.0.1:8082, or a free port of
    /// it where that one is taken.
    #[arg(long, env = "STARKEEP_ROBOT_LISTEN", value_name = "ADDRESS", help_heading = ADDRESSES)]
    pub robot_listen: Option<Listen>,

    /// Address on which the trading service listens; port 0 picks a free port. Default: 127.0.0.1:8083, or a free port of
    /// it where that one is taken.
    #[arg(long, env = "STARKEEP_TRADING_LISTEN", value_name = "ADDRESS", help_heading = ADDRESSES)]
    pub trading_listen: Option<Listen>,

    /// URL of the robot service, which carries out commands to robots. With it, `serve all` starts none of its own.
    /// The variable ROBOT_SERVICE is read as well.
    #[arg(long, env = "STARKEEP_ROBOT_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub robot_url: Option<String>,

    /// URL of the trading service, which carries out purchases and sales. With it, `serve all` starts none of its own.
    /// The variable TRADING_SERVICE is read as well.
    #[arg(long, env = "STARKEEP_TRADING_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub trading_url: Option<String>,

    /// URL of the game service, for the robot and trading services. Default: the game service of this process; otherwise
    /// http://127.0.0.1:8080.
    #[arg(long, env = "STARKEEP_GAME_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub game_url: Option<String>,

    #[command(flatten)]
    pub public: PublicUrlArgs,

    /// The word for a space station in `movement` events. Default: SPACE_STATION; SPACESTATION with --dialect msd, whose
    /// strict clients know no other.
    #[arg(long, env = "STARKEEP_STATION_WORD", help_heading = ROBOT_AND_TRADING)]
    pub station_word: Option<String>,

    /// Energy that one mining costs a robot.
    #[arg(long, env = "STARKEEP_MINING_ENERGY", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=200), help_heading = ROBOT_AND_TRADING)]
    pub mining_energy: u32,
}
