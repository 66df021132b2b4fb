//! Behind a proxy with TLS: clients are told its addresses, and the services call one another where they listen.

use serde_json::Value;
use starkeep_test_http::within_limit;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::bot::{join, registered};
use crate::program::{Program, command, run, start};
use crate::two_services::{START, new_game, path};

const PUBLIC: [&str; 8] = [
    "--public-game-url",
    "https://game.example.org",
    "--public-map-url",
    "https://map.example.org/",
    "--public-robot-url",
    "https://example.org/robot",
    "--public-trading-url",
    "http://192.0.2.7:8083",
];

#[tokio::test]
async fn clients_are_told_what_the_host_says_and_own_calls_stay_local() {
    let home = tempfile::tempdir().unwrap();
    let program =
        Program::serve("all", &[&["--data-dir", home.path().to_str().unwrap()], PUBLIC.as_slice()].concat())
            .await;
    let game = program.game();
    let told = game.get("/services").await.expect(200);
    for (service, url) in [
        ("game", "https://game.example.org"),
        ("map", "https://map.example.org"),
        ("robot", "https://example.org/robot"),
        ("trading", "http://192.0.2.7:8083"),
    ] {
        assert_eq!(told[service], url);
    }
    // Bots that are downloaded play there.
    let bot = game.get("/docs/first_bot.py").await.expect_text(200);
    assert!(bot.contains("\"STARKEEP_GAME_URL\", \"https://game.example.org\")"), "{bot}");
    // The map makes a world, and the trading and robot services are well.
    let id = game.post("/games", &new_game()).await.expect(201)["gameId"].take();
    let (_, token) = registered(&game, 1).await;
    join(&game, &id, &token).await;
    game.post(&path(&id, START), &Value::Null).await.expect(201);
    let parts = game.get("/health").await.expect(200)["parts"].take();
    for service in ["robot", "trading"] {
        assert_eq!(parts[service]["status"], "ok", "{parts}");
    }

    let url = format!("http://{}", program.address("game"));
    let of_game = ["events", "--game-url", &url, "--service", "game", "--after", "start", "--limit", "1"];
    assert_eq!(run(&of_game).await.code, Some(0));
    for words in [&["events", "--after", "start", "--limit", "1"][..], &["watch"]] {
        let ended = run(&[words, &["--game-url", &url]].concat()).await;
        assert_eq!(ended.code, Some(2), "{words:?}: {ended:?}");
        for word in ["`https://map.example.org`", "TLS", "hint: ", "--map-url"] {
            assert!(ended.stderr.contains(word), "{words:?}: {}", ended.stderr);
        }
    }
}

#[tokio::test]
async fn the_start_prints_the_address_that_clients_open() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command();
    command.args(["serve", "--data-dir", home.path().to_str().unwrap()]).args(PUBLIC);
    for service in ["game", "map", "robot", "trading"] {
        command.args([&format!("--{service}-listen"), "127.0.0.1:0"]);
    }
    let mut child = start(&mut command).await;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut printed = Vec::new();
    while printed.last().is_none_or(|line: &String| !line.starts_with("Stop with")) {
        printed.push(within_limit("a line", lines.next_line()).await.unwrap().unwrap());
    }
    for line in ["  https://game.example.org/", "  curl https://map.example.org/planets"] {
        assert!(printed.iter().any(|printed| printed == line), "{line}: {printed:#?}");
    }
    assert!(printed.iter().any(|line| line.starts_with("game service listening on http://127.0.0.1:")));
}

#[tokio::test]
async fn an_address_that_nobody_can_open_is_refused() {
    for flag in ["--public-game-url", "--public-map-url", "--public-robot-url", "--public-trading-url"] {
        for url in ["ftp://x", "game.example.org", "https://x?a=b"] {
            let home = tempfile::tempdir().unwrap();
            let data = home.path().join("data");
            let ended = run(&["serve", "--data-dir", data.to_str().unwrap(), flag, url]).await;
            assert_eq!(ended.code, Some(2), "{flag} {url}: {ended:?}");
            for word in [flag, url, "https://game.example.org"] {
                assert!(ended.stderr.contains(word), "{flag} {url}: {}", ended.stderr);
            }
            assert!(!data.exists());
        }
    }
}
