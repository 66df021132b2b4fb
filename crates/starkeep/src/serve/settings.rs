//! Checks the flags of `serve` together: a combination is refused before anything is opened, or handed to the services.

use std::path::Path;
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_game_service::{ServiceAddresses, ServiceUrl};
use starkeep_platform::chance::Chance;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::CorsOrigin;
use starkeep_platform::retention::RetentionPolicy;
use starkeep_platform::service::FrameConfig;

use super::ServeError;
use crate::args::{ServeArgs, Which};

/// The checked values of all flags.
pub(super) struct Settings {
    pub(super) dialect: Dialect,
    pub(super) admin_token: AdminToken,
    pub(super) cors: CorsOrigin,
    pub(super) max_running_games: u32,
    pub(super) closed_mining: bool,
    pub(super) closed_map: bool,
    pub(super) replenish_every: Option<Duration>,
    pub(super) retention: RetentionPolicy,
    /// None: what the game service does by itself.
    pub(super) batch_gap: Option<Duration>,
    pub(super) largest_order: u32,
    /// None: what the dialect says.
    pub(super) start_delay: Option<Duration>,
    /// None: what the dialect says.
    pub(super) status_gap: Option<Duration>,
    /// How long the map is waited for.
    pub(super) map_timeout: Duration,
    /// None: where the map service of this process listens, or where it usually does.
    pub(super) map_url: Option<ServiceUrl>,
    /// None: the one of this process, if there is one.
    pub(super) robot_url: Option<ServiceUrl>,
    /// None: the one of this process, if there is one.
    pub(super) trading_url: Option<ServiceUrl>,
    /// None: where the game service of this process listens, or where it usually does.
    pub(super) game_url: Option<ServiceUrl>,
    /// What clients are told instead of the addresses on which the services listen.
    pub(super) public_urls: PublicUrls,
    /// What opens the routes that only services may call: the admin token, or a secret that only this process knows.
    pub(super) service_token: AdminToken,
    pub(super) station_word: String,
    pub(super) mining_energy: u32,
}

/// The addresses of services for clients, where they are not those on which they listen.
#[derive(Clone, Debug, Default)]
pub(super) struct PublicUrls {
    pub(super) map: Option<ServiceUrl>,
    pub(super) robot: Option<ServiceUrl>,
    pub(super) trading: Option<ServiceUrl>,
}

