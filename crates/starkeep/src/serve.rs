//! The only wiring: opens the data directory, builds the services, binds, serves, and stops in good order.
//! The whole runtime on one screen.

use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_game_service::ports::Receiver;
use starkeep_game_service::{BadServiceUrl, GameService, HttpMap, HttpReceiver, Neighbours, ServiceUrl};
use starkeep_kafka::{Kafka, KafkaTopics};
use starkeep_map_service::MapService;
use starkeep_platform::background::{Leader, Stop};
use starkeep_platform::chance::{Chance, SystemChance};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_platform::data_dir::{DataDir, DataDirError};
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::http::common::CorsOrigin;
use starkeep_platform::http::serve::{Limits, serve as serve_http};
use starkeep_platform::retention::KeepEvents;
use starkeep_platform::sqlite::OpenError;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::args::{ServeArgs, Which};

const GAME_FILE: &str = "game.db";
const MAP_FILE: &str = "map.db";

/// How long what is in flight may take after a stop; together less than the ten seconds that a stop may last.
const GAME_FAREWELL: Duration = Duration::from_secs(6);
const MAP_FAREWELL: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("{0}")]
    Flags(String),
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("{}: {source}", file.display())]
    Open { file: PathBuf, source: OpenError },
    #[error("{flag}: {source}")]
    Url { flag: &'static str, source: BadServiceUrl },
    #[error("cannot listen on {address}: {source}; choose another address with {flag}")]
    Listen { address: SocketAddr, flag: &'static str, source: std::io::Error },
}

pub(crate) async fn serve(args: ServeArgs) -> Result<(), ServeError> {
    let settings = Settings::check(&args)?;
    // The lock comes first: files that another process is about to make or to leave cannot be judged.
    let data = DataDir::open(&args.data_dir)?;
    // Everything else that can be refused is refused before anything is touched, and before anybody is served.
    let (with_game, with_map) = (args.which != Which::Map, args.which != Which::Game);
    if with_map {
        let file = data.file(MAP_FILE);
        MapService::inspect(&file).map_err(opening(&file))?;
    }
    if with_game {
        let file = data.file(GAME_FILE);
        GameService::inspect(&file).map_err(opening(&file))?;
    }
    let map_listener = if with_map { Some(bind(args.map_listen, "--map-listen").await?) } else { None };
    let game_listener = if with_game { Some(bind(args.game_listen, "--game-listen").await?) } else { None };
    let map_address = map_listener.as_ref().map(|listener| address_of(listener, args.map_listen));
    let game_address = game_listener.as_ref().map(|listener| address_of(listener, args.game_listen));

    let clock: Arc<dyn Clock> = SystemClock::start();
    let chance: Arc<dyn Chance> = Arc::new(SystemChance);
    let (kafka, beginning) = (args.kafka().map(|servers| Kafka::at(&servers)), args.kafka_from.into());
    let topics = || kafka.clone().map(|kafka| Arc::new(KafkaTopics::new(kafka, clock.clone())));
    let mut map = None;
    if let Some(listener) = map_listener {
        let file = data.file(MAP_FILE);
        let service = MapService::open(&file, settings.map(), clock.clone(), chance.clone());
        let mut service = service.map_err(opening(&file))?;
        if let Some(topics) = topics() {
            service = service.relaying(topics, beginning).await.map_err(opening(&file))?;
        }
        map = Some((listener, service));
    }
    let mut game = None;
    if let Some(listener) = game_listener {
        let file = data.file(GAME_FILE);
        let neighbours = neighbours(&args, &settings, map_address, &clock)?;
        let service = GameService::open(&file, settings.game(), neighbours, clock.clone(), chance).await;
        let mut service = service.map_err(opening(&file))?;
        if let (Some(topics), Some(kafka)) = (topics(), &kafka) {
            let relaying = service.relaying(topics, beginning).await.map_err(opening(&file))?;
            service = relaying.listening_to(Arc::new(kafka.clone()));
        }
        game = Some((listener, service));
    }

    println!("Starkeep {} keeps its data in {}", env!("CARGO_PKG_VERSION"), data.path().display());
    // The game service stops first: what it finishes may need the map.
    let (game_stop, map_stop) = (stop_on_signals(), Stop::new());
    let map = map.map(|(listener, service)| {
        let leader = Leader::always(clock.clone(), map_stop.clone());
        service.start_background(&leader);
        tokio::spawn(run(listener, service.router(&leader), leader, MAP_FAREWELL, map_stop.clone()))
    });
    if let Some(address) = map_address {
        println!("map service listening on http://{address}");
    }
    let game = game.map(|(listener, service)| {
        let leader = Leader::always(clock, game_stop.clone());
        service.start_background(&leader);
        tokio::spawn(run(listener, service.router(&leader), leader, GAME_FAREWELL, game_stop.clone()))
    });
    if let Some(address) = game_address {
        println!("game service listening on http://{address}");
    }
    say_what_to_try(game_address, map_address);

    game_stop.cancelled().await;
    ended(game).await;
    map_stop.cancel();
    ended(map).await;
    tracing::info!("stopped");
    Ok(())
}

/// Says which file an error is about.
fn opening(file: &Path) -> impl FnOnce(OpenError) -> ServeError + '_ {
    move |source| ServeError::Open { file: file.to_owned(), source }
}

