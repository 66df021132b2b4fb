//! A robot service with a running game in its first round and two robots, beside a map of two planets.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _, ready};
use http::Method;
use serde_json::json;
use starkeep_contract::events::Channel;
use starkeep_executor::{GameEvent, Games};
use starkeep_http_client::ServiceUrl;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::service::FrameConfig;
use starkeep_robot_core::{Neighbour, Planet, PlanetFault, PlanetId, PlayerId, ResourceKind};
use starkeep_robot_service::ports::{GameService, Map, MiningAnswer, MiningCall, PlanetFailure, Store};
use starkeep_robot_service::store::memory;
use starkeep_robot_service::{Config, Gateways, RobotService};
use uuid::Uuid;

use super::{event, text};
use crate::fuzzed_service::{EPOCH, FuzzedService, Surroundings, Tasks};
use crate::names::Names;

const GAME: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0001);
const OWNER: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0004);
const STATION: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0002);
const COAL: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_000b);

/// Of the owner of both robots.
const TOKEN: &str = "5eed0000-0000-4000-8000-000000000009";

pub(crate) fn open() -> FuzzedService {
    let surroundings = Surroundings::new();
    let store: Arc<dyn Store> = memory::open(surroundings.replica, surroundings.disturbance());
    let (common, frame) = (store.clone().common(), FrameConfig::default());
    let config = Config {
        frame: frame.clone(),
        service_token: AdminToken::default(),
        station_word: "SPACE_STATION".to_owned(),
        mining_energy: 1,
        neighbours_delay: Duration::ZERO,
        map_timeout: Duration::from_secs(5),
    };
    let gateways = Gateways { map: Arc::new(TwoPlanets), game: Arc::new(OnePlayer) };
    let nowhere = ServiceUrl::parse("http://127.0.0.1:1").expect("an address");
    let Surroundings { clock, chance, .. } = surroundings;
    let service = RobotService::with_gateways(store, config, clock.clone(), chance, gateways, nowhere);
    let tasks: Tasks = {
        let service = service.clone();
        Box::new(move || {
            let settler = service.mining_settler();
            async move { settler.step().await }.boxed()
        })
    };
    let mut fuzzed = FuzzedService::open(service.clone(), common, frame, &clock, tasks);
    start_game(&fuzzed, &service);
    fuzzed.names = prepared(&fuzzed);
    fuzzed
}

fn start_game(fuzzed: &FuzzedService, service: &RobotService) {
    let roster = json!({
        "gameId": GAME, "change": "started", "playerId": null, "gameworldId": Uuid::nil(), "startMoney": null,
    });
    let round = json!({
        "gameId": GAME, "roundId": Uuid::nil(), "roundNumber": 1, "roundStatus": "command input ended",
    });
    let told = [
        (Channel::Status, json!({"gameId": GAME, "status": "created"})),
        (Channel::GameRoster, roster),
        (Channel::RoundStatus, round),
    ];
    for (number, (channel, payload)) in told.into_iter().enumerate() {
        let position = format!("position-{number}");
        let item = event(channel, &position, None, payload);
        let recorded = fuzzed.run(service.game_stream().record(EPOCH, &[item], position));
        recorded.expect("the event is recorded");
    }
}

fn prepared(fuzzed: &FuzzedService) -> Names {
    let spawned = fuzzed.done(
        Method::POST,
        "/robots",
        &json!({"transactionId": Uuid::nil(), "player": OWNER, "planets": [STATION, COAL], "quantity": 2}),
    );
    let mut names = Names::default();
    names.add("robotId", text(&spawned[0], "id"));
    names.add("minerId", text(&spawned[1], "id"));
    names.add("player", OWNER.to_string());
    names.add("player-id", OWNER.to_string());
    names.add("playerToken", TOKEN);
    names.add("planets", STATION.to_string());
    names.add("coalId", COAL.to_string());
    names.add("gameId", GAME.to_string());
    names.add("game-id", GAME.to_string());
    names.add("Starkeep-Game", GAME.to_string());
    names.add("Starkeep-Round", "1");
    names
}

/// A station, and coal to its east that never ends.
struct TwoPlanets;

impl Map for TwoPlanets {
    fn planet(&self, planet: PlanetId) -> BoxFuture<'_, Result<Planet, PlanetFailure>> {
        let neighbour = |id, direction: &str| Neighbour {
            planet: PlanetId(id),
            movement_difficulty: 1,
            direction: direction.to_owned(),
        };
        let told = |is_station, resource, neighbour| {
            Ok(Planet {
                id: planet,
                movement_difficulty: 1,
                is_station,
                resource,
                neighbours: vec![neighbour],
            })
        };
        let answer = match planet.0 {
            STATION => told(true, None, neighbour(COAL, "east")),
            COAL => told(false, Some(ResourceKind::Coal), neighbour(STATION, "west")),
            _ => Err(PlanetFailure { fault: PlanetFault::Unknown, may_pass: false }),
        };
        ready(answer).boxed()
    }

    fn mine<'a>(&'a self, call: &'a MiningCall) -> BoxFuture<'a, MiningAnswer> {
        ready(MiningAnswer::Mined(call.site.requested())).boxed()
    }

    fn fault(&self) -> Option<String> {
        None
    }
}

struct OnePlayer;

impl GameService for OnePlayer {
    fn player_of<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<PlayerId>, String>> {
        ready(Ok((token == TOKEN).then_some(PlayerId(OWNER)))).boxed()
    }

    fn missed_events<'a>(&'a self, _: &'a Games) -> BoxFuture<'a, Result<Vec<GameEvent>, String>> {
        ready(Ok(Vec::new())).boxed()
    }
}
