//! `starkeep watch` in a pipe: sentences for people, JSON for programs, and how it ends.
//! What becomes which sentence is tested beside the code.

use serde_json::{Value, json};
use starkeep_test_http::within_limit;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::bot::{join, registered};
use crate::demo::signal;
use crate::host::Host;
use crate::program::{command, run, start};
use crate::two_services::path;

struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watching {
    async fn start(host: &Host, words: &[&str]) -> Self {
        let mut child = start(command().arg("watch").args(words).env("STARKEEP_GAME_URL", &host.url)).await;
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// None at its end.
    async fn next(&mut self) -> Option<String> {
        within_limit("a line", self.lines.next_line()).await.unwrap()
    }

    /// All lines up to this one.
    async fn until(&mut self, line: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while lines.last().map(String::as_str) != Some(line) {
            let next = self.next().await;
            lines.push(next.unwrap_or_else(|| panic!("it ended before `{line}`: {lines:?}")));
        }
        lines
    }

    /// What is left, and that it ends well and without a complaint.
    async fn ends(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.next().await {
            lines.push(line);
        }
        let status = within_limit("its end", self.child.wait()).await.unwrap();
        let mut complaints = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut complaints).await.unwrap();
        assert_eq!((status.code(), complaints.as_str()), (Some(0), ""));
        lines
    }
}

/// A player joins, and the game is started, paused, stepped into its second round, and ended.
async fn played(host: &Host, game: &str, number: u32) {
    let service = host.program.game();
    let (_, token) = registered(&service, number).await;
    join(&service, &game.into(), &token).await;
    for command in ["start", "pause", "step", "end"] {
        host.json(&[command, game]).await;
    }
}

#[tokio::test]
async fn a_game_is_told_in_sentences_until_it_ends() {
    let host = Host::start(&[]).await;
    let id = host.created(&["--name", "Lecture", "--duration", "24h"]).await;
    let mut watching = Watching::start(&host, &["Lecture"]).await;
    assert_eq!(watching.next().await.as_deref(), Some("watching Lecture: created"));
    played(&host, &id, 1).await;
    let lines = watching.ends().await;
    let told = ["bot-1 joined", "round 1 started", "clock: paused", "round 2 started", "the game is ended"];
    let positions: Vec<_> = told.iter().map(|told| lines.iter().position(|line| line == told)).collect();
    assert!(positions.iter().all(Option::is_some) && positions.is_sorted(), "{told:?} in {lines:?}");
    assert!(!lines.iter().any(|line| line.chars().any(char::is_control)), "{lines:?}");
}

#[tokio::test]
async fn without_a_game_the_next_one_is_waited_for_and_those_after_it_are_watched() {
    let host = Host::start(&[]).await;
    let mut watching = Watching::start(&host, &[]).await;
    watching.until("there is no active game; waiting for the next one").await;
    for (number, name) in [(1, "First"), (2, "Second")] {
        let id = host.created(&["--name", name, "--duration", "24h"]).await;
        watching.until(&format!("watching {name}: created")).await;
        played(&host, &id, number).await;
        watching.until("the game is ended").await;
    }
    signal("-INT", watching.child.id().unwrap()).await;
    watching.ends().await;
}

#[tokio::test]
async fn the_only_active_game_is_watched_and_several_are_not_guessed_at() {
    let host = Host::start(&[]).await;
    host.created(&["--name", "First"]).await;
    let mut watching = Watching::start(&host, &[]).await;
    watching.until("watching First: created").await;
    signal("-TERM", watching.child.id().unwrap()).await;
    watching.ends().await;

    host.created(&["--name", "Second"]).await;
    let ended = run(&["watch", "--game-url", &host.url]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    assert!(ended.stderr.contains("First") && ended.stderr.contains("Second"), "{}", ended.stderr);
    let ended = run(&["watch", "Third", "--game-url", &host.url]).await;
    assert_eq!((ended.code, ended.stderr.contains("hint: ")), (Some(2), true), "{ended:?}");
    let ended = run(&["watch", "--game-url", "http://127.0.0.1:1"]).await;
    assert_eq!((ended.code, ended.stderr.contains("starkeep serve")), (Some(1), true), "{ended:?}");
}

#[tokio::test]
async fn programs_get_every_event_as_the_services_tell_it() {
    let host = Host::start(&[]).await;
    let id = host.created(&["--name", "Lecture", "--duration", "24h"]).await;
    let service = host.program.game().wanting_json();
    let end = service.get("/events?after=end").await.expect(200)["next"].take();
    let watching = Watching::start(&host, &["--json", &id]).await;
    // From when on it hears of events is not seen from outside; a game that ends is among them in any case.
    let mut told: Vec<Value> = {
        let (lines, ()) = tokio::join!(watching.ends(), async {
            host.program.game().get(&path(&json!(id), "")).await.expect(200);
            played(&host, &id, 1).await;
        });
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    told.retain(|event| event["service"] == "game");
    assert!(!told.is_empty());
    let mut logged = service.get(&format!("/events?after={}", end.as_str().unwrap())).await.expect(200);
    let mut logged: Vec<Value> = serde_json::from_value(logged["events"].take()).unwrap();
    assert!(told.iter().any(|event| event["payload"]["status"] == "ended"));
    // The last round may be scored after the game has ended, when nobody watches any longer.
    let last = told.last().map(|event| event["id"].clone());
    let end = logged.iter().position(|event| Some(&event["id"]) == last.as_ref()).unwrap();
    logged.truncate(end + 1);
    for event in &mut told {
        event.as_object_mut().unwrap().remove("service");
    }
    assert!(logged.ends_with(&told), "{told:#?}\nis not the end of\n{logged:#?}");
}
