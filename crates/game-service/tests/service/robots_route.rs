//! `PUT` and `DELETE /robots/{robotId}`: what they answer, who may call them, and what they change.

use serde_json::json;
use starkeep_test_harness::{delete, put};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

#[tokio::test]
async fn robots_are_announced_over_http() {
    let bench = Bench::in_memory().await;
    let (robot, owner) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let put_robot = |robot: &str| put(format!("/robots/{robot}"));
    let announce = |owner: Uuid| put_robot(&robot.to_string()).json(&json!({"playerId": owner}));
    let known = json!({"robotId": robot, "playerId": owner, "alive": true});
    for _ in 0..2 {
        assert_eq!(bench.ask(announce(owner)).await.is(200), known);
    }
    bench.ask(announce(robot)).await.refused(409, "robot-has-another-owner", None);
    for _ in 0..2 {
        assert_eq!(bench.ask(delete(format!("/robots/{robot}"))).await.status, 204);
    }
    assert_eq!(bench.ask(announce(owner)).await.is(200)["alive"], false, "a destroyed one stays so");
    bench.ask(put_robot("zzz").json(&json!({"playerId": owner}))).await.refused(404, "unknown-robot", None);
    bench.ask(put_robot(&robot.to_string()).json(&json!({}))).await.refused(
        422,
        "invalid-field",
        Some("playerId"),
    );
    bench.ask(delete("/robots/zzz")).await.refused(404, "unknown-robot", None);

    let guarded = Bench::with(Setup { token: Some("s3cret"), ..Setup::in_memory() }).await;
    let announce = || put_robot(&robot.to_string()).json(&json!({"playerId": owner}));
    guarded.ask(announce()).await.refused(401, "unauthorized", None);
    guarded.ask(delete(format!("/robots/{robot}"))).await.refused(401, "unauthorized", None);
    guarded.ask(announce().bearer("s3cret")).await.is(200);
}
