//! `starkeep bot` against the real services: many bots play a game from its creation to its end, and every way to end it early.
//! What a bot does in detail is tested beside its code.

use std::path::Path;

use serde_json::Value;
use starkeep_client::{EventStream, GameClient, Item, StartFrom};
use starkeep_contract::Bounded;
use starkeep_contract::game::{CreateGame, Pace};
use starkeep_contract::player::RegisterPlayer;
use starkeep_fault_harness::KeptPort;
use starkeep_test_http::within_limit;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;

use crate::program::{Program, command, run, start};

const BOTS: u32 = 5;

/// Both services, with the address of the game service.
async fn running() -> (Program, TempDir, GameClient, String) {
    running_with(&[]).await
}

async fn running_with(flags: &[&str]) -> (Program, TempDir, GameClient, String) {
    let home = tempfile::tempdir().unwrap();
    let (program, client, url) = served(home.path(), flags).await;
    (program, home, client, url)
}

async fn served(data: &Path, flags: &[&str]) -> (Program, GameClient, String) {
    let own = ["--data-dir", data.to_str().unwrap()];
    let program = Program::serve("all", &[&own, flags].concat()).await;
    let url = format!("http://{}", program.address("game"));
    let client = GameClient::new(&url).unwrap();
    (program, client, url)
}

/// Rounds that end by the clock only long after the test.
fn new_game() -> CreateGame {
    let (rounds, players) = (Bounded::new(3).unwrap(), Bounded::new(BOTS.into()).unwrap());
    let duration = Some(Bounded::new(3_600_000).unwrap());
    CreateGame {
        name: None,
        max_rounds: rounds,
        max_players: players,
        duration,
        seed: None,
        nonce: None,
        style: None,
        gameworld_id: None,
        start_money: None,
    }
}

