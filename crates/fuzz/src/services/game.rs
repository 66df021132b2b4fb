//! A game service with a running, a created and an ended game, two players and a robot.
//! The services beside it are in `game_fakes`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future::FutureExt as _;
use http::Method;
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_service::ports::{MapGateway, Store};
use starkeep_game_service::store::memory;
use starkeep_game_service::{
    AddressFrom, Config, ExecutorStreams, GameService, GuessLimits, OtherServices, PlayerAccess,
    ServiceAddress, ServiceAddresses, TokenRecovery,
};
use starkeep_platform::service::FrameConfig;
use starkeep_platform::tasks::Stop;

pub(crate) use super::game_fakes::{GIVEN_WORLD, WillingMap};
use super::game_fakes::{Nobody, WillingExecutor};
use super::text;
use crate::fuzzed_service::{EPOCH, FuzzedService, Surroundings, Tasks};
use crate::names::Names;

/// Never the reason for a refusal here: every input may make a game and start it.
const RUNNING_GAMES: u32 = 200;

/// A round ends only where a request ends it.
const ROUND_MILLIS: u64 = 86_400_000;

/// With something in it.
pub(crate) fn open(dialect: Dialect) -> FuzzedService {
    let mut fuzzed = empty(dialect, Arc::new(WillingMap));
    fuzzed.names = prepared(&fuzzed, dialect);
    fuzzed
}

pub(crate) fn empty(dialect: Dialect, map: Arc<dyn MapGateway>) -> FuzzedService {
    let surroundings = Surroundings::new();
    let disturb = surroundings.disturbance();
    let store = memory::open(RUNNING_GAMES, surroundings.replica, disturb).expect("the store opens");
    let store: Arc<dyn Store> = store;
    let frame = FrameConfig { dialect, ..FrameConfig::default() };
    let executor = Arc::new(WillingExecutor);
    let nobody = Arc::new(Nobody);
    let others = OtherServices {
        map,
        trading: Some(executor.clone()),
        robots: Some(executor),
        robot_directory: Some(nobody.clone()),
        lookups: nobody.clone(),
        records: nobody,
    };
    let Surroundings { clock, chance, .. } = surroundings;
    let service = GameService::new(store.clone(), config(frame.clone()), others, clock.clone(), chance);
    let service = Arc::new(service);
    let tasks: Tasks = {
        let service = service.clone();
        Box::new(move || run_tasks(service.clone()).boxed())
    };
    FuzzedService::open(service, store.common(), frame, &clock, tasks)
}

async fn run_tasks(service: Arc<GameService>) -> Result<(), String> {
    service.round_clock().step(EPOCH).await?;
    service.dispatcher(Stop::new()).step(EPOCH).await?;
    service.round_scoring().step(EPOCH).await?;
    service.reconciler().step(EPOCH).await
}

fn config(frame: FrameConfig) -> Config {
    Config {
        frame,
        max_running_games: RUNNING_GAMES,
        start_delay: Some(Duration::ZERO),
        status_gap: None,
        map_timeout: Duration::from_secs(5),
        replenish_every: None,
        has_outer_trading: false,
        largest_order: 19,
        batch_gap: Some(Duration::ZERO),
        services: ServiceAddresses {
            game: ServiceAddress::Listening(SocketAddr::from(([0, 0, 0, 0], 8080))),
            map: Some(ServiceAddress::Configured("http://map.example:8081".to_owned())),
            robot: None,
            trading: None,
        },
        executor_streams: ExecutorStreams::default(),
        // Headers are asked who it is, and hardly anybody has to wait.
        player_access: PlayerAccess {
            token_recovery: TokenRecovery::ByCode,
            guesses: GuessLimits { wrong: 1_000, every: Duration::from_secs(1) },
            address_from: AddressFrom::Proxy,
        },
    }
}

fn prepared(fuzzed: &FuzzedService, dialect: Dialect) -> Names {
    let mut names = Names::default();
    let post = |path: &str, body: Value| fuzzed.done(Method::POST, path, &body);
    let put = |path: &str, body: Value| fuzzed.done(Method::PUT, path, &body);
    let players = ["ada", "bob"].map(|name| {
        let player = post("/players", json!({"name": name, "email": format!("{name}@example.org")}));
        (text(&player, "playerId"), text(&player, "bearerToken"))
    });
    let created = || {
        let game = post("/games", json!({"maxRounds": 20, "maxPlayers": 3, "duration": ROUND_MILLIS}));
        text(&game, "gameId")
    };
    let started = || {
        let game = created();
        for (_, token) in &players {
            put(&format!("/games/{game}/players/{token}"), Value::Null);
        }
        post(&format!("/games/{game}/gameCommands/start"), Value::Null);
        game
    };
    let ended = started();
    post(&format!("/games/{ended}/gameCommands/end"), Value::Null);
    let running = started();
    let (player, token) = &players[0];
    let robot = "5eed0000-0000-4000-8000-000000000008";
    put(&format!("/robots/{robot}"), json!({"playerId": player}));
    let command = json!({
        "gameId": running, "playerToken": token, "robotId": robot, "commandType": "regenerate",
    });
    let receipt = post("/commands", command);
    // In the msd dialect there is one game at a time.
    let other = if dialect == Dialect::Msd { running.clone() } else { created() };
    names.add("gameId", running);
    names.add("createdGameId", other);
    names.add("endedGameId", ended);
    names.add("playerId", player);
    names.add("player", token);
    names.add("playerToken", token);
    names.add("otherToken", &players[1].1);
    names.add("robotId", robot);
    names.add("planetId", "5eed0000-0000-4000-8000-000000000002");
    names.add("transactionId", text(&receipt, "transactionId"));
    names.add("gameworldId", GIVEN_WORLD.to_string());
    names.add("roundNumber", "1");
    names.add("name", "ada");
    names.add("mail", "ada@example.org");
    names.add("path", "main.js");
    names
}
