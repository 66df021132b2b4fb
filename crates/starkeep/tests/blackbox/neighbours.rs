//! When the built-in robot service tells what is around a robot that was bought: in the msd dialect clearly later than that it is there,
//! because an existing bot learns of it from another topic first.

use serde_json::{Value, json};
use starkeep_test_http::within_limit;

use crate::played_game::{PlayedGame, buy_robots};
use crate::whole_game::{events_about, serve};

/// Of the only robot's spawn, and of what is around it. In msd in whole seconds.
async fn told_at(dialect: &str) -> [Value; 2] {
    let (program, _home) = serve(&["--dialect", dialect, "--start-delay", "0s"]).await;
    let game = PlayedGame::start(&program.game(), 1, 1, &json!({})).await;
    game.play(&program.game(), &[vec![buy_robots(1)]]).await;
    let robots = program.robot();
    within_limit("what is around the robot", async {
        loop {
            let told = events_about(&robots, "channels=spawn-notification,neighbours").await;
            if let [spawned, around] = told.as_slice() {
                assert_eq!(
                    (&spawned["channel"], &around["channel"]),
                    (&json!("spawn-notification"), &json!("neighbours"))
                );
                return [spawned, around].map(|event| event["headers"]["timestamp"].clone());
            }
        }
    })
    .await
}

#[tokio::test]
async fn only_in_msd_are_they_told_a_second_after_the_spawn() {
    let [spawned, around] = told_at("standard").await;
    assert_eq!(spawned, around, "one commit");
    let [spawned, around] = told_at("msd").await;
    assert!(spawned.as_str() < around.as_str(), "{spawned} and {around}");
}
