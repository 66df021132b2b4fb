//! A trading service with a running game in its second round, two players and a robot that holds something.
//! The services beside it are in `trading_fakes`.

use std::sync::Arc;
use std::time::Duration;

use futures::future::FutureExt as _;
use serde_json::{Value, json};
use starkeep_contract::events::Channel;
use starkeep_platform::events::Position;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::memory::Memory;
use starkeep_platform::service::FrameConfig;
use starkeep_platform::store::Store as _;
use starkeep_trading_service::store::Trading;
use starkeep_trading_service::{Config, TradingService};
use uuid::Uuid;

use super::event;
use super::trading_fakes::{NothingMissed, OneRobot, PLAYER, ROBOT, STATION};
use crate::fuzzed_service::{EPOCH, FuzzedService, Surroundings, Tasks};
use crate::names::Names;

const GAME: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0001);
const WORLD: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0006);
const OTHER_PLAYER: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0005);

pub(crate) fn open() -> FuzzedService {
    let surroundings = Surroundings::new();
    let store = Memory::<Trading>::new(surroundings.replica, surroundings.disturbance());
    let (common, frame) = (store.clone().common(), FrameConfig::default());
    let config = Config {
        frame: frame.clone(),
        service_token: AdminToken::default(),
        robot_timeout: Duration::from_secs(2),
    };
    let (robots, others) = (Arc::new(OneRobot::default()), Arc::new(NothingMissed));
    let Surroundings { clock, chance, .. } = surroundings;
    let service = TradingService::beside(store, config, clock.clone(), chance, Some(robots), others);
    let tasks: Tasks = {
        let service = service.clone();
        Box::new(move || {
            let open_trades = service.open_trades();
            async move { open_trades.step().await }.boxed()
        })
    };
    let mut fuzzed = FuzzedService::open(service.clone(), common, frame, &clock, tasks);
    start_game(&fuzzed, &service);
    fuzzed.names = names();
    fuzzed
}

fn start_game(fuzzed: &FuzzedService, service: &TradingService) {
    let roster = |change: &str, player: Option<Uuid>, world: Option<Uuid>, money: Option<u32>| {
        json!({
            "gameId": GAME, "change": change, "playerId": player, "gameworldId": world, "startMoney": money,
        })
    };
    let round = |number: u32, status: &str| json!({"gameId": GAME, "roundId": Uuid::nil(), "roundNumber": number, "roundStatus": status});
    let world = json!({"id": WORLD, "spacestation_ids": [STATION], "status": "active"});
    let told: [(Channel, Value); 10] = [
        (Channel::Status, json!({"gameId": GAME, "status": "created"})),
        (Channel::GameRoster, roster("joined", Some(PLAYER), None, Some(100_000))),
        (Channel::GameRoster, roster("joined", Some(OTHER_PLAYER), None, Some(200))),
        (Channel::GameworldCreated, world),
        (Channel::GameRoster, roster("started", None, Some(WORLD), None)),
        (Channel::RoundStatus, round(1, "started")),
        (Channel::RoundStatus, round(1, "command input ended")),
        (Channel::RoundStatus, round(1, "ended")),
        (Channel::RoundStatus, round(2, "started")),
        (Channel::RoundStatus, round(2, "command input ended")),
    ];
    for (number, (channel, payload)) in (1..).zip(told) {
        let position = Position { epoch: 1, number, piece: 0 }.to_string();
        let items = [event(channel, &position, Some(Uuid::from_u128(number.into())), payload)];
        let recorded = match channel {
            Channel::GameworldCreated => fuzzed.run(service.record_map_items(EPOCH, &items, position)),
            _ => fuzzed.run(service.record_game_items(EPOCH, &items, position)),
        };
        recorded.expect("the event is recorded");
    }
}

fn names() -> Names {
    let mut names = Names::default();
    let known = [
        ("gameId", GAME.to_string()),
        ("Starkeep-Game", GAME.to_string()),
        ("Starkeep-Round", "2".to_owned()),
        ("round", "1".to_owned()),
        ("name", "MINING_1".to_owned()),
        ("playerId", PLAYER.to_string()),
        ("robotId", ROBOT.to_string()),
        ("planetId", STATION.to_string()),
    ];
    for (name, value) in known {
        names.add(name, value);
    }
    names
}
