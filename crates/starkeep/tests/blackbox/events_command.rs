//! `starkeep events` against the real services: what it prints, where it begins, and how it ends.
//! The stream that it follows is tested with the client.

use serde_json::Value;
use starkeep_client::{GameClient, MapClient};
use starkeep_test_http::within_limit;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::bot::{join, registered};
use crate::client_methods::new_game;
use crate::program::{Ended, Program, command, run, start};
use crate::two_services;

/// Both services, with one game.
struct Running {
    game: GameClient,
    game_url: String,
    map_url: String,
    _program: Program,
    _home: TempDir,
}

impl Running {
    async fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let program = Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await;
        let url = |service| format!("http://{}", program.address(service));
        let (game_url, map_url) = (url("game"), url("map"));
        let game = GameClient::new(&game_url).unwrap();
        game.create_game(&new_game()).await.unwrap();
        Self { game, game_url, map_url, _program: program, _home: home }
    }

    fn flags<'a>(&'a self, flags: &[&'a str]) -> Vec<&'a str> {
        let addresses = ["events", "--game-url", &self.game_url, "--map-url", &self.map_url];
        [addresses.as_slice(), flags].concat()
    }

    async fn events(&self, flags: &[&str]) -> Ended {
        run(&self.flags(flags)).await
    }
}

/// Without what a busy machine causes: a stream that was lost and resumed.
fn complaints(said: &str) -> Vec<&str> {
    said.lines().filter(|line| !line.contains("event stream ")).collect()
}

fn lines(ended: &Ended) -> Vec<Value> {
    assert_eq!((ended.code, complaints(&ended.stderr)), (Some(0), vec![]), "{}", ended.stdout);
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn channels(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["channel"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn it_ends_after_as_many_events_as_wanted() {
    let running = Running::start().await;
    let ended = running.events(&["--json", "--limit", "3", "--after", "start", "--service", "map"]).await;
    let lines = lines(&ended);
    assert_eq!(channels(&lines), ["gameworld-created", "spacestation-created", "spacestation-created"]);
    for line in &lines {
        let keys: Vec<_> = line.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["about", "channel", "headers", "id", "payload"]);
    }
    assert_eq!(lines[1]["payload"]["planet_id"], lines[0]["payload"]["spacestation_ids"][0]);
}

#[tokio::test]
async fn both_services_are_followed_at_once() {
    let running = Running::start().await;
    let world = &MapClient::new(&running.map_url).unwrap().gameworlds().await.unwrap()[0];
    let count = (2 + world.spacestation_ids.len()).to_string();
    let ended = running.events(&["--json", "--after", "start", "--limit", &count]).await;
    let lines = lines(&ended);
    let mut of_map = channels(&lines);
    of_map.retain(|channel| *channel != "status");
    assert_eq!(of_map.len(), lines.len() - 1);
    assert_eq!(of_map[0], "gameworld-created");

    // Each service gets the channels that are its own.
    let some = ["--channels", "status,gameworld-created", "--json", "--after", "start", "--limit", "2"];
    let ended = running.events(&some).await;
    let lines = self::lines(&ended);
    let mut seen = channels(&lines);
    seen.sort_unstable();
    assert_eq!(seen, ["gameworld-created", "status"]);
}

#[tokio::test]
async fn it_goes_on_after_a_position_and_tells_a_gap() {
    let running = Running::start().await;
    let ended = running.events(&["--json", "--limit", "1", "--after", "start", "--service", "map"]).await;
    let first = lines(&ended).remove(0);
    let position = first["id"].as_str().unwrap();
    let ended = running.events(&["--json", "--limit", "1", "--after", position, "--service", "map"]).await;
    assert_eq!(lines(&ended)[0]["channel"], "spacestation-created");

    let ended = running.events(&["--json", "--limit", "1", "--after", "x", "--service", "map"]).await;
    let lines = lines(&ended);
    assert_eq!((&lines[0]["gap"]["reason"], &lines[1]), (&"unreadable".into(), &first));
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_a_text_that_says_why() {
    let running = Running::start().await;
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["--service", "game", "--channels", "nonsense"],
            &["number 1 of 1 is not known here", "status, playerStatus"],
        ),
        (&["--service", "game", "--channels", "status,resource-mined"], &["number 2 of 2 is not known here"]),
        (&["--channels", "nonsense"], &["number 1 of 1 is not known here"]),
        (&["--after", "0-0-0"], &["--service", "one service's name"]),
        (&["--limit", "0"], &["--limit"]),
    ];
    for (flags, words) in cases {
        let ended = running.events(flags).await;
        assert_eq!(ended.code, Some(2), "{flags:?}: {ended:?}");
        for word in *words {
            assert!(ended.stderr.contains(word), "{flags:?} does not mention {word}: {}", ended.stderr);
        }
    }
    let ended = run(&["events", "--game-url", "https://x"]).await;
    assert_eq!((ended.code, ended.stderr.contains("`https://x`")), (Some(2), true), "{ended:?}");
}

/// The command under way, with the addresses in its environment.
async fn spawned(running: &Running, flags: &[&str]) -> Child {
    let addresses = [("STARKEEP_GAME_URL", &running.game_url), ("STARKEEP_MAP_URL", &running.map_url)];
    start(command().arg("events").args(flags).envs(addresses)).await
}

async fn assert_ends_quietly(mut child: Child) {
    let status = within_limit("the command's end", child.wait()).await.unwrap();
    let mut stderr = String::new();
    within_limit("its complaints", child.stderr.take().unwrap().read_to_string(&mut stderr)).await.unwrap();
    assert_eq!((status.code(), complaints(&stderr)), (Some(0), vec![]));
}

#[tokio::test]
async fn events_are_shown_as_they_happen_until_it_is_interrupted() {
    let running = Running::start().await;
    let mut child = spawned(&running, &["--service", "game", "--after", "start"]).await;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = async || within_limit("a line", lines.next_line()).await.unwrap().unwrap();
    assert!(next().await.contains("Z  status                game created · game "));
    let id = running.game.create_game(&new_game()).await.unwrap();
    let line = next().await;
    assert!(line.ends_with(&format!("game created · game {}", &id.to_string()[28..])), "{line}");

    let process = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().await.unwrap().success());
    assert_ends_quietly(child).await;
}

