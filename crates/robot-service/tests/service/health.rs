//! `/health` and `/metrics`: whether commands are executed once, the books, the map, the games.

use serde_json::{Value, json};
use starkeep_test_harness::get;

use crate::fake_map::Behaviour;
use crate::harness::{Bench, GAME, mine, player, tx};

async fn health(bench: &Bench) -> Value {
    bench.ask(get("/health")).await.is(200)
}

#[tokio::test]
async fn health_says_that_commands_are_executed_once_and_how_the_parts_are() {
    let (bench, _) = Bench::playing().await;
    let shown = health(&bench).await;
    assert_eq!(
        (&shown["service"], &shown["status"], &shown["executesOnce"]),
        (&json!("robot"), &json!("ok"), &json!(true))
    );
    for (part, detail) in [("books", "all books balance"), ("map", "answers"), ("games", "1 followed, 1 run")]
    {
        assert_eq!(shown["parts"][part], json!({"status": "ok", "detail": detail}));
    }
    bench.map.behave(Behaviour::Away);
    let shown = health(&bench).await;
    assert_eq!(
        (&shown["status"], &shown["parts"]["map"]["status"]),
        (&json!("degraded"), &json!("degraded"))
    );
}

/// An audit that could not fail would be worth nothing.
#[tokio::test]
async fn books_that_do_not_balance_are_reported() {
    let mut bench = Bench::on_file().await;
    let planets = bench.two_planets(9);
    bench.start_game(GAME).await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.execute(&[mine(robot, 2)]).await;
    bench.assert_books_balance().await;
    bench
        .reopen_after(|database| {
            database.execute("UPDATE robot SET coal = 3", []).unwrap();
        })
        .await;
    let books = health(&bench).await["parts"]["books"].clone();
    let detail = format!("game {GAME}: coal mined 2, but held 3, sold 0, lost 0");
    assert_eq!(books, json!({"status": "degraded", "detail": detail}));
}

#[tokio::test]
async fn metrics_count_what_was_executed() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.execute(&[mine(robot, 2)]).await;
    bench.execute(&[mine(robot, 2)]).await;
    let metrics = bench.metrics().await;
    for line in [
        r#"starkeep_robot_commands_total{verb="mine",outcome="success"} 1"#,
        r#"starkeep_robot_commands_total{verb="move",outcome="failure"} 0"#,
        r#"starkeep_robot_mined_units_total{resource_type="coal"} 2"#,
        "starkeep_robots_spawned_total 1",
        "starkeep_living_robots 1",
    ] {
        assert!(metrics.lines().any(|shown| shown == line), "{line} is not in\n{metrics}");
    }
}