#[tokio::test]
async fn bots_play_a_turbo_game_to_its_end() {
    let (_program, home, client, url) = running().await;
    let game = client.create_game(&new_game()).await.unwrap();
    client.set_pace(game, Pace::Turbo).await.unwrap();
    let mut joining = EventStream::open(&url, StartFrom::End, &["playerStatus"]).unwrap();
    joining.ready().await.unwrap();
    let kept = home.path().join("bots.jsonl");
    let mut bots = command();
    bots.args(["bot", "--count", "5"]).env("GAME_SERVICE", &url).env("STARKEEP_BOT_TOKEN_FILE", &kept);
    let child = start(&mut bots).await;
    for _ in 0..BOTS {
        let item = within_limit("the bots to join", joining.next()).await.unwrap();
        let Item::Event(event) = item else { panic!("{item:?}") };
        assert!(event.payload["name"].as_str().unwrap().starts_with("bot-"), "{event:?}");
    }
    client.start(game).await.unwrap();
    let output = within_limit("the game's end", child.wait_with_output()).await.unwrap();
    let (printed, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{printed}");
    assert!(printed.contains(&format!("5 bots played 3 rounds of game {game}: ")), "{printed}");
    assert!(printed.contains(" commands accepted, 0 refused."), "{printed}");
    assert!(!printed.contains("not known"), "{printed}");
    let kept = std::fs::read_to_string(&kept).unwrap();
    let kept: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let secrets =
        kept.iter().flat_map(|kept| [kept["token"].as_str(), kept["recoveryCode"].as_str()]).flatten();
    let secrets: Vec<_> = secrets.collect();
    assert_eq!(secrets.len(), 3 * BOTS as usize, "{kept:?}");
    assert!(!secrets.iter().any(|secret| printed.contains(secret)), "{printed}");
}

#[tokio::test]
async fn the_free_seats_are_filled_and_those_without_a_seat_are_counted() {
    let (_program, _home, client, url) = running().await;
    let game = client.create_game(&new_game()).await.unwrap();
    client.set_pace(game, Pace::Turbo).await.unwrap();
    let mut joining = EventStream::open(&url, StartFrom::End, &["playerStatus"]).unwrap();
    joining.ready().await.unwrap();
    let crowd = start(command().args(["bot", "--count", "7", "--game-url", &url])).await;
    for _ in 0..BOTS {
        within_limit("the bots to join", joining.next()).await.unwrap();
    }
    let late = run(&["bot", "--name", "late", "--game-url", &url]).await;
    assert_eq!((late.code, late.stdout.as_str()), (Some(1), ""), "{late:?}");
    assert!(late.stderr.contains(&format!("all seats of game {game} are taken")), "{late:?}");

    client.start(game).await.unwrap();
    let output = within_limit("the game's end", crowd.wait_with_output()).await.unwrap();
    let (printed, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{printed}{errors}");
    assert!(printed.starts_with(&format!("Joined game {game} as 5 of 7 bots; ")), "{printed}");
    assert!(printed.contains(&format!("5 bots played 3 rounds of game {game}: ")), "{printed}");
    assert!(
        errors.contains(&format!("2 of 7 bots do not play: all seats of game {game} are taken")),
        "{errors}"
    );
}

/// Two bots that are interrupted as soon as they have printed their first line: that line, and what they print then.
async fn interrupted(url: &str, kept: &str) -> (String, String) {
    let variables = [
        ("STARKEEP_GAME_URL", url),
        ("GAME_SERVICE", "https://somewhere/else"),
        ("STARKEEP_BOT_TOKEN_FILE", kept),
    ];
    let flags = ["bot", "--count", "2", "--name", "guest"];
    let mut child = start(command().args(flags).envs(variables)).await;
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let (mut first, mut rest) = (String::new(), String::new());
    within_limit("its first line", output.read_line(&mut first)).await.unwrap();
    let id = child.id().unwrap().to_string();
    let mut sending = start(Command::new("kill").args(["-INT", &id])).await;
    assert!(within_limit("the signal to be sent", sending.wait()).await.unwrap().success());
    within_limit("its summary", output.read_to_string(&mut rest)).await.unwrap();
    assert_eq!(within_limit("its end", child.wait()).await.unwrap().code(), Some(0));
    (first, rest)
}

#[tokio::test]
async fn an_interrupted_crowd_tells_what_it_did_and_comes_back_to_its_seats() {
    for recovery in ["on", "off"] {
        let (program, home, client, url) = running_with(&["--token-recovery", recovery]).await;
        let kept = home.path().join("bots.jsonl");
        let kept = kept.to_str().unwrap();
        let waiting = "There is no game that has not started; waiting until one is created.\n";
        assert_eq!(interrupted(&url, kept).await, (waiting.to_owned(), "No game was joined.\n".to_owned()));
        let game = client.create_game(&new_game()).await.unwrap();
        let joined = format!("Joined game {game} as guest-1 to guest-2; playing until it ends.\n");
        let summary = format!("2 bots played 0 rounds of game {game}: 0 commands accepted, 0 refused.\n");
        for _ in 0..2 {
            assert_eq!(interrupted(&url, kept).await, (joined.clone(), summary.clone()));
        }
        // Where the kept answers to registrations are gone, as after a day.
        forget_answers(program, home.path()).await;
        let (_program, client, moved) = served(home.path(), &["--token-recovery", recovery]).await;
        let lines = std::fs::read_to_string(kept).unwrap();
        std::fs::write(kept, lines.replace(&url, &moved)).unwrap();
        let url = moved;
        assert_eq!(interrupted(&url, kept).await, (joined.clone(), summary.clone()));
        // Without the tokens the codes help, where they may.
        if recovery == "on" {
            let lines = std::fs::read_to_string(kept).unwrap();
            let without =
                lines.lines().filter(|line| !line.contains("token\":")).map(|line| format!("{line}\n"));
            std::fs::write(kept, without.collect::<String>()).unwrap();
            assert_eq!(interrupted(&url, kept).await, (joined, summary));
        }
        std::fs::remove_file(kept).unwrap();
        let ended = run(&["bot", "--name", "guest", "--game-url", &url, "--token-file", kept]).await;
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("`guest-1`") && ended.stderr.contains(kept), "{ended:?}");
        assert_eq!(client.game(game).await.unwrap().participating_players.len(), 2);
    }
}

/// Stops it, and removes what it has kept for requests that are repeated.
async fn forget_answers(program: Program, data: &Path) {
    program.terminate();
    assert_eq!(program.ended().await.code, Some(0));
    let database = rusqlite::Connection::open(data.join("game.db")).unwrap();
    assert!(database.execute("DELETE FROM answer", []).unwrap() > 0);
}

#[tokio::test]
async fn that_a_service_was_killed_is_said_once_and_so_is_its_return() {
    let (home, port) = (tempfile::tempdir().unwrap(), KeptPort::new().unwrap());
    let listen = ["--game-listen", &port.address().to_string()];
    let (program, client, url) = served(home.path(), &listen).await;
    let game = client.create_game(&new_game()).await.unwrap();
    let mut bots = start(command().args(["bot", "--count", "5", "--game-url", &url])).await;
    let mut printed = BufReader::new(bots.stdout.take().unwrap()).lines();
    let joined = within_limit("its first line", printed.next_line()).await.unwrap().unwrap();
    assert!(joined.starts_with("Joined game "), "{joined}");
    let mut said = BufReader::new(bots.stderr.take().unwrap()).lines();
    let mut next = async || within_limit("what it says", said.next_line()).await.unwrap();

    program.kill().await;
    let away = next().await.unwrap();
    let (_program, client, _) = served(home.path(), &listen).await;
    let back = next().await.unwrap();
    client.end(game).await.unwrap();
    assert_eq!(next().await, None, "{away}\n{back}");
    assert_eq!(within_limit("its end", bots.wait()).await.unwrap().code(), Some(0));
    assert!(away.contains("WARN") && away.contains("is away: "), "{away}");
    assert!(back.contains("INFO") && back.contains("answers, after "), "{back}");
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_a_text_that_says_why() {
    let (program, _home, client, url) = running().await;
    client.create_game(&new_game()).await.unwrap();
    let stranger = RegisterPlayer {
        name: "BOT-1".to_owned(),
        email: "somebody@example.org".to_owned(),
        recovery_code: None,
    };
    client.register(&stranger).await.unwrap();
    let nobody = "00000000-0000-0000-0000-000000000000";
    let cases: &[(i32, &[&str], &[&str])] = &[
        (2, &["--count", "0"], &["--count", "1..=10000"]),
        (2, &["--count", "10001"], &["--count"]),
        (2, &["--name", ""], &["--name"]),
        (2, &["--game", "the newest"], &["--game", "the id of a game"]),
        (2, &["--game-url", "https://x"], &["`https://x`", "must look like"]),
        (2, &["--game", nobody], &["there is no game", nobody]),
        (2, &[], &["`bot-1`", "somebody else's", "--name"]),
    ];
    for (code, flags, words) in cases {
        let address: &[&str] = if flags.contains(&"--game-url") { &[] } else { &["--game-url", &url] };
        let ended = run(&[&["bot"], *flags, address].concat()).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(*code), ""), "{flags:?}: {ended:?}");
        for word in *words {
            assert!(ended.stderr.contains(word), "{flags:?} does not mention {word}: {}", ended.stderr);
        }
    }
    let map = format!("http://{}", program.address("map"));
    let ended = run(&["bot", "--game-url", &map]).await;
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains(&format!("`{map}` does not answer as a game service")), "{}", ended.stderr);
    let game = client.games().await.unwrap()[0].game_id;
    client.end(game).await.unwrap();
    let ended = run(&["bot", "--game-url", &url, "--game", &game.to_string()]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("ended before the bots could join"), "{}", ended.stderr);
}
