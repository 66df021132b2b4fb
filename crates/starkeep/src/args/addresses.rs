//! Where the services are, for every command that talks to them: a flag, its variable, or what the game service tells.
//! The game service's address is enough.

use std::time::Duration;

use clap::Args;
use starkeep_client::{ClientError, GameClient};
use starkeep_contract::services::Services;

use super::headings::ADDRESSES;
use super::words::or_legacy_env;

/// The game service tells at once where the others are.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

#[derive(Args)]
pub(crate) struct GameAddress {
    /// URL of the game service. Default: http://127.0.0.1:8080. The variable GAME_SERVICE is read as well.
    #[arg(long, env = "STARKEEP_GAME_URL", value_name = "URL", help_heading = ADDRESSES)]
    game_url: Option<String>,
}

#[derive(Args)]
pub(crate) struct MapAddress {
    #[command(flatten)]
    pub game: GameAddress,

    /// URL of the map service. Default: as the game service tells it.
    #[arg(long, env = "STARKEEP_MAP_URL", value_name = "URL", help_heading = ADDRESSES)]
    map_url: Option<String>,
}

#[derive(Args)]
pub(crate) struct Addresses {
    #[command(flatten)]
    pub map: MapAddress,

    /// URL of the robot service. Default: as the game service tells it.
    #[arg(long, env = "STARKEEP_ROBOT_URL", value_name = "URL", help_heading = ADDRESSES)]
    robot_url: Option<String>,

    /// URL of the trading service. Default: as the game service tells it.
    #[arg(long, env = "STARKEEP_TRADING_URL", value_name = "URL", help_heading = ADDRESSES)]
    trading_url: Option<String>,
}

/// An address that is none, or cannot be called from here, with the flag that names another one.
pub(crate) fn bad_address(service: &str, fault: &ClientError) -> String {
    format!("{fault}\nhint: name the {service} service's own address with --{service}-url")
}

impl GameAddress {
    pub(crate) fn url(&self) -> String {
        let given = or_legacy_env(self.game_url.as_ref(), "GAME_SERVICE");
        given.unwrap_or_else(|| "http://127.0.0.1:8080".to_owned())
    }

    /// What the game service tells; none while it does not answer.
    async fn told(&self) -> Result<Option<Services>, ClientError> {
        Ok(GameClient::new(&self.url())?.with_timeout(LONGEST_WAIT).services().await.ok())
    }
}

impl MapAddress {
    /// As it was given, or as the game service tells it; while that does not answer, where it usually is.
    pub(crate) async fn url(&self) -> Result<Option<String>, ClientError> {
        if let Some(given) = &self.map_url {
            return Ok(Some(given.clone()));
        }
        let told = self.game.told().await?;
        Ok(told.map_or_else(|| Some("http://127.0.0.1:8081".to_owned()), |told| told.map))
    }
}

impl Addresses {
    /// As they were given, or as the game service tells them; while it does not answer, where they usually are.
    pub(crate) async fn all(&self) -> Result<Services, ClientError> {
        let told = self.map.game.told().await?;
        let url = |given: &Option<String>, told: Option<Option<String>>, usual: &str| {
            given.clone().or_else(|| told.unwrap_or_else(|| Some(usual.to_owned())))
        };
        let (map, robot, trading) = (&self.map.map_url, &self.robot_url, &self.trading_url);
        Ok(Services {
            game: self.map.game.url(),
            map: url(map, told.as_ref().map(|told| told.map.clone()), "http://127.0.0.1:8081"),
            robot: url(robot, told.as_ref().map(|told| told.robot.clone()), "http://127.0.0.1:8082"),
            trading: url(trading, told.as_ref().map(|told| told.trading.clone()), "http://127.0.0.1:8083"),
        })
    }
}
