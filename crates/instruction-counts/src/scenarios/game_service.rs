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
use starkeep_game_service::store::{Games, memory, sql};
use starkeep_game_service::{
    Config, ExecutorStreams, GameService, OtherServices, PlayerAccess, ServiceAddress, ServiceAddresses,
};
use starkeep_platform::service::FrameConfig;
use starkeep_platform::sql::SqlStore;
use uuid::Uuid;

use self::no_other_services::NoOtherServices;
use crate::pages;
use crate::serving::{REPLICA, Served, Surroundings, get, post, put, text, undisturbed};

const RUNNING_GAMES: u32 = 1;

/// So many have joined before those who are counted.
const JOINED_BEFORE: u32 = 400;

pub(super) fn list_games(times: u32) {
    let games = opened(in_memory());
    for _ in 0..10 {
        create(&games);
    }
    games.count_requests(times, |_| get("/games"));
}

pub(super) fn show_time(times: u32) {
    let Match { games, game, .. } = Match::new(in_memory(), 0);
    games.count_requests(times, |_| get(format!("/games/{game}/time")));
}

pub(super) fn command_in_memory(times: u32) {
    command(times, in_memory());
}

pub(super) fn command_on_a_file(times: u32) {
    let (surroundings, store) = on_a_file(Surroundings::new());
    command(times, (surroundings, store));
}

/// Each for another robot.
pub(super) fn pages_of_commands(times: u32, at_once: u32) -> u64 {
    let (surroundings, store) = on_a_file(Surroundings::with_scattered_ids());
    let running = Match::new((surroundings, store.clone()), (times + 1) * at_once);
    let command = |number| running.command(number);
    pages::of_a_hundred(&running.games, &store, times, at_once, command)
}

pub(super) fn register_on_a_file(times: u32) {
    let (surroundings, store) = on_a_file(Surroundings::new());
    let (games, _) = with_many_players((surroundings, store));
    games.count_requests(times, |number| registration(&name(JOINED_BEFORE + number)));
}

pub(super) fn join_on_a_file(times: u32) {
    let (surroundings, store) = on_a_file(Surroundings::new());
    let (games, game) = with_many_players((surroundings, store));
    games.count_requests(times, |number| register(&games, &name(JOINED_BEFORE + number)).join(&game));
}

pub(super) fn pages_of_joins(times: u32, at_once: u32) -> u64 {
    let (surroundings, store) = on_a_file(Surroundings::with_scattered_ids());
    let (games, game) = with_many_players((surroundings, store.clone()));
    // They play already, in another game, and are therefore in memory: nothing has to be read before they join.
    let other = create_for_many(&games);
    let players: Vec<_> = (0..(times + 1) * at_once)
        .map(|number| {
            let player = register(&games, &name(JOINED_BEFORE + number));
            games.send(player.join(&other));
            player
        })
        .collect();
    let join = |number: u32| players[number as usize].join(&game);
    pages::of_a_hundred(&games, &store, times, at_once, join)
}

/// And the game that they have joined.
fn with_many_players(opening: Opening) -> (Served, String) {
    let games = opened(opening);
    let game = create_for_many(&games);
    for number in 0..JOINED_BEFORE {
        games.send(register(&games, &name(number)).join(&game));
    }
    (games, game)
}

/// Each for another robot.
fn command(times: u32, opening: Opening) {
    let running = Match::new(opening, times + 1);
    running.games.count_requests(times, |number| running.command(number));
}

/// A running game; one of its two players has so many robots.
struct Match {
    games: Served,
    game: String,
    token: String,
}

impl Match {
    fn new(opening: Opening, robots: u32) -> Self {
        let games = opened(opening);
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

    fn command(&self, number: u32) -> Request<Body> {
        let object = json!({"commandType": "movement", "planetId": Uuid::from_u128(0x80)});
        let command = json!({"gameId": self.game, "playerToken": self.token, "robotId": robot(number),
                             "commandType": "movement", "commandObject": object});
        post("/commands", &command)
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

fn create_for_many(games: &Served) -> String {
    text(&games.ask(post("/games", &json!({"maxRounds": 9, "maxPlayers": 2_000}))), "gameId")
}

fn create(games: &Served) -> String {
    let game = json!({"maxRounds": 9, "maxPlayers": 2, "duration": 4000});
    text(&games.ask(post("/games", &game)), "gameId")
}

/// What the service is opened with.
type Opening = (Surroundings, Arc<dyn Store>);

fn on_a_file(surroundings: Surroundings) -> (Surroundings, Arc<SqlStore<Games>>) {
    let store = surroundings.store::<Games>();
    surroundings.block_on(sql::limit_running_games(&store, RUNNING_GAMES)).expect("the limit is set");
    (surroundings, store)
}

fn in_memory() -> Opening {
    let store = memory::open(RUNNING_GAMES, REPLICA, undisturbed()).expect("the store opens");
    (Surroundings::new(), store)
}

fn opened((surroundings, store): Opening) -> Served {
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
