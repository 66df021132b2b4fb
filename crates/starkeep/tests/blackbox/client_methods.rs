//! The typed client against the real services: every method once, in the order in which a host would call them.
//! What the services decide is tested with them; here their answers have to fit the contract's types.

use starkeep_client::{ClientError, GameClient, MapClient};
use starkeep_contract::command::{CommandRequest, CommandState};
use starkeep_contract::game::{CreateGame, Pace, Phase, Readiness};
use starkeep_contract::health::HealthStatus;
use starkeep_contract::map::{
    NewGameworld, NewMining, PlacedPlanet, ReplenishmentMode, WorldStatus, WorldStyle,
};
use starkeep_contract::player::{RecoveryCode, RegisterPlayer};
use starkeep_contract::{Bounded, Code, GameId, GameName, RobotId, WorldId};
use tempfile::TempDir;

use crate::program::Program;

async fn clients() -> (Program, TempDir, GameClient, MapClient) {
    let home = tempfile::tempdir().unwrap();
    let own = ["--admin-token", "a-long-s3cret", "--token-recovery", "on"];
    let program =
        Program::serve("all", &[&["--data-dir", home.path().to_str().unwrap()], &own[..]].concat()).await;
    let url = |service| format!("http://{}", program.address(service));
    let game = GameClient::new(&url("game")).unwrap().with_token("a-long-s3cret");
    let map = MapClient::new(&url("map")).unwrap().with_token("a-long-s3cret");
    (program, home, game, map)
}

pub(crate) fn new_game() -> CreateGame {
    let (rounds, players) = (Bounded::new(5).unwrap(), Bounded::new(2).unwrap());
    CreateGame {
        name: None,
        max_rounds: rounds,
        max_players: players,
        duration: None,
        seed: None,
        nonce: None,
        style: None,
        gameworld_id: None,
        start_money: None,
    }
}

fn code<T: std::fmt::Debug>(outcome: Result<T, ClientError>) -> Code {
    let ClientError::Refused(problem) = outcome.unwrap_err() else { panic!("no refusal") };
    problem.code
}

#[tokio::test]
async fn a_game_from_its_creation_to_its_deletion() {
    let (program, _home, client, _) = clients().await;
    assert_eq!(client.health().await.unwrap().status, HealthStatus::Ok);
    let named = CreateGame { name: Some(GameName::parse("Final").unwrap()), ..new_game() };
    let id = client.create_game(&named).await.unwrap();
    assert_eq!(client.game(id).await.unwrap().name, "Final");
    assert_eq!(client.set_max_rounds(id, Bounded::new(7).unwrap()).await.unwrap().max_rounds, 7);
    let changed = client.set_duration(id, Bounded::new(600_000).unwrap()).await.unwrap();
    assert_eq!(changed.round_length_in_millis, 600_000);
    let code_of_ada = RecoveryCode::try_from("three-blind-mice".to_owned()).unwrap();
    let ada = RegisterPlayer {
        name: "ada".to_owned(),
        email: "ada@example.org".to_owned(),
        recovery_code: Some(code_of_ada.clone()),
    };
    let token = client.register_once(&ada, "once").await.unwrap().bearer_token.to_string();
    let again = client.register_once(&ada, "once").await.unwrap();
    assert_eq!(again.bearer_token.to_string(), token);
    assert_eq!(code(client.register(&ada).await), Code::NameTaken);
    assert_eq!(client.look_up("ada", "ada@example.org").await.unwrap().bearer_token, None);
    let found = client.recover("ada", "ada@example.org", &code_of_ada).await.unwrap();
    assert_eq!(found.bearer_token.unwrap().to_string(), token);
    client.join(id, &token).await.unwrap();
    client.leave(id, &token).await.unwrap();
    client.join(id, &token).await.unwrap();
    let players = client.participating_players(id).await.unwrap().embedded.players;
    assert_eq!(players.iter().map(|player| player.user_name.as_str()).collect::<Vec<_>>(), ["ada"]);
    let players = client.players(id).await.unwrap();
    assert_eq!(
        players.iter().map(|player| (&*player.name, player.commands)).collect::<Vec<_>>(),
        [("ada", 0)]
    );
    assert_eq!(client.start(id).await.unwrap().game_status, "running");
    assert_eq!(client.time(id).await.unwrap().phase, Some(Phase::Collection));
    assert!(client.pause(id).await.unwrap().paused);
    assert_eq!(code(client.pause(id).await), Code::GamePaused);
    assert_eq!(client.step(id).await.unwrap().current_round_number, Some(2));
    assert!(!client.resume(id).await.unwrap().paused);
    assert_eq!(client.set_pace(id, Pace::Turbo).await.unwrap().pace, Pace::Turbo);
    assert_eq!(code(client.ready(id, "a/token").await), Code::UnknownPlayer);
    assert_eq!(client.ready(id, &token).await.unwrap(), Readiness { ready: 1, players: 1 });
    assert_eq!(client.games().await.unwrap()[0].game_id, id);
    assert_eq!(client.games_that_are("running").await.unwrap().len(), 1);
    assert_eq!(client.games_that_are("ended").await.unwrap().len(), 0);
    assert_eq!(code(client.games_that_are("a&b").await), Code::InvalidParameter);
    assert_eq!(code(client.delete(id).await), Code::GameNotEnded);
    assert_eq!(client.end(id).await.unwrap().game_status, "ended");
    // The second round is over as soon as everybody is ready, and the third begins when the clock comes to it.
    assert!(matches!(client.game(id).await.unwrap().current_round_number, Some(2 | 3)));
    client.delete(id).await.unwrap();
    assert_eq!(code(client.game(id).await), Code::UnknownGame);

    let stranger = GameClient::new(&format!("http://{}/", program.address("game"))).unwrap();
    assert_eq!(code(stranger.create_game(&new_game()).await), Code::Unauthorized);
    assert_eq!(code(stranger.time(GameId(id.0)).await), Code::UnknownGame);
}

