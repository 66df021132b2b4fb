//! What an operator reads at level info, over the end of processes: nothing twice, and one line for each coming and going.

use serde_json::Value;

use crate::bot::{join, registered};
use crate::installation::Installation;
use crate::program::Program;
use crate::two_services::{START, new_game, path};

const OF_GAMES: [&str; 3] = ["a game was created", "a game has started", "a player has joined a game"];

async fn created(program: &Program) -> Value {
    program.game().post("/games", &new_game()).await.expect(201)["gameId"].take()
}

fn lines<'a>(log: &'a str, word: &'a str) -> Vec<&'a str> {
    log.lines().filter(|line| line.contains(word)).collect()
}

#[tokio::test]
async fn what_was_logged_before_a_restart_is_not_logged_again() {
    let home = tempfile::tempdir().unwrap();
    let data = ["--data-dir", home.path().to_str().unwrap()];
    let program = Program::serve("all", &data).await;
    let first = created(&program).await;
    let (_, token) = registered(&program.game(), 1).await;
    join(&program.game(), &first, &token).await;
    program.game().post(&path(&first, START), &Value::Null).await.expect(201);
    let waiting = created(&program).await;
    program.terminate();
    let log = program.ended().await.stderr;
    assert_eq!(OF_GAMES.map(|word| lines(&log, word).len()), [2, 1, 1], "{log}");

    let program = Program::serve("all", &data).await;
    program.game().get(&path(&first, "")).await.expect(200);
    let third = created(&program).await;
    program.logged(third.as_str().unwrap(), 1).await;
    program.terminate();
    let log = program.ended().await.stderr;
    assert_eq!(OF_GAMES.map(|word| lines(&log, word).len()), [1, 0, 0], "{log}");
    for old in [first, waiting] {
        assert_eq!(lines(&log, old.as_str().unwrap()), Vec::<&str>::new(), "{log}");
    }
}

#[tokio::test]
async fn an_executor_that_goes_and_comes_is_told_in_one_line_each() {
    let mut installation = Installation::in_four_processes().await;
    for executor in ["robot", "trading"] {
        let (gone, back) = (
            format!("the {executor} service is unhealthy or unreachable"),
            format!("the {executor} service is healthy again"),
        );
        installation.kill(executor).await;
        installation.program("game").logged(&gone, 1).await;
        installation.serve(executor).await;
        installation.program("game").logged(&back, 1).await;
    }
    let log = installation.stopped("game").await.stderr;
    for executor in ["robot", "trading"] {
        let of_executor: Vec<_> =
            log.lines().filter(|line| line.contains(&format!("{executor} service"))).collect();
        assert_eq!(of_executor.len(), 2, "{log}");
    }
    assert_eq!(lines(&log, "event stream"), Vec::<&str>::new(), "{log}");
}
