//! The example bots play whole games against the real program, also one that is killed and started again in between.
//! In the world of the seed there is coal near the start: what was mined and sold shows that a bot works.

// Its `main` reads arguments, which is checked by the compiler alone.
#[path = "../../../client/examples/first_bot.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example of another crate")]
mod first_bot;

use std::path::Path;

use starkeep_client::{EventStream, GameClient, Item, MapClient, RobotClient, StartFrom};
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::game::{CreateGame, Pace};
use starkeep_contract::scores::ScoreboardRow;
use starkeep_contract::{GameId, WorldId};
use starkeep_fault_harness::KeptPort;
use starkeep_test_http::{Caller, within_limit};
use tokio::process::Command;
use tokio::task::JoinHandle;

use crate::fences::root;
use crate::program::Program;

const ROUNDS: u32 = 15;
/// After this round the program is killed, where it is.
const KILLED_AFTER: u32 = 6;

#[derive(Clone, Copy)]
enum Bot {
    Python(&'static str),
    /// As a student has it, from the address of the game.
    Downloaded(&'static str),
    Rust,
}

impl Bot {
    /// Begins to play the game; what it printed comes at its end.
    fn start(self, url: &str, game: GameId) -> JoinHandle<String> {
        let url = url.to_owned();
        match self {
            Self::Python(file) => tokio::spawn(async move {
                let example = root().join("examples").join(file);
                printed_by(python(&example, game).env("STARKEEP_GAME_URL", url)).await
            }),
            Self::Downloaded(file) => tokio::spawn(async move {
                let folder = tempfile::tempdir().unwrap();
                let caller = Caller::new(url.trim_start_matches("http://").parse().unwrap());
                // The other bots import it.
                for name in ["first_bot.py", file] {
                    let source = caller.get(&format!("/docs/{name}")).await.expect_text(200);
                    std::fs::write(folder.path().join(name), source).unwrap();
                }
                printed_by(python(&folder.path().join(file), game).env_remove("STARKEEP_GAME_URL")).await
            }),
            Self::Rust => tokio::spawn(async move {
                first_bot::play("rusty", &url, Some(game)).await.unwrap();
                String::new()
            }),
        }
    }
}

fn python(file: &Path, game: GameId) -> Command {
    let mut command = Command::new("python3");
    command.arg(file).arg(game.to_string()).kill_on_drop(true).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

async fn printed_by(command: &mut Command) -> String {
    let output = command.output().await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (printed, errors) = (text(output.stdout), text(output.stderr));
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{printed}");
    printed
}

async fn next_of(events: &mut EventStream, channel: Channel) -> PublishedEvent {
    loop {
        let item = within_limit("the game to go on", events.next()).await;
        let Item::Event(event) = item.unwrap() else { panic!("a gap") };
        if event.channel == channel {
            return event;
        }
    }
}

/// A round ends when the bot is ready, by the clock only long after the test.
fn settings() -> CreateGame {
    let settings =
        serde_json::json!({ "maxRounds": ROUNDS, "maxPlayers": 1, "duration": 86_400_000, "seed": 1 });
    serde_json::from_value(settings).unwrap()
}

/// Plays a game to its end; how the bot stands then, and what it printed.
async fn played(bot: Bot, is_killed: bool) -> (ScoreboardRow, String) {
    let data = tempfile::tempdir().unwrap();
    let port = KeptPort::new().unwrap();
    let mut program = Program::start_on(data.path(), port.address());
    let url = program.game_url.clone();
    let client = GameClient::new(&url).unwrap();
    let game = client.create_game(&settings()).await.unwrap();
    client.set_pace(game, Pace::Turbo).await.unwrap();
    let mut events = EventStream::open(&url, StartFrom::End, &["playerStatus", "scores"]).unwrap();
    events.ready().await.unwrap();
    let playing = bot.start(&url, game);
    next_of(&mut events, Channel::PlayerStatus).await;
    client.start(game).await.unwrap();
    for round in 1..=ROUNDS {
        assert_eq!(next_of(&mut events, Channel::Scores).await.about.round_number, Some(round));
        if is_killed && round == KILLED_AFTER {
            drop(program);
            program = Program::start_on(data.path(), port.address());
        }
    }
    let printed = within_limit("the bot to end", playing).await.unwrap();
    let [row] = <[_; 1]>::try_from(client.scoreboard(game).await.unwrap()).unwrap();
    drop(program);
    (row, printed)
}

/// A world with one place to buy robots and one to mine: whoever plays there meets the others.
async fn narrow_world(client: &GameClient) -> WorldId {
    let map = MapClient::new(&client.services().await.unwrap().map.unwrap()).unwrap();
    let world = serde_json::json!({ "player_amount": 2, "planets": [
        { "x": 0, "y": 0, "movement_difficulty": 1, "planet_type": "spacestation" },
        { "x": 1, "y": 0, "movement_difficulty": 1, "planet_type": "default", "resource": { "resource_type": "coal" } },
    ] });
    map.create_gameworld(serde_json::from_value(world).unwrap()).await.unwrap().id
}

/// What came of all attacks in a game that is over, in order.
async fn attacks(client: &GameClient, game: GameId) -> Vec<PublishedEvent> {
    let robots = client.services().await.unwrap().robot.unwrap();
    let robots = RobotClient::new(&robots).unwrap();
    robots.events_after("start", game, &["fighting"]).await.unwrap().events
}

/// It has bought robots, filled one with coal, and sold that.
fn check(row: &ScoreboardRow, printed: &str) {
    let coal = row.mined.as_ref().unwrap().coal;
    assert!(row.robots_alive >= Some(2) && coal >= 10 && row.money >= Some(50), "{row:?}\n{printed}");
}

#[tokio::test]
async fn the_first_bot_plays_a_whole_game() {
    let (row, printed) = played(Bot::Python("first_bot.py"), false).await;
    check(&row, &printed);
    assert!(printed.contains("resources sold"), "it shows what came of its commands: {printed}");
}

#[tokio::test]
async fn the_first_bot_plays_as_it_was_downloaded() {
    let (row, printed) = played(Bot::Downloaded("first_bot.py"), false).await;
    check(&row, &printed);
}

#[tokio::test]
async fn the_bot_with_events_plays_a_whole_game() {
    let (row, printed) = played(Bot::Python("event_bot.py"), false).await;
    check(&row, &printed);
}

#[tokio::test]
async fn the_bot_in_rust_plays_a_whole_game() {
    let (row, printed) = played(Bot::Rust, false).await;
    check(&row, &printed);
}

#[tokio::test]
async fn the_first_bot_goes_on_after_a_restart() {
    let (row, printed) = played(Bot::Python("first_bot.py"), true).await;
    check(&row, &printed);
}

#[tokio::test]
async fn the_bot_with_events_goes_on_after_a_restart() {
    let (row, printed) = played(Bot::Python("event_bot.py"), true).await;
    check(&row, &printed);
    assert!(printed.contains("going on after"), "it lost its stream: {printed}");
}

#[tokio::test]
async fn the_bot_in_rust_goes_on_after_a_restart() {
    let (row, printed) = played(Bot::Rust, true).await;
    check(&row, &printed);
}

#[tokio::test]
async fn the_fighting_bot_attacks_whom_it_meets() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::start(data.path());
    let url = program.game_url.clone();
    let client = GameClient::new(&url).unwrap();
    let settings = serde_json::json!({ "maxRounds": ROUNDS, "maxPlayers": 2, "duration": 86_400_000,
        "gameworldId": narrow_world(&client).await });
    let game = client.create_game(&serde_json::from_value(settings).unwrap()).await.unwrap();
    client.set_pace(game, Pace::Turbo).await.unwrap();
    let mut events = EventStream::open(&url, StartFrom::End, &["playerStatus", "status"]).unwrap();
    events.ready().await.unwrap();
    let fighting = Bot::Downloaded("fighting_bot.py").start(&url, game);
    let fighter = next_of(&mut events, Channel::PlayerStatus).await.about.player_id;
    let working = Bot::Downloaded("first_bot.py").start(&url, game);
    next_of(&mut events, Channel::PlayerStatus).await;
    client.start(game).await.unwrap();
    let printed = within_limit("the fighting bot to end", fighting).await.unwrap();
    within_limit("the first bot to end", working).await.unwrap();

    let attacks = attacks(&client, game).await;
    let struck = attacks.iter().filter(|attack| attack.payload["success"] == true);
    let struck: Vec<_> = struck.filter(|attack| attack.about.player_id == fighter).collect();
    assert!(struck.len() > 1 && fighter.is_some(), "{attacks:?}\n{printed}");
    let own: Vec<_> = attacks.iter().map(|attack| &attack.payload["attacker"]).collect();
    for attack in struck {
        assert!(attack.payload["remainingDefenderHealth"].as_i64() < Some(10), "{attack:?}");
        assert!(!own.contains(&&attack.payload["defender"]), "it attacked its own robot: {attack:?}");
    }
    drop(program);
}
