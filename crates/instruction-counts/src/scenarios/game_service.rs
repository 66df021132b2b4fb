//! The game service: commands to 100 robots in a running game, what its clock shows, the list of ten games, and players who
//! register and join beside many others.

mod no_other_services;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::Request;
use serde_json::json;
use starkeep_game_service::ports::Store;
use starkeep_game_service::store::{memory, sql};
use starkeep_game_service::{
    Config, ExecutorStreams, GameService, OtherServices, PlayerAccess, ServiceAddress, ServiceAddresses,
};
use starkeep_platform::service::FrameConfig;
use uuid::Uuid;

use self::no_other_services::NoOtherServices;
use crate::serving::{REPLICA, Served, Surroundings, get, post, put, text, undisturbed};

const RUNNING_GAMES: u32 = 1;

/// So many have joined before those who are counted.
const JOINED_BEFORE: u32 = 400;

pub(super) fn list_games(times: u32) {
    let games = opened(in_memory);
    for _ in 0..10 {
        create(&games);
    }
    games.count_requests(times, |_| get("/games"));
}

pub(super) fn show_time(times: u32) {
    let Match { games, game, .. } = Match::new(in_memory, 0);
    games.count_requests(times, |_| get(format!("/games/{game}/time")));
}

pub(super) fn command_in_memory(times: u32) {
    command(times, in_memory);
}

pub(super) fn command_on_a_file(times: u32) {
    command(times, on_a_file);
}

pub(super) fn register_on_a_file(times: u32) {
    let (games, _) = with_many_players();
    games.count_requests(times, |number| registration(&name(JOINED_BEFORE + number)));
}

pub(super) fn join_on_a_file(times: u32) {
    let (games, game) = with_many_players();
    games.count_requests(times, |number| register(&games, &name(JOINED_BEFORE + number)).join(&game));
}

/// And the game that they have joined.
fn with_many_players() -> (Served, String) {
    let games = opened(on_a_file);
    let game = text(&games.ask(post("/games", &json!({"maxRounds": 9, "maxPlayers": 1_000}))), "gameId");
    for number in 0..JOINED_BEFORE {
        games.send(register(&games, &name(number)).join(&game));
    }
    (games, game)
}

/// Each for another robot.
fn command(times: u32, store: impl Fn(&Surroundings) -> Arc<dyn Store>) {
    let Match { games, game, token } = Match::new(store, times + 1);
    games.count_requests(times, |number| {
        let object = json!({"commandType": "movement", "planetId": Uuid::from_u128(0x80)});
        let command = json!({"gameId": game, "playerToken": token, "robotId": robot(number),
                             "commandType": "movement", "commandObject": object});
        post("/commands", &command)
    });
}

/// A running game; one of its two players has so many robots.
struct Match {
    games: Served,
    game: String,
    token: String,
}

impl Match {
    fn new(store: impl Fn(&Surroundings) -> Arc<dyn Store>, robots: u32) -> Self {
        let games = opened(store);
        let game = create(&games);
        let players = ["ada", "bob"].map(|name| {
            let player = register(&games, name);
            games.send(player.join(&game));
            player
        });
        games.send(post(format!("/games/{game}/gameCommands/start"), &json!({})));
        let [ada, _] = players;
        for number in 0..robots {
            games.send(put(format!("/robots/{}", robot(number)), &json!({"playerId": ada.id})));
        }
        Self { games, game, token: ada.token }
    }
}

struct Player {
    id: String,
    token: String,
}

impl Player {
    fn join(&self, game: &str) -> Request<Body> {
        put(format!("/games/{game}/players/{}", self.token), &json!({}))
    }
}

fn register(games: &Served, name: &str) -> Player {
    let player = games.ask(registration(name));
    Player { id: text(&player, "playerId"), token: text(&player, "bearerToken") }
}

fn registration(name: &str) -> Request<Body> {
    post("/players", &json!({"name": name, "email": format!("{name}@example.org")}))
}

fn name(number: u32) -> String {
    format!("player-{number}")
}

fn robot(number: u32) -> Uuid {
    Uuid::from_u128((0x70 << 120) | u128::from(number))
}

fn create(games: &Served) -> String {
    let game = json!({"maxRounds": 9, "maxPlayers": 2, "duration": 4000});
    text(&games.ask(post("/games", &game)), "gameId")
}

fn on_a_file(surroundings: &Surroundings) -> Arc<dyn Store> {
    let file = surroundings.file();
    let opening = sql::open_sqlite(&file, RUNNING_GAMES, REPLICA);
    surroundings.runtime.block_on(opening).expect("the store opens")
}

fn in_memory(_: &Surroundings) -> Arc<dyn Store> {
    memory::open(RUNNING_GAMES, REPLICA, undisturbed()).expect("the store opens")
}

fn opened(store: impl Fn(&Surroundings) -> Arc<dyn Store>) -> Served {
    let surroundings = Surroundings::new();
    let store = store(&surroundings);
    let frame = FrameConfig::default();
    let config = Config {
        frame: frame.clone(),
        max_running_games: RUNNING_GAMES,
        start_delay: None,
        status_gap: None,
        map_timeout: Duration::from_secs(5),
        replenish_every: None,
        has_outer_trading: false,
        largest_order: 19,
        batch_gap: None,
        services: ServiceAddresses {
            game: ServiceAddress::Listening(SocketAddr::from(([127, 0, 0, 1], 8080))),
            map: None,
            robot: None,
            trading: None,
        },
        executor_streams: ExecutorStreams::default(),
        player_access: PlayerAccess::default(),
    };
    let nobody = Arc::new(NoOtherServices);
    let other_services = OtherServices {
        map: nobody.clone(),
        trading: None,
        robots: None,
        robot_directory: None,
        lookups: nobody.clone(),
        records: nobody,
    };
    let (clock, chance) = (surroundings.clock.clone(), surroundings.chance.clone());
    let service = GameService::new(store.clone(), config, other_services, clock, chance);
    surroundings.serve(Arc::new(service), store.common(), frame)
}
