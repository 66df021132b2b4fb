//! The only wiring: opens the data directory, builds the services, binds, serves, and stops in good order.
//! The whole runtime on one screen; what the flags say together is checked in `settings`.

mod settings;

use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use starkeep_contract::Dialect;
use starkeep_game_service::ports::Executor;
use starkeep_game_service::{GameService, HttpExecutor, HttpMap, OtherServices, ServiceUrl};
use starkeep_kafka::{Kafka, KafkaTopics};
use starkeep_map_service::MapService;
use starkeep_platform::chance::{Chance, SystemChance};
use starkeep_platform::clock::{Clock, SystemClock, within};
use starkeep_platform::data_dir::{DataDir, DataDirError};
use starkeep_platform::http::serve::{Limits, serve as serve_http};
use starkeep_platform::sqlite::OpenError;
use starkeep_platform::tasks::{Leader, Stop};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use self::settings::{Settings, address};
use crate::args::{ServeArgs, Which};

const GAME_FILE: &str = "game.db";
const MAP_FILE: &str = "map.db";

/// How long what is in flight may take after a stop; together less than the ten seconds that a stop may last.
const GAME_FAREWELL: Duration = Duration::from_secs(6);
const MAP_FAREWELL: Duration = Duration::from_secs(2);

/// How long another service is waited for to say how it is.
const GLANCE: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("{0}")]
    Flags(String),
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("{}: {source}", file.display())]
    Open { file: PathBuf, source: OpenError },
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
        let other_services = other_services(&settings, map_address, args.map_timeout, &clock)?;
        let service = GameService::open(&file, settings.game(), other_services, clock.clone(), chance).await;
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
fn other_services(
    settings: &Settings,
    map: Option<SocketAddr>,
    map_timeout: Duration,
    clock: &Arc<dyn Clock>,
) -> Result<OtherServices, ServeError> {
    let map = match &settings.map_url {
        Some(url) => url.clone(),
        None => address(&map_url(map), "--map-url")?,
    };
    let map = HttpMap::new(map, settings.admin_token.clone(), clock.clone(), map_timeout);
    let executor = |url: &Option<ServiceUrl>, flag| {
        let url = url.clone()?;
        let executor = Arc::new(HttpExecutor::new(url.clone()));
        if settings.dialect == Dialect::Standard {
            tokio::spawn(warn_if_not_idempotent(executor.clone(), flag, url, clock.clone()));
        }
        Some(executor as Arc<dyn Executor>)
    };
    Ok(OtherServices {
        map: Arc::new(map),
        trading: executor(&settings.trading_url, "--trading-url"),
        robots: executor(&settings.robot_url, "--robot-url"),
    })
}

/// The existing robot and trading services forget the stations that the standard dialect announces before the game.
async fn warn_if_not_idempotent(
    executor: Arc<HttpExecutor>,
    flag: &'static str,
    url: ServiceUrl,
    clock: Arc<dyn Clock>,
) {
    if within(&*clock, GLANCE, executor.executes_once()).await != Some(true) {
        tracing::warn!(
            "{flag} {}: this service does not say in its /health that it `executesOnce`, as those of the existing stack \
             do not; they work with --dialect msd only",
            url.as_str()
        );
    }
}

fn map_url(map: Option<SocketAddr>) -> String {
    map.map_or_else(|| "http://127.0.0.1:8081".to_owned(), |map| format!("http://{}", reachable(map)))
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
