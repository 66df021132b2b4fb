//! Checks the flags of `serve` together: a combination is refused before anything is opened, or handed to the services.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_game_service::{PlayerAccess, ServiceAddresses, ServiceUrl};
use starkeep_platform::chance::Chance;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::cors::CorsOrigin;
use starkeep_platform::http::serve::Limits;
use starkeep_platform::retention::RetentionPolicy;
use starkeep_platform::service::FrameConfig;

use super::ServeError;
use super::public_urls::PublicUrls;
use crate::args::{Listen, ServeArgs, ServeFlags, Which};

/// A purchase is told by its `trades` well before this: robocop reads both in threads of its own, and 300 ms later is late enough.
const NEIGHBOURS_DELAY: Duration = Duration::from_secs(1);

/// The checked values of all flags.
pub(super) struct Settings {
    pub(super) listen: Listening,
    pub(super) dialect: Dialect,
    pub(super) admin_token: AdminToken,
    pub(super) cors: CorsOrigin,
    pub(super) max_running_games: u32,
    pub(super) closed_mining: bool,
    pub(super) closed_map: bool,
    pub(super) player_access: PlayerAccess,
    pub(super) limits: Limits,
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

/// Where the services were asked to listen, if they were.
pub(super) struct Listening {
    pub(super) game: Option<SocketAddr>,
    pub(super) map: Option<SocketAddr>,
    pub(super) robot: Option<SocketAddr>,
    pub(super) trading: Option<SocketAddr>,
}

impl Listening {
    fn resolve(flags: &ServeFlags) -> Result<Self, ServeError> {
        let resolved = |listen: &Option<Listen>, flag| {
            let address = listen.as_ref().map(Listen::resolve).transpose();
            address.map_err(|fault| ServeError::Flags(format!("{flag}: {fault}")))
        };
        Ok(Self {
            game: resolved(&flags.game_listen, "--game-listen")?,
            map: resolved(&flags.map_listen, "--map-listen")?,
            robot: resolved(&flags.executors.robot_listen, "--robot-listen")?,
            trading: resolved(&flags.executors.trading_listen, "--trading-listen")?,
        })
    }
}

impl Settings {
    /// What replicas that share their data must agree on.
    pub(super) fn deciding_flags(&self, has_kafka: bool) -> BTreeMap<&'static str, String> {
        let millis = |span: Option<Duration>| {
            span.map_or("default".to_owned(), |span| format!("{}ms", span.as_millis()))
        };
        BTreeMap::from([
            ("--admin-token", given(self.admin_token.is_set())),
            ("--batch-gap", millis(self.batch_gap)),
            ("--closed-map", self.closed_map.to_string()),
            ("--closed-mining", self.closed_mining.to_string()),
            ("--dialect", self.dialect.name().to_owned()),
            ("--events-keep", format!("{:?}", self.retention)),
            ("--kafka", given(has_kafka)),
            ("--largest-order", self.largest_order.to_string()),
            ("--max-running-games", self.max_running_games.to_string()),
            ("--mining-energy", self.mining_energy.to_string()),
            ("--replenish-every", millis(self.replenish_every)),
            ("--start-delay", millis(self.start_delay)),
            ("--station-word", self.station_word.clone()),
            ("--status-gap", millis(self.status_gap)),
            ("--token-recovery", format!("{:?}", self.player_access.token_recovery)),
        ])
    }

    /// `chance` draws the secret of this process, if it needs one.
    pub(super) fn check(args: &ServeArgs, chance: &dyn Chance) -> Result<Self, ServeError> {
        let flags = &args.flags;
        let dialect = Dialect::from(flags.dialect);
        if dialect == Dialect::Msd && flags.max_running_games > 1 {
            return Err(ServeError::Flags(
                "--max-running-games above 1 does not go with --dialect msd: its clients know one game at a time".into(),
            ));
        }
        let admin_token = flags.token.chosen().map_err(ServeError::Flags)?;
        for (is_given, flag) in [(flags.closed_mining, "--closed-mining"), (flags.closed_map, "--closed-map")]
        {
            if is_given && admin_token.is_none() {
                return Err(ServeError::Flags(format!("{flag} needs an admin token: --admin-token-file")));
            }
        }
        let cors = match &flags.cors_origin {
            None => CorsOrigin::Any,
            Some(origin) => CorsOrigin::Only(origin.parse().map_err(|_| {
                ServeError::Flags(format!("--cors-origin `{}` is not an origin", origin.escape_debug()))
            })?),
        };
        let listen = Listening::resolve(flags)?;
        for address in [listen.game, listen.map, listen.robot, listen.trading].into_iter().flatten() {
            if admin_token.is_none() && !address.ip().is_loopback() {
                tracing::warn!(%address, "anybody who reaches this address can create and end games: set --admin-token-file");
            }
        }
        let given = |url: Option<String>, flag| url.map(|url| address(&url, flag)).transpose();
        let executors = &args.flags.executors;
        let (robot_url, trading_url) =
            (given(flags.robot_url(), "--robot-url")?, given(flags.trading_url(), "--trading-url")?);
        let admin_token = AdminToken::new(admin_token);
        // Both carry commands out for this process alone: nobody else may call them past the game.
        let is_closed = args.which == Which::All && robot_url.is_none() && trading_url.is_none();
        let service_token = if is_closed && !admin_token.is_set() {
            AdminToken::new(Some(format!("{}{}", chance.uuid().simple(), chance.uuid().simple())))
        } else {
            admin_token.clone()
        };
        Ok(Self {
            listen,
            game_url: given(executors.game_url.clone().filter(|url| !url.is_empty()), "--game-url")?,
            public_urls: PublicUrls::read(&executors.public)?,
            service_token,
            station_word: station_word(executors.station_word.as_deref(), dialect)?,
            mining_energy: executors.mining_energy,
            map_url: given(args.map_url(), "--map-url")?,
            robot_url,
            trading_url,
            dialect,
            admin_token,
            cors,
            max_running_games: flags.max_running_games,
            closed_mining: flags.closed_mining,
            closed_map: flags.closed_map,
            player_access: flags.player_access.player_access(dialect),
            limits: flags.limits.limits(),
            map_timeout: flags.map_timeout,
            retention: flags
                .keep_events()
                .map_err(|fault| ServeError::Flags(format!("--events-keep-age: {fault}")))?,
            largest_order: flags.largest_order,
            start_delay: flags
                .start_delay()
                .map_err(|fault| ServeError::Flags(format!("--start-delay: {fault}")))?,
            status_gap: flags
                .status_gap()
                .map_err(|fault| ServeError::Flags(format!("--status-gap: {fault}")))?,
            batch_gap: flags
                .batch_gap()
                .map_err(|fault| ServeError::Flags(format!("--batch-gap: {fault}")))?,
            replenish_every: flags
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
            player_access: self.player_access,
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
            neighbours_delay: if self.dialect.reads_topics_in_parallel() {
                NEIGHBOURS_DELAY
            } else {
                Duration::ZERO
            },
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
            limits: self.limits,
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

/// The address of a service, as it was given or as it is known.
fn address(url: &str, flag: &str) -> Result<ServiceUrl, ServeError> {
    ServiceUrl::parse(url).map_err(|fault| ServeError::Flags(format!("{flag}: {fault}")))
}

/// A secret, or what may differ from machine to machine, is not compared.
fn given(is_given: bool) -> String {
    if is_given { "given" } else { "not given" }.to_owned()
}