#[tokio::test]
async fn it_ends_quietly_when_nobody_reads_any_longer() {
    let running = Running::start().await;
    let mut child = spawned(&running, &["--after", "start", "--channels", "status"]).await;
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    within_limit("a line", stdout.read_line(&mut String::new())).await.unwrap();
    drop(stdout);
    // A child of another test that is just being started has the pipe open as well, for a moment: that event is written.
    let ended = async {
        while child.try_wait().unwrap().is_none() {
            running.game.create_game(&new_game()).await.unwrap();
        }
    };
    within_limit("the command's end", ended).await;
    assert_ends_quietly(child).await;
}

#[tokio::test]
async fn names_and_places_are_shown_as_far_as_they_are_told_and_otherwise_ends_of_ids() {
    const TOKEN: &str = "a-long-secret";
    let home = tempfile::tempdir().unwrap();
    let own = ["--data-dir", home.path().to_str().unwrap(), "--admin-token", TOKEN];
    let program = Program::serve("all", &own).await;
    let service = program.game().with_token(TOKEN);
    let url = format!("http://{}", program.address("game"));
    let game = service.post("/games", &two_services::new_game()).await.expect(201)["gameId"].take();
    let (_, token) = registered(&service, 7).await;
    join(&service, &game, &token).await;
    let shown = async |flags: &[&str]| {
        let ended =
            run(&[&["events", "--game-url", &url, "--after", "start", "--limit", "1"], flags].concat()).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
        ended.stdout.trim_end().to_owned()
    };
    let joined = shown(&["--channels", "gameRoster"]).await;
    let end = &game.as_str().unwrap()[28..];
    assert!(joined.ends_with(&format!("joined \u{b7} bot-7 \u{b7} game {end}")), "{joined}");

    let stations = ["--channels", "spacestation-created"];
    let event: Value = serde_json::from_str(&shown(&[&stations[..], &["--json"]].concat()).await).unwrap();
    let end = &event["payload"]["planet_id"].as_str().unwrap()[28..];
    let hidden = shown(&stations).await;
    assert!(hidden.ends_with(&format!("space station \u{b7} planet {end}")), "{hidden}");
    let told = shown(&[&stations[..], &["--admin-token", TOKEN]].concat()).await;
    let place = told.rsplit_once("space station \u{b7} planet ").unwrap().1;
    let (x, y) = place.split_once(',').unwrap();
    assert!(x.parse::<u16>().is_ok() && y.parse::<u16>().is_ok(), "{told}");
}