#[tokio::test]
async fn a_command_from_its_sending_to_its_receipt() {
    let (program, _home, host, _) = clients().await;
    let id = host.create_game(&new_game()).await.unwrap();
    let ada =
        RegisterPlayer { name: "ada".to_owned(), email: "ada@example.org".to_owned(), recovery_code: None };
    let registered = host.register(&ada).await.unwrap();
    let url = format!("http://{}", program.address("game"));
    let as_ada = |token: uuid::Uuid| GameClient::new(&url).unwrap().with_token(&token.to_string());
    let renewed = as_ada(registered.bearer_token).renew_token(registered.player_id).await.unwrap();
    assert_eq!(
        code(as_ada(registered.bearer_token).renew_token(registered.player_id).await),
        Code::UnknownToken
    );
    let player = as_ada(renewed.bearer_token);
    player.join(id, &renewed.bearer_token.to_string()).await.unwrap();
    host.start(id).await.unwrap();
    let robot = RobotId(uuid::Uuid::from_u128(7));
    assert!(host.robot_spawned(robot, registered.player_id).await.unwrap().alive);
    assert_eq!(code(player.robot_destroyed(robot).await), Code::Unauthorized);

    let mine = CommandRequest {
        r#type: "mining".into(),
        robot_id: robot.to_string().into(),
        ..CommandRequest::default()
    };
    let receipt = player.command(&mine).await.unwrap();
    assert_eq!((receipt.state, receipt.round_number), (CommandState::Pending, 1));
    assert_eq!(player.receipt(receipt.transaction_id).await.unwrap().state, CommandState::Pending);
    assert_eq!(code(host.receipt(receipt.transaction_id).await), Code::UnknownCommand);
    let items = player.commands(&[mine.clone(), CommandRequest::default()]).await.unwrap();
    assert_eq!([items[0].status, items[1].status], [201, 422]);
    assert_eq!(player.round_commands(id, 1).await.unwrap().commands.len(), 1);
    host.robot_destroyed(robot).await.unwrap();
    assert_eq!(code(player.command(&mine).await), Code::RobotDestroyed);
    host.pause(id).await.unwrap();
    host.step(id).await.unwrap();
    assert_eq!(host.receipt(receipt.transaction_id).await.unwrap().state, CommandState::Replaced);
    let last = items[0].receipt.clone().unwrap().transaction_id;
    // It has taken the command, and says in an event that it knows no such robot.
    assert_eq!(host.receipt(last).await.unwrap().state, CommandState::Dispatched);
    assert_eq!(host.round_commands(id, 1).await.unwrap().commands[0].transaction_id, last);
}

#[tokio::test]
async fn a_gameworld_from_its_creation_to_its_deletion() {
    let (_program, _home, _, client) = clients().await;
    assert_eq!(client.health().await.unwrap().service, "map");
    let players = Bounded::new(2).unwrap();
    let order = NewGameworld {
        replenishment: Some(ReplenishmentMode::OnRequest),
        ..NewGameworld::for_players(players)
    };
    let world = client.create_gameworld(order).await.unwrap();
    assert_eq!(client.gameworlds().await.unwrap().len(), 1);
    assert_eq!(client.gameworld(world.id).await.unwrap().spacestation_ids, world.spacestation_ids);

    let planets = client.placed_planets(world.id).await.unwrap();
    let mut listed = 0;
    for page in 1.. {
        match client.planets(page).await.unwrap().len() {
            0 => break,
            count => listed += count,
        }
    }
    assert_eq!(listed, planets.len());
    assert_eq!(code(client.planets(0).await), Code::InvalidParameter);
    let rich =
        planets.iter().map(|PlacedPlanet { planet, .. }| planet).find(|planet| planet.resource.is_some());
    let rich = rich.expect("a planet with a deposit");
    assert_eq!(client.planet(rich.id).await.unwrap().gameworld_id, world.id);
    assert_eq!(client.neighbours(rich.id).await.unwrap().len(), rich.neighbours.len());
    let amount = client.resources(rich.id).await.unwrap()[0].current_amount;
    let order =
        NewMining { amount_requested: Bounded::new(3).unwrap(), transaction_id: None, robot_id: None };
    let mining = client.mine(rich.id, order).await.unwrap();
    assert_eq!((mining.amount_mined, mining.amount_left), (3, amount - 3));
    let fairness = client.fairness(world.id).await.unwrap();
    assert_eq!((fairness.style, fairness.stations.len()), (WorldStyle::Balanced, 4));
    let replenished = client.replenish(world.id).await.unwrap().replenished;
    assert_eq!((replenished[0].planet_id, replenished[0].amount), (rich.id, 3));

    let over = client.deactivate(world.id).await.unwrap();
    assert_eq!((over.status, over.seed.is_some()), (WorldStatus::Inactive, true));
    client.delete_gameworld(world.id).await.unwrap();
    assert_eq!(code(client.gameworld(WorldId(world.id.0)).await), Code::UnknownGameworld);
}
