//! `starkeep demo` over several games and several runs: the next game follows, and what an earlier run has left goes on.

use std::path::Path;

use serde_json::{Value, json};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_test_http::{Caller, within_limit};
use tokio::io::{BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::demo::{demo, ends_quietly};
use crate::two_services::{END, path};

struct Demo {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    game: Caller,
}

impl Demo {
    async fn start(data: &Path) -> Self {
        let (child, mut lines) = demo(data, &["--data-dir", data.to_str().unwrap()]).await;
        let first = within_limit("its address", lines.next_line()).await.unwrap().unwrap();
        let address = first.strip_prefix("open http://").unwrap().trim_end_matches('/').parse().unwrap();
        Self { child, lines, game: Caller::new(address) }
    }

    /// Lines up to the one that ends so.
    async fn until(&mut self, end: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        while lines.last().is_none_or(|line| !line.ends_with(end)) {
            let next = within_limit("a line", self.lines.next_line()).await.unwrap();
            lines.push(next.unwrap_or_else(|| panic!("it ended before `{end}`: {lines:?}")));
        }
        lines
    }

    /// The next line that names a game which is watched from then on.
    async fn next_watched(&mut self) -> String {
        loop {
            let line = within_limit("a line", self.lines.next_line()).await.unwrap().unwrap();
            if line.starts_with("watching ") {
                return line;
            }
        }
    }

    /// The game with the name.
    async fn game(&self, name: &str) -> Value {
        let games = self.game.get("/games").await.expect(200);
        let mut named = games.as_array().unwrap().iter().filter(|game| game["name"] == name);
        let game = named.next().unwrap_or_else(|| panic!("no {name}: {games}")).clone();
        assert!(named.next().is_none(), "{name} is there twice");
        game
    }

    /// Ctrl-C.
    async fn end(mut self) {
        ends_quietly("-INT", &mut self.child, &mut self.lines).await;
    }
}

#[tokio::test]
async fn the_next_game_begins_when_one_is_over_by_its_rounds_or_by_a_host() {
    let home = tempfile::tempdir().unwrap();
    let mut demo = Demo::start(home.path()).await;
    demo.until("round 1 started").await;
    let first = demo.game("Demo 1").await["gameId"].take();
    demo.game.patch(&path(&first, "/maxRounds"), &json!({ "maxRounds": 2 })).await.expect(200);
    let lines = demo.until("watching Demo 2: created").await;
    assert!(lines.iter().any(|line| line == "the game is ended"), "{lines:?}");
    demo.until("round 1 started").await;
    let second = demo.game("Demo 2").await["gameId"].take();
    demo.game.post(&path(&second, END), &Value::Null).await.expect(201);
    demo.until("watching Demo 3: created").await;
    demo.until("round 1 started").await;
    demo.end().await;
}

#[tokio::test]
async fn a_second_demo_goes_on_with_what_the_first_has_left() {
    let home = tempfile::tempdir().unwrap();
    let mut demo = Demo::start(home.path()).await;
    demo.until("round 1 started").await;
    // A host's own game that waits for players is none of the demo's business.
    let own = json!({ "name": "Lecture", "maxRounds": 5, "maxPlayers": 4, "duration": 2000 });
    demo.game.post("/games", &own).await.expect(201);
    demo.end().await;

    let mut demo = Demo::start(home.path()).await;
    let lines = demo.until("watching Demo 1: running").await;
    let note = "Demo 1 of an earlier demo is not over: it goes on";
    assert!(lines.iter().any(|line| line == note), "{lines:?}");
    demo.until(" moved a robot").await;
    let first = demo.game("Demo 1").await["gameId"].take();
    demo.game.post(&path(&first, END), &Value::Null).await.expect(201);
    // Neither another Demo 1 nor the host's game.
    assert_eq!(demo.next_watched().await, "watching Demo 2: created");
    demo.until("round 1 started").await;
    assert_eq!(demo.game("Lecture").await["gameStatus"], "created");
    let second = demo.game("Demo 2").await["gameId"].take();
    demo.game.post(&path(&second, END), &Value::Null).await.expect(201);
    demo.until("watching Demo 3: created").await;
    demo.end().await;
}

#[tokio::test]
async fn robots_move_and_mine_soon() {
    let home = tempfile::tempdir().unwrap();
    let clock = SystemClock::start();
    let began = clock.monotonic();
    let (mut child, mut lines) = demo(home.path(), &["--json"]).await;
    let mut next = async || -> Value {
        let line = within_limit("a line", lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    };
    let page = next().await;
    assert!(page["page"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{page}");
    let (mut moved, mut mined) = (None, None);
    while moved.is_none() || mined.is_none() {
        let event = next().await;
        let so_far = clock.monotonic().since(began);
        let is_done = event["payload"]["success"] == true;
        match event["channel"].as_str().unwrap() {
            "movement" if is_done && moved.is_none() => moved = Some(so_far),
            "resource-mined" if mined.is_none() => mined = Some(so_far),
            _ => {}
        }
    }
    // What was measured is to be read: how long it takes is up to the machine.
    println!("robots moved after {moved:?} (at most 10 s is wanted) and mined after {mined:?} (30 s)");
    ends_quietly("-INT", &mut child, &mut lines).await;
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "its data is thrown away");
}
