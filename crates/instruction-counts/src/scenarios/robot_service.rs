//! The robot service: a round in which 1,000 robots on 100 planets move.

mod ring_of_planets;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, PublishedEvent};
use starkeep_http_client::Item;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::lease::Epoch;
use starkeep_platform::service::FrameConfig;
use starkeep_robot_service::ports::Store;
use starkeep_robot_service::store::Robots;
use starkeep_robot_service::{Config, Gateways, RobotService, ServiceUrl};
use uuid::Uuid;

use self::ring_of_planets::{RingOfPlanets, planet};
use crate::pages;
use crate::serving::{Served, Surroundings, post, text};

const ROBOTS: u64 = 1_000;
const GAME: Uuid = Uuid::from_u128(0x6a << 120);

/// Everybody to the next planet, again and again.
pub(super) fn move_on_a_file(times: u32) {
    let surroundings = Surroundings::new();
    let store = surroundings.store::<Robots>();
    let (service, robots) = with_robots(surroundings, store);
    service.count_requests(times, |round| moves(&robots, round));
}

/// In one request: the game sends what its players have ordered together.
pub(super) fn pages_of_moves(times: u32, at_once: u32) -> u64 {
    let surroundings = Surroundings::with_scattered_ids();
    let store = surroundings.store::<Robots>();
    let (service, robots) = with_robots(surroundings, store.clone());
    let robots = &robots[..at_once as usize];
    pages::of_a_hundred(&service, &store, times, 1, |round| moves(robots, round))
}

fn moves(robots: &[String], round: u32) -> Request<Body> {
    let command = |(number, robot): (u64, &String)| {
        let transaction = Uuid::from_u64_pair(2 + u64::from(round), number);
        format!("move {robot} {} {transaction}", planet(number + u64::from(round) + 1))
    };
    let commands: Vec<_> = (0..).zip(robots).map(command).collect();
    post("/commands", &json!({ "commands": commands }))
}

fn with_robots(surroundings: Surroundings, store: Arc<dyn Store>) -> (Served, Vec<String>) {
    let frame = FrameConfig::default();
    let config = Config {
        frame: frame.clone(),
        service_token: AdminToken::default(),
        station_word: "SPACE_STATION".to_owned(),
        mining_energy: 0,
        neighbours_delay: Duration::ZERO,
        map_timeout: Duration::from_secs(5),
    };
    let others = Arc::new(RingOfPlanets);
    let gateways = Gateways { map: others.clone(), game: others };
    let nowhere = ServiceUrl::parse("http://127.0.0.1:1").expect("an address");
    let (clock, chance) = (surroundings.clock.clone(), surroundings.chance.clone());
    let service = RobotService::with_gateways(store.clone(), config, clock, chance, gateways, nowhere);
    surroundings.block_on(start_game(&service));
    let served = surroundings.serve(service, store.common(), frame);
    let planets: Vec<_> = (0..ROBOTS).map(planet).collect();
    let spawn = json!({"transactionId": Uuid::from_u64_pair(1, 1), "player": Uuid::from_u64_pair(1, 2),
                       "planets": planets, "quantity": ROBOTS});
    let spawned = served.ask(post("/robots", &spawn));
    let robots = spawned.as_array().expect("a list").iter().map(|robot| text(robot, "id")).collect();
    (served, robots)
}

/// Up to where the input of its first round has ended.
async fn start_game(service: &RobotService) {
    let roster = json!({"gameId": GAME, "change": "started", "playerId": null,
                        "gameworldId": Uuid::from_u64_pair(3, 0), "startMoney": null});
    let round = json!({"gameId": GAME, "roundId": Uuid::from_u64_pair(4, 0), "roundNumber": 1,
                       "roundStatus": "command input ended"});
    let items = [
        event(Channel::Status, json!({"gameId": GAME, "status": "created"})),
        event(Channel::GameRoster, roster),
        event(Channel::RoundStatus, round),
    ];
    let recorded = service.game_stream().record(Epoch(1), &items, "3".to_owned()).await;
    recorded.expect("the game is recorded");
}

fn event(channel: Channel, payload: Value) -> Item {
    let headers = EventHeaders {
        event_id: Uuid::nil(),
        transaction_id: String::new(),
        version: "1".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".to_owned(),
        r#type: channel.event_type().name().to_owned(),
    };
    let about = EventAbout::default();
    Item::Event(PublishedEvent { id: "1".to_owned(), channel, headers, payload, about })
}
