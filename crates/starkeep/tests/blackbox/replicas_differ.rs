//! Replicas that cannot work together: one that was started with other flags is refused, and those that meet a change of a newer
//! version end by themselves, so that a new one can take their place.

use starkeep_test_postgres::shared;

use crate::program::{Program, run};
use crate::two_services::new_game;

#[tokio::test]
async fn a_replica_with_other_flags_is_refused_while_another_runs_and_says_which() {
    let url = shared().database("other_flags");
    let first = Program::serve("map", &["--database-url", &url, "--replenish-every", "5s"]).await;
    let flags = ["serve", "map", "--map-listen", "127.0.0.1:0", "--database-url", &url];
    let refused = run(&[&flags[..], &["--replenish-every", "7s"]].concat()).await;
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("--replenish-every is `7000ms` here and `5000ms` there"), "{refused:?}");
    let second = Program::serve("map", &["--database-url", &url, "--replenish-every", "5s"]).await;
    first.kill().await;
    second.terminate();
    assert_eq!(second.ended().await.code, Some(0));
}

#[tokio::test]
async fn replicas_that_meet_a_change_of_a_newer_version_end_and_the_next_one_goes_on() {
    let url = shared().database("newer_version");
    let (first, second) = (
        Program::serve("all", &["--database-url", &url]).await,
        Program::serve("all", &["--database-url", &url]).await,
    );
    let game = first.game().post("/games", &new_game()).await.expect(201)["gameId"].clone();
    // As a newer version would write it.
    let newer = "INSERT INTO starkeep_game.change_log (number, batch, writer, changes, last_event)
        SELECT max(number) + 1, gen_random_uuid(), gen_random_uuid(), '[{\"FromTheFuture\":{}}]', max(last_event)
        FROM starkeep_game.change_log";
    drop(shared().session("newer_version", &format!("{newer};")));
    for program in [first, second] {
        let ended = program.ended().await;
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains("a newer version writes to the database"), "{}", ended.stderr);
    }
    let third = Program::serve("all", &["--database-url", &url]).await;
    let games = third.game().get("/games").await.expect(200);
    assert_eq!(games[0]["gameId"], game);
}
