//! The addresses of the services for clients, where they are not those on which the services listen.

use clap::Args;

use super::headings::ADDRESSES;

#[derive(Args)]
pub(crate) struct PublicUrlArgs {
    /// Address of the game service for clients, as behind a proxy with TLS: https://game.example.org. It is printed at the
    /// start, and `GET /services` tells it. Default: where it listens.
    #[arg(long, env = "STARKEEP_PUBLIC_GAME_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub public_game_url: Option<String>,

    /// Address of the map service for clients, as `GET /services` tells it; https:// is possible. Default: where it listens.
    #[arg(long, env = "STARKEEP_PUBLIC_MAP_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub public_map_url: Option<String>,

    /// Address of the robot service for clients, as `GET /services` tells it; https:// is possible. Default: where it
    /// listens.
    #[arg(long, env = "STARKEEP_PUBLIC_ROBOT_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub public_robot_url: Option<String>,

    /// Address of the trading service for clients, as `GET /services` tells it; https:// is possible. Default: where it
    /// listens.
    #[arg(long, env = "STARKEEP_PUBLIC_TRADING_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub public_trading_url: Option<String>,
}
