//! Output that nobody reads: the reader of a pipe has ended, or it is there and does not read. The program does all that it does
//! otherwise, and every command stops as always.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, PipeReader, Write, pipe};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use serde_json::{Value, json};
use starkeep_fault_harness::KeptPort;
use starkeep_test_http::{Caller, within_limit};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::demo::{LISTEN, reaches_round_2, signal};
use crate::host::Host;
use crate::program::{command, serve_command, start};
use crate::terminal::O_NONBLOCK;
use crate::two_services::{END, new_game, path};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Unread {
    Closed,
    Full,
}

/// A program whose standard output and standard error are one pipe that nobody reads.
pub(crate) struct Unheard {
    pub(crate) child: Child,
    /// What was read before.
    first: Vec<String>,
    /// Of a pipe that is full.
    _reader: Option<PipeReader>,
}

impl Unheard {
    /// Its lines are read up to the one that begins so; without, none.
    pub(crate) async fn start(mut command: Command, unread: Unread, last: Option<&'static str>) -> Self {
        let (reader, writer) = pipe().unwrap();
        command.stdout(writer.try_clone().unwrap()).stderr(writer);
        if last.is_none() {
            let left = leave(reader, unread);
            let child = start(&mut command).await;
            return Self { child, first: Vec::new(), _reader: left };
        }
        let child = start(&mut command).await;
        // From here on the pipe ends with the program.
        drop(command);
        let reading = tokio::task::spawn_blocking(move || read_up_to(reader, last.unwrap_or_default()));
        let (first, reader) = within_limit("its first lines", reading).await.unwrap();
        Self { child, first, _reader: leave(reader, unread) }
    }

    async fn stops(mut self, name: &str, unread: Unread) {
        signal(name, self.child.id().unwrap()).await;
        self.ends(unread).await;
    }

    pub(crate) async fn ends(&mut self, unread: Unread) {
        let status = within_limit("its end", self.child.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0), "{unread:?}");
    }

    /// The service at the address in its first lines.
    fn service(&self, before: &str) -> Caller {
        let line = self.first.iter().find_map(|line| line.strip_prefix(before)).unwrap();
        Caller::new(line.trim_end_matches('/').parse().unwrap())
    }
}

fn read_up_to(reader: PipeReader, last: &str) -> (Vec<String>, PipeReader) {
    let mut lines = BufReader::new(reader);
    let mut read: Vec<String> = Vec::new();
    while !read.last().is_some_and(|line| line.starts_with(last)) {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "it ended after {read:?}");
        read.push(line.trim_end().to_owned());
    }
    (read, lines.into_inner())
}

fn leave(reader: PipeReader, unread: Unread) -> Option<PipeReader> {
    match unread {
        Unread::Closed => None,
        Unread::Full => {
            let place = format!("/proc/self/fd/{}", reader.as_raw_fd());
            let mut pipe = OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(place).unwrap();
            for size in [4096, 1] {
                while pipe.write(&vec![b'\n'; size]).is_ok() {}
            }
            Some(reader)
        }
    }
}

#[tokio::test]
async fn services_serve_on_and_stop() {
    for unread in [Unread::Closed, Unread::Full] {
        let home = tempfile::tempdir().unwrap();
        let serve = serve_command("all", &["--data-dir", home.path().to_str().unwrap(), "--log", "debug"]);
        let serving = Unheard::start(serve, unread, Some("Stop with Ctrl-C.")).await;
        let service = serving.service("game service listening on http://");
        for _ in 0..20 {
            let game = service.post("/games", &new_game()).await.expect(201)["gameId"].take();
            service.post(&path(&game, END), &Value::Null).await.expect(201);
        }
        serving.stops("-TERM", unread).await;
    }
}