impl Settings {
    /// `chance` draws the secret of this process, if it needs one.
    pub(super) fn check(args: &ServeArgs, chance: &dyn Chance) -> Result<Self, ServeError> {
        let dialect = Dialect::from(args.dialect);
        if dialect == Dialect::Msd && args.max_running_games > 1 {
            return Err(ServeError::Flags(
                "--max-running-games above 1 does not go with --dialect msd: its clients know one game at a time".into(),
            ));
        }
        let admin_token = match (&args.admin_token, &args.admin_token_file) {
            (Some(token), _) => Some(token.clone()),
            (None, Some(file)) => Some(token_in(file)?),
            (None, None) => None,
        };
        if admin_token
            .as_deref()
            .is_some_and(|token| token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()))
        {
            return Err(ServeError::Flags(
                "the admin token must be visible ASCII characters without blanks".into(),
            ));
        }
        for (is_given, flag) in [(args.closed_mining, "--closed-mining"), (args.closed_map, "--closed-map")] {
            if is_given && admin_token.is_none() {
                return Err(ServeError::Flags(format!("{flag} needs an admin token: --admin-token-file")));
            }
        }
        let cors = match &args.cors_origin {
            None => CorsOrigin::Any,
            Some(origin) => CorsOrigin::Only(origin.parse().map_err(|_| {
                ServeError::Flags(format!("--cors-origin `{}` is not an origin", origin.escape_debug()))
            })?),
        };
        let executors = [args.executors.robot_listen, args.executors.trading_listen].into_iter().flatten();
        for address in [args.game_listen, args.map_listen].into_iter().chain(executors) {
            if admin_token.is_none() && !address.ip().is_loopback() {
                tracing::warn!(%address, "anybody who reaches this address can create and end games: set --admin-token-file");
            }
        }
        let given = |url: Option<String>, flag| url.map(|url| address(&url, flag)).transpose();
        let given_url = |url: &Option<String>, flag| given(url.clone().filter(|url| !url.is_empty()), flag);
        let flags = &args.executors;
        let (robot_url, trading_url) =
            (given(args.robot_url(), "--robot-url")?, given(args.trading_url(), "--trading-url")?);
        let admin_token = AdminToken::new(admin_token);
        // Both carry commands out for this process alone: nobody else may call them past the game.
        let is_closed = args.which == Which::All && robot_url.is_none() && trading_url.is_none();
        let service_token = if is_closed && !admin_token.is_set() {
            AdminToken::new(Some(format!("{}{}", chance.uuid().simple(), chance.uuid().simple())))
        } else {
            admin_token.clone()
        };
        Ok(Self {
            game_url: given_url(&flags.game_url, "--game-url")?,
            public_urls: PublicUrls {
                map: given_url(&flags.public_map_url, "--public-map-url")?,
                robot: given_url(&flags.public_robot_url, "--public-robot-url")?,
                trading: given_url(&flags.public_trading_url, "--public-trading-url")?,
            },
            service_token,
            station_word: station_word(flags.station_word.as_deref(), dialect)?,
            mining_energy: flags.mining_energy,
            map_url: given(args.map_url(), "--map-url")?,
            robot_url,
            trading_url,
            dialect,
            admin_token,
            cors,
            max_running_games: args.max_running_games,
            closed_mining: args.closed_mining,
            closed_map: args.closed_map,
            map_timeout: args.map_timeout,
            retention: args
                .keep_events()
                .map_err(|fault| ServeError::Flags(format!("--events-keep-age: {fault}")))?,
            largest_order: args.largest_order,
            start_delay: args
                .start_delay()
                .map_err(|fault| ServeError::Flags(format!("--start-delay: {fault}")))?,
            status_gap: args
                .status_gap()
                .map_err(|fault| ServeError::Flags(format!("--status-gap: {fault}")))?,
            batch_gap: args
                .batch_gap()
                .map_err(|fault| ServeError::Flags(format!("--batch-gap: {fault}")))?,
            replenish_every: args
                .replenish_every()
                .map_err(|fault| ServeError::Flags(format!("--replenish-every: {fault}")))?,
        })
    }

    pub(super) fn game(
        &self,
        services: ServiceAddresses,
        executor_streams: starkeep_game_service::ExecutorStreams,
    ) -> starkeep_game_service::Config {
        starkeep_game_service::Config {
            frame: self.frame(),
            max_running_games: self.max_running_games,
            largest_order: self.largest_order,
            start_delay: self.start_delay,
            status_gap: self.status_gap,
            map_timeout: self.map_timeout,
            replenish_every: self.replenish_every,
            has_outer_trading: self.trading_url.is_some(),
            batch_gap: self.batch_gap,
            services,
            executor_streams,
        }
    }

    pub(super) fn map(&self) -> starkeep_map_service::Config {
        starkeep_map_service::Config {
            frame: self.frame(),
            closed_mining: self.closed_mining,
            closed_map: self.closed_map,
            replenish_every: self.replenish_every,
        }
    }

    pub(super) fn robot(&self) -> starkeep_robot_service::Config {
        starkeep_robot_service::Config {
            frame: self.frame(),
            service_token: self.service_token.clone(),
            station_word: self.station_word.clone(),
            mining_energy: self.mining_energy,
            map_timeout: self.map_timeout,
        }
    }

    pub(super) fn trading(&self) -> starkeep_trading_service::Config {
        starkeep_trading_service::Config {
            frame: self.frame(),
            service_token: self.service_token.clone(),
            robot_timeout: self.map_timeout,
        }
    }

    /// What is the same for every service.
    fn frame(&self) -> FrameConfig {
        FrameConfig {
            dialect: self.dialect,
            admin_token: self.admin_token.clone(),
            cors: self.cors.clone(),
            retention: self.retention,
            // Known when all listen.
            addresses: None,
        }
    }
}

/// It stands in events, which clients compare with words they know.
fn station_word(given: Option<&str>, dialect: Dialect) -> Result<String, ServeError> {
    let default = match dialect {
        Dialect::Standard => "SPACE_STATION",
        Dialect::Msd => "SPACESTATION",
    };
    let word = given.unwrap_or(default);
    let is_word = |c: char| c.is_ascii_uppercase() || c == '_';
    if word.is_empty() || word.len() > 40 || !word.chars().all(is_word) {
        return Err(ServeError::Flags(
            "--station-word: 1 to 40 capital letters and underscores are expected, such as SPACE_STATION"
                .into(),
        ));
    }
    Ok(word.to_owned())
}

fn token_in(file: &Path) -> Result<String, ServeError> {
    let text = std::fs::read_to_string(file)
        .map_err(|fault| ServeError::Flags(format!("--admin-token-file {}: {fault}", file.display())))?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// The address of a service, as it was given or as it is known.
fn address(url: &str, flag: &str) -> Result<ServiceUrl, ServeError> {
    ServiceUrl::parse(url).map_err(|fault| ServeError::Flags(format!("{flag}: {fault}")))
}