/// One service, from its first request to its last.
async fn run(listener: TcpListener, router: axum::Router, leader: Leader, farewell: Duration, stop: Stop) {
    serve_http(listener, router, Limits { farewell, ..Limits::default() }, stop).await;
    leader.finished().await;
}

async fn ended(service: Option<JoinHandle<()>>) {
    if let Some(service) = service
        && let Err(fault) = service.await
    {
        tracing::error!(%fault, "a service broke down");
    }
}

/// The services that the game service calls.
fn neighbours(
    args: &ServeArgs,
    settings: &Settings,
    map: Option<SocketAddr>,
    clock: &Arc<dyn Clock>,
) -> Result<Neighbours, ServeError> {
    let map = service_url(&args.map_url().unwrap_or_else(|| map_url(map)), "--map-url")?;
    let map = HttpMap::new(map, settings.admin_token.clone(), clock.clone(), args.map_timeout);
    let receiver = |url: Option<String>, flag| -> Result<Option<Arc<dyn Receiver>>, ServeError> {
        let url = url.map(|url| service_url(&url, flag)).transpose()?;
        Ok(url.map(|url| Arc::new(HttpReceiver::new(url)) as Arc<dyn Receiver>))
    };
    Ok(Neighbours {
        map: Arc::new(map),
        trading: receiver(args.trading_url(), "--trading-url")?,
        robots: receiver(args.robot_url(), "--robot-url")?,
    })
}

fn service_url(url: &str, flag: &'static str) -> Result<ServiceUrl, ServeError> {
    ServiceUrl::parse(url).map_err(|source| ServeError::Url { flag, source })
}

fn map_url(map: Option<SocketAddr>) -> String {
    map.map_or_else(|| "http://127.0.0.1:8081".to_owned(), |map| format!("http://{}", reachable(map)))
}

/// What the flags say together.
struct Settings {
    dialect: Dialect,
    admin_token: AdminToken,
    cors: CorsOrigin,
    max_running_games: u32,
    closed_mining: bool,
    replenish_every: Option<Duration>,
    keep_events: KeepEvents,
    batch_gap: Duration,
}

impl Settings {
    fn check(args: &ServeArgs) -> Result<Self, ServeError> {
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
        Ok(Self {
            dialect,
            admin_token: AdminToken::new(admin_token),
            cors,
            max_running_games: args.max_running_games,
            closed_mining: args.closed_mining,
            keep_events: args
                .keep_events()
                .map_err(|fault| ServeError::Flags(format!("--events-keep-age: {fault}")))?,
            batch_gap: args
                .batch_gap()
                .map_err(|fault| ServeError::Flags(format!("--batch-gap: {fault}")))?,
            replenish_every: args
                .replenish_every()
                .map_err(|fault| ServeError::Flags(format!("--replenish-every: {fault}")))?,
        })
    }

    fn game(&self) -> starkeep_game_service::Config {
        starkeep_game_service::Config {
            dialect: self.dialect,
            admin_token: self.admin_token.clone(),
            cors: self.cors.clone(),
            max_running_games: self.max_running_games,
            keep_events: self.keep_events,
            batch_gap: self.batch_gap,
        }
    }

    fn map(&self) -> starkeep_map_service::Config {
        starkeep_map_service::Config {
            dialect: self.dialect,
            admin_token: self.admin_token.clone(),
            closed_mining: self.closed_mining,
            cors: self.cors.clone(),
            replenish_every: self.replenish_every,
            keep_events: self.keep_events,
        }
    }
}

fn token_in(file: &Path) -> Result<String, ServeError> {
    let text = std::fs::read_to_string(file)
        .map_err(|fault| ServeError::Flags(format!("--admin-token-file {}: {fault}", file.display())))?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

async fn bind(address: SocketAddr, flag: &'static str) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, flag, source })
}

fn address_of(listener: &TcpListener, asked: SocketAddr) -> SocketAddr {
    listener.local_addr().unwrap_or(asked)
}

/// A service that listens everywhere is reached from here over loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

fn say_what_to_try(game: Option<SocketAddr>, map: Option<SocketAddr>) {
    println!("\nTry next:");
    if let Some(game) = game {
        println!(
            "  curl -X POST http://{game}/games -H 'Content-Type: application/json' -d '{{\"maxRounds\":5,\"maxPlayers\":2}}'\n\
             \x20 curl http://{game}/games\n\
             \x20 read http://{game}/docs"
        );
    }
    if let Some(map) = map {
        println!("  curl http://{map}/planets\n  read http://{map}/docs");
    }
    println!("Stop with Ctrl-C.");
}

/// SIGTERM and Ctrl-C end everything in good order; a second one is not waited for.
fn stop_on_signals() -> Stop {
    let stop = Stop::new();
    let announced = stop.clone();
    let (terminate, interrupt) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    tokio::spawn(async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = (terminate, interrupt) else {
            tracing::warn!("signals cannot be heard: the process can only be killed");
            return;
        };
        either(terminate.recv(), interrupt.recv()).await;
        tracing::info!("stopping: no new requests, finishing what is in flight");
        announced.cancel();
        either(terminate.recv(), interrupt.recv()).await;
        tracing::warn!("stopped at once");
        std::process::exit(1);
    });
    stop
}

async fn either(first: impl Future<Output = Option<()>>, second: impl Future<Output = Option<()>>) {
    tokio::select! {
        _ = first => {}
        _ = second => {}
    }
}
