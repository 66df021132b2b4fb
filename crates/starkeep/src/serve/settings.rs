//! Checks the flags of `serve` together: a combination is refused before anything is opened, or handed to the services.

use std::path::Path;
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_game_service::ServiceUrl;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::CorsOrigin;
use starkeep_platform::retention::RetentionPolicy;
use starkeep_platform::service::FrameConfig;

use super::ServeError;
use crate::args::ServeArgs;

/// The checked values of all flags.
pub(super) struct Settings {
    pub(super) dialect: Dialect,
    pub(super) admin_token: AdminToken,
    pub(super) cors: CorsOrigin,
    pub(super) max_running_games: u32,
    pub(super) closed_mining: bool,
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
    pub(super) robot_url: Option<ServiceUrl>,
    pub(super) trading_url: Option<ServiceUrl>,
}

impl Settings {
    pub(super) fn check(args: &ServeArgs) -> Result<Self, ServeError> {
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
        if args.closed_mining && admin_token.is_none() {
            return Err(ServeError::Flags("--closed-mining needs an admin token: --admin-token-file".into()));
        }
        let cors = match &args.cors_origin {
            None => CorsOrigin::Any,
            Some(origin) => CorsOrigin::Only(origin.parse().map_err(|_| {
                ServeError::Flags(format!("--cors-origin `{}` is not an origin", origin.escape_debug()))
            })?),
        };
        for address in [args.game_listen, args.map_listen] {
            if admin_token.is_none() && !address.ip().is_loopback() {
                tracing::warn!(%address, "anybody who reaches this address can create and end games: set --admin-token-file");
            }
        }
        let given = |url: Option<String>, flag| url.map(|url| address(&url, flag)).transpose();
        Ok(Self {
            map_url: given(args.map_url(), "--map-url")?,
            robot_url: given(args.robot_url(), "--robot-url")?,
            trading_url: given(args.trading_url(), "--trading-url")?,
            dialect,
            admin_token: AdminToken::new(admin_token),
            cors,
            max_running_games: args.max_running_games,
            closed_mining: args.closed_mining,
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

    pub(super) fn game(&self) -> starkeep_game_service::Config {
        starkeep_game_service::Config {
            frame: self.frame(),
            max_running_games: self.max_running_games,
            largest_order: self.largest_order,
            start_delay: self.start_delay,
            status_gap: self.status_gap,
            map_timeout: self.map_timeout,
            batch_gap: self.batch_gap,
            robot_stream: None,
        }
    }

    pub(super) fn map(&self) -> starkeep_map_service::Config {
        starkeep_map_service::Config {
            frame: self.frame(),
            closed_mining: self.closed_mining,
            replenish_every: self.replenish_every,
        }
    }

    /// What is the same for every service.
    fn frame(&self) -> FrameConfig {
        FrameConfig {
            dialect: self.dialect,
            admin_token: self.admin_token.clone(),
            cors: self.cors.clone(),
            retention: self.retention,
        }
    }
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
