//! The addresses of the services for clients, where they are not those on which the services listen.

use clap::Args;

use super::headings::ADDRESSES;

#[derive(Args)]
pub(crate) struct PublicUrlArgs {
    /// Address of the game service for clients, as behind a proxy with TLS: https://game.example.org. It is printed at the
    /// start, and `GET /services` tells it. Default: where it listens.
    #[arg(id = "public_game_url", long = "public-game-url", env = "STARKEEP_PUBLIC_GAME_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub game: Option<String>,

    /// Address of the map service for clients, as `GET /services` tells it; https:// is possible. Default: where it listens.
    #[arg(id = "public_map_url", long = "public-map-url", env = "STARKEEP_PUBLIC_MAP_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub map: Option<String>,

    /// Address of the robot service for clients, as `GET /services` tells it; https:// is possible. Default: where it
    /// listens.
    #[arg(id = "public_robot_url", long = "public-robot-url", env = "STARKEEP_PUBLIC_ROBOT_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub robot: Option<String>,

    /// Address of the trading service for clients, as `GET /services` tells it; https:// is possible. Default: where it
    /// listens.
    #[arg(id = "public_trading_url", long = "public-trading-url", env = "STARKEEP_PUBLIC_TRADING_URL", value_name = "URL", help_heading = ADDRESSES)]
    pub trading: Option<String>,
}
