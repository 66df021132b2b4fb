//! The example bots play whole games against the real program, also one that is killed and started again in between.
//! In the world of the seed there is coal near the start: what was mined and sold shows that a bot works.

// Its `main` reads arguments, which is checked by the compiler alone.
#[path = "../../../client/examples/first_bot.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example of another crate")]
mod first_bot;

use std::path::Path;

use starkeep_client::{EventStream, GameClient, Item, StartFrom};
use starkeep_contract::GameId;
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::game::{CreateGame, Pace};
use starkeep_contract::scores::ScoreboardRow;
use starkeep_test_http::within_limit;
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
    Rust,
}

impl Bot {
    /// Begins to play the game; what it printed comes at its end.
    fn start(self, url: &str, game: GameId) -> JoinHandle<String> {
        let url = url.to_owned();
        match self {
            Self::Python(file) => {
                let mut command = Command::new("python3");
                command.arg(root().join("examples").join(file)).arg(game.to_string()).kill_on_drop(true);
                command.env("STARKEEP_GAME_URL", url).env("PYTHONDONTWRITEBYTECODE", "1");
                tokio::spawn(async move {
                    let output = command.output().await.unwrap();
                    let text = |bytes| String::from_utf8(bytes).unwrap();
                    let (printed, errors) = (text(output.stdout), text(output.stderr));
                    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{printed}");
                    printed
                })
            }
            Self::Rust => tokio::spawn(async move {
                first_bot::play("rusty", &url, Some(game)).await.unwrap();
                String::new()
            }),
        }
    }
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
    let mut program = Program::start(data.path());
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
            program = restarted(program, data.path());
        }
    }
    let printed = within_limit("the bot to end", playing).await.unwrap();
    let [row] = <[_; 1]>::try_from(client.scoreboard(game).await.unwrap()).unwrap();
    drop(program);
    (row, printed)
}

/// Killed, and started again where it was.
fn restarted(program: Program, data: &Path) -> Program {
    let address = program.game_url.trim_start_matches("http://").to_owned();
    drop(program);
    Program::start_on(data, &address)
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