#[tokio::test]
async fn bots_play_a_game_to_its_end() {
    let host = Host::start(&[]).await;
    let service = host.program.game();
    for unread in [Unread::Closed, Unread::Full] {
        let new = json!({ "maxRounds": 3, "maxPlayers": 2, "duration": 3_600_000 });
        let game = service.post("/games", &new).await.expect(201)["gameId"].take();
        service.patch(&path(&game, "/pace"), &json!({ "pace": "turbo" })).await.expect(200);
        let mut bots = command();
        // Nobody has to know a token again.
        bots.args(["bot", "--count", "2", "--name", &format!("{unread:?}"), "--game-url", &host.url]);
        let mut bots = Unheard::start(bots, unread, None).await;
        let joined = async {
            while service.get(&path(&game, "")).await.expect(200)["participatingPlayers"]
                .as_array()
                .unwrap()
                .len()
                < 2
            {}
        };
        within_limit("the bots to join", joined).await;
        service.post(&path(&game, "/gameCommands/start"), &Value::Null).await.expect(201);
        bots.ends(unread).await;
        assert_eq!(service.get(&path(&game, "")).await.expect(200)["gameStatus"], "ended", "{unread:?}");
    }
}

#[tokio::test]
async fn bots_wait_for_a_service_that_is_away_and_can_be_interrupted() {
    for unread in [Unread::Closed, Unread::Full] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut bots = command();
        bots.args(["bot", "--game-url", &format!("http://{}", listener.local_addr().unwrap())]);
        let bots = Unheard::start(bots, unread, None).await;
        // By the second attempt they have said that nobody answers.
        for _ in 0..3 {
            drop(within_limit("an attempt", listener.accept()).await.unwrap());
        }
        bots.stops("-INT", unread).await;
    }
}

#[tokio::test]
async fn a_demo_plays_on_and_stops() {
    for unread in [Unread::Closed, Unread::Full] {
        let temporary = tempfile::tempdir().unwrap();
        let mut demo = command();
        demo.arg("demo").args(LISTEN).env("TMPDIR", temporary.path());
        let demo = Unheard::start(demo, unread, Some("open ")).await;
        let service = demo.service("open http://");
        reaches_round_2(&service, || ()).await;
        demo.stops("-TERM", unread).await;
    }
}

#[tokio::test]
async fn a_demo_plays_on_where_nothing_can_be_written() {
    let (temporary, port) = (tempfile::tempdir().unwrap(), KeptPort::new().unwrap());
    let mut demo = command();
    demo.args(["demo", "--game-listen", &port.address().to_string()]).args(&LISTEN[2..]);
    demo.env("TMPDIR", temporary.path()).stdout(OpenOptions::new().write(true).open("/dev/full").unwrap());
    let demo = start(&mut demo).await;
    reaches_round_2(&Caller::new(port.address()), || ()).await;
    signal("-TERM", demo.id().unwrap()).await;
    let output = within_limit("its end", demo.wait_with_output()).await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("the games go on").count(), 1, "{said}");
}

/// A host whose service has events, and what follows them.
async fn following(words: &[&str]) -> (Host, Command) {
    let host = Host::start(&[]).await;
    host.created(&["--name", "First"]).await;
    let mut command = command();
    command.args(words).env("STARKEEP_GAME_URL", &host.url);
    (host, command)
}

#[tokio::test]
async fn who_watches_a_game_can_stop() {
    for (unread, name) in [(Unread::Closed, "-INT"), (Unread::Full, "-INT"), (Unread::Full, "-TERM")] {
        let (host, command) = following(&["watch", "First"]).await;
        let watching = Unheard::start(command, unread, Some("watching First: created")).await;
        host.json(&["start", "First"]).await;
        host.json(&["pause", "First"]).await;
        watching.stops(name, unread).await;
    }
}

#[tokio::test]
async fn who_follows_events_into_a_full_pipe_can_stop() {
    let (host, command) = following(&["events", "--after", "start"]).await;
    let following = Unheard::start(command, Unread::Full, Some("")).await;
    host.created(&["--name", "Second"]).await;
    following.stops("-INT", Unread::Full).await;
}
