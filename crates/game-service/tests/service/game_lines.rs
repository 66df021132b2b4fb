//! What the log tells of games at level info: one line at each change, and none for what is refused or only read.
//! The store in memory decides in the thread of its caller, so that a test sees its own lines only.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;
use starkeep_test_harness::{delete, post};
use tracing_subscriber::filter::LevelFilter;

use crate::harness::{Bench, Setup, id_in};

const HOST: &str = "s3cret";

/// The lines that this thread writes.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

/// While it lives the lines are written down.
pub(crate) struct Capture {
    _second: tracing::Dispatch,
    _guard: tracing::subscriber::DefaultGuard,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panics with it").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Written down while the other lives.
    pub(crate) fn capture() -> (Self, Capture) {
        let lines = Self::default();
        let writer = lines.clone();
        let log =
            tracing_subscriber::fmt().with_max_level(LevelFilter::INFO).without_time().with_target(false);
        let log = log.with_ansi(false).with_writer(move || writer.clone()).finish();
        // Of a single subscriber the threads of other tests, which have none, would decide what is of interest.
        let second = tracing::Dispatch::new(tracing_subscriber::registry());
        let guard = Capture { _second: second, _guard: tracing::subscriber::set_default(log) };
        tracing::callsite::rebuild_interest_cache();
        (lines, guard)
    }

    /// Those about games since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        let text = String::from_utf8(std::mem::take(&mut *self.0.lock().expect("nobody panics with it")))
            .expect("lines are text");
        text.lines().filter(|line| line.contains("game=")).map(|line| line.trim().to_owned()).collect()
    }
}

#[tokio::test]
async fn a_whole_game_is_told_in_a_line_for_each_change() {
    let (lines, _guard) = Lines::capture();
    let setup = Setup { token: Some(HOST), running_games: 2, ..Setup::in_memory() };
    let bench = Bench::with(setup).await;
    let host = |path: String| post(path).bearer(HOST);
    let body = json!({"name": "Hall \"3\"", "maxRounds": 2, "maxPlayers": 3, "duration": 4000});
    let game = id_in(&bench.ask(host("/games".to_owned()).json(&body)).await);
    let (ada, bob, eve) =
        (bench.register("ada").await, bench.register("bob").await, bench.register("eve").await);
    for player in [ada, bob, eve] {
        bench.put_in(game, player.1).await.is(200);
    }
    // What is refused is not told.
    bench.put_in(game, ada.1).await.refused(409, "already-participating", None);
    assert_eq!(bench.ask(delete(format!("/games/{game}/players/{}", eve.1))).await.status, 204);
    bench.ask(host(format!("/games/{game}/gameCommands/start"))).await.is(201);
    bench.ready(game, ada.1).await.is(200);
    let out = delete(format!("/games/{game}/players/{}", bob.0)).bearer(HOST);
    assert_eq!(bench.ask(out).await.status, 204);
    for _ in 0..2 {
        bench.advance(3_000).await;
        bench.advance(1_000).await;
    }
    assert_eq!(bench.game(game).await["gameStatus"], "ended");
    assert_eq!(bench.ask(delete(format!("/games/{game}")).bearer(HOST)).await.status, 204);
    let name = r#"name="Hall \"3\"""#;
    let of = |(id, _): (uuid::Uuid, uuid::Uuid), name: &str| format!("player={id} player_name=\"{name}\"");
    assert_eq!(
        lines.take(),
        [
            format!("INFO a game was created game={game} {name} rounds=2 seats=3"),
            format!("INFO a player has joined a game game={game} {name} {}", of(ada, "ada")),
            format!("INFO a player has joined a game game={game} {name} {}", of(bob, "bob")),
            format!("INFO a player has joined a game game={game} {name} {}", of(eve, "eve")),
            format!("INFO a player has left a game game={game} {name} {}", of(eve, "eve")),
            format!("INFO a game has started game={game} {name} rounds=2 round_millis=4000 players=2"),
            format!("INFO a player was taken out of a game game={game} {name} {}", of(bob, "bob")),
            format!("INFO a game has ended game={game} {name} round=2 why=\"all rounds are over\""),
            format!("INFO a game was deleted game={game} {name}"),
        ]
    );

    for (path, body, why) in [
        ("gameCommands/end", json!(null), "the host has ended it"),
        ("maxRounds", json!({"maxRounds": 0}), "maxRounds was set below the current round"),
    ] {
        let body_of_new = json!({"maxRounds": 2, "maxPlayers": 1, "duration": 4000});
        let game = id_in(&bench.ask(host("/games".to_owned()).json(&body_of_new)).await);
        bench.ask(host(format!("/games/{game}/gameCommands/start"))).await.is(201);
        lines.take();
        let path = format!("/games/{game}/{path}");
        if body.is_null() {
            bench.ask(host(path)).await.is(201);
        } else {
            bench.ask(starkeep_test_harness::patch(path).bearer(HOST).json(&body)).await.is(200);
        }
        let [line] = &lines.take()[..] else { panic!("one line") };
        assert!(line.ends_with(&format!("round=1 why=\"{why}\"")), "{line}");
    }
}
