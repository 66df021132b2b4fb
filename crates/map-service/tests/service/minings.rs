//! Minings: what is taken is what has left the planet, and what cannot be taken is refused in words.
//! Their announcements are tested with the events.

use serde_json::json;
use starkeep_map_service::Config;
use starkeep_test_harness::{post, text};

use crate::harness::{TestMap, config, guarded, msd};

#[tokio::test]
async fn a_mining_takes_what_is_asked_for_and_then_what_is_left() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    let before = map.get(&format!("/planets/{planet}")).await.body["resource"].clone();
    let transaction = "11111111-2222-4333-8444-555555555555";
    let robot = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
    let body =
        json!({"mining": {"amount_requested": 4_000, "transaction_id": transaction, "robot_id": robot}});
    let mining = map.post(&format!("/planets/{planet}/minings"), body).await;
    assert_eq!(mining.status, 201);
    assert_eq!(
        mining.body,
        json!({
            "id": mining.body["id"], "planet_id": planet, "resource_id": before["id"],
            "resource_type": before["resource_type"], "amount_requested": 4_000, "amount_mined": 4_000,
            "amount_left": 6_000, "transaction_id": transaction, "robot_id": robot,
            "created_at": "2024-05-01T12:00:00Z",
        })
    );
    for (asked, mined, left) in [(1_000_000_000, 6_000, 0), (1, 0, 0)] {
        let mining = map.mine(&planet, asked).await;
        assert_eq!(mining.status, 201);
        assert_eq!(mining.body["amount_requested"], asked);
        assert_eq!(
            (&mining.body["amount_mined"], &mining.body["amount_left"]),
            (&json!(mined), &json!(left))
        );
        assert_eq!(mining.body["transaction_id"], json!(null));
    }
    let after = map.get(&format!("/planets/{planet}")).await.body["resource"].clone();
    assert_eq!((&after["id"], &after["current_amount"]), (&before["id"], &json!(0)));
}

#[tokio::test]
async fn amounts_out_of_bounds_are_refused_by_name() {
    let map = TestMap::new().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    let events = map.count("event_log");
    let cases = [
        (json!({}), "mining"),
        (json!({"mining": {}}), "mining.amount_requested"),
        (json!({"mining": {"amount_requested": 0}}), "mining.amount_requested"),
        (json!({"mining": {"amount_requested": -5}}), "mining.amount_requested"),
        (json!({"mining": {"amount_requested": 1_000_000_001}}), "mining.amount_requested"),
        (json!({"mining": {"amount_requested": 1.5}}), "mining.amount_requested"),
        (json!({"mining": {"amount_requested": 1, "robot_id": "r2"}}), "mining.robot_id"),
        (json!({"mining": {"amount_requested": 1, "transaction_id": 7}}), "mining.transaction_id"),
    ];
    for (body, field) in cases {
        let refused = map.post(&format!("/planets/{planet}/minings"), body.clone()).await;
        assert_eq!(refused.refusal(), (422, "invalid-field", Some(field)), "{body}");
    }
    assert_eq!(map.count("event_log"), events);
}

#[tokio::test]
async fn what_is_not_there_cannot_be_mined() {
    for config in [config(), msd()] {
        let map = TestMap::in_memory_with(config).await;
        let world = map.world().await;
        let planet = map.deposits(&world).await[0].clone();
        let station = text(&map.get(&format!("/gameworlds/{world}")).await.body["spacestation_ids"][0]);
        assert_eq!(map.mine(&station, 1).await.refusal(), (404, "no-deposit", None));
        for unknown in [world.as_str(), "seven"] {
            assert_eq!(map.mine(unknown, 1).await.refusal(), (404, "unknown-planet", None));
        }
        assert_eq!(map.mine(&planet, 1).await.status, 201);
    }
}

#[tokio::test]
async fn nothing_can_be_mined_in_a_world_that_is_inactive() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    map.deactivate(&world).await;
    let refused = map.mine(&planet, 1).await;
    assert_eq!(refused.refusal(), (409, "gameworld-inactive", None));
    assert!(text(&refused.body["detail"]).contains(&world));
    let seen = map.get(&format!("/planets/{planet}")).await;
    assert_eq!((seen.status, &seen.body["resource"]["current_amount"]), (200, &json!(10_000)));
}

#[tokio::test]
async fn a_world_that_ends_in_the_same_batch_is_refused_or_mined_whole() {
    let map = TestMap::new().await;
    let world = map.world().await;
    let planet = map.deposits(&world).await[0].clone();
    // Nothing waits in between, so most of these share commits, in an order that the store chooses.
    let (minings, ended, withdrawn) = futures::join!(
        futures::future::join_all((0..50).map(|_| map.mine(&planet, 10))),
        map.deactivate(&world),
        async { map.delete(&format!("/gameworlds/{world}")).await },
    );
    assert_eq!((ended.status, withdrawn.status), (200, 204));
    for mining in minings {
        match mining.status {
            201 => assert_eq!(mining.body["amount_mined"], 10),
            409 => assert_eq!(mining.body["code"], "gameworld-inactive"),
            _ => assert_eq!(mining.body["code"], "unknown-planet"),
        }
    }
    for table in ["world", "world_layout", "deposit", "book"] {
        assert_eq!(map.count(table), 0, "{table}");
    }
}

#[tokio::test]
async fn mining_is_open_unless_it_is_closed() {
    for (closed_mining, status) in [(false, 404), (true, 401)] {
        let map = TestMap::in_memory_with(Config { closed_mining, ..guarded() }).await;
        let planet = "6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f";
        assert_eq!(map.mine(planet, 1).await.status, status);
        let body = json!({"mining": {"amount_requested": 1}});
        let shown = post(format!("/planets/{planet}/minings")).json(&body).bearer("s3cret");
        assert_eq!(map.ask(shown).await.status, 404);
    }
}
