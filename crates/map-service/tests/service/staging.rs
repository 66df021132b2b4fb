//! Worlds that were written and not made yet: nobody sees them, and they do not stay.
//! How their rows are written and removed is tested beside the store.

use serde_json::{Value, json};
use starkeep_test_harness::{EPOCH, text};

use crate::harness::TestMap;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// What a process leaves that was killed between writing a world and making it: the rows of a world, called staged.
async fn leave_staged(map: &TestMap) -> Value {
    let world = map.post("/gameworlds", json!({"gameworld": {"player_amount": 1, "id": ID}})).await.body;
    map.database().execute("UPDATE world SET status = 'staged'", []).unwrap();
    world
}

#[tokio::test]
async fn a_world_that_was_written_and_never_made_is_seen_by_nobody_and_removed() {
    let mut map = TestMap::new().await;
    let world = leave_staged(&map).await;
    map.restart().await;
    let planet = text(&world["spacestation_ids"][0]);
    for path in
        [format!("/gameworlds/{ID}"), format!("/gameworlds/{ID}/planets"), format!("/planets/{planet}")]
    {
        assert_eq!(map.get(&path).await.status, 404, "{path}");
    }
    for path in ["/gameworlds", "/planets"] {
        assert_eq!(map.get(path).await.body, json!([]));
    }
    assert_eq!(map.mine(&planet, 1).await.refusal().1, "unknown-planet");
    assert_eq!(map.deactivate(ID).await.refusal().1, "unknown-gameworld");

    map.start_tasks();
    while map.leader().states()["clean-up"].runs == 0 {
        tokio::task::yield_now().await;
    }
    for table in ["world", "world_layout", "deposit", "book"] {
        assert_eq!(map.count(table), 0, "{table}");
    }
    map.stop_tasks().await;
}

#[tokio::test]
async fn a_repeated_request_makes_the_world_that_was_only_written() {
    let mut map = TestMap::new().await;
    let left = leave_staged(&map).await;
    map.restart().await;
    let made = map.post("/gameworlds", json!({"gameworld": {"player_amount": 2, "id": ID}})).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(map.get(&format!("/gameworlds/{ID}")).await.body, made.body);
    assert_ne!(made.body["spacestation_ids"], left["spacestation_ids"]);
    assert_eq!((map.count("world"), map.count("world_layout")), (1, 1));
}

#[tokio::test]
async fn a_withdrawal_removes_what_was_only_written() {
    let mut map = TestMap::new().await;
    leave_staged(&map).await;
    map.restart().await;
    assert_eq!(map.delete(&format!("/gameworlds/{ID}")).await.status, 204);
    assert_eq!((map.count("world"), map.count("world_layout"), map.count("book")), (0, 0, 0));
    let refused = map.post("/gameworlds", json!({"gameworld": {"player_amount": 1, "id": ID}})).await;
    assert_eq!(refused.refusal().1, "gameworld-gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_requests_for_one_id_one_makes_it() {
    let map = TestMap::new().await;
    for number in 1..=5_u128 {
        let id = uuid::Uuid::from_u128(number).to_string();
        let request = || map.post("/gameworlds", json!({"gameworld": {"player_amount": 700, "id": id}}));
        let replies = futures::future::join_all((0..4).map(|_| request())).await;
        let (made, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
        let [made] = &made[..] else { panic!("{} were made", made.len()) };
        assert!(refused.iter().all(|reply| reply.refusal() == (409, "gameworld-gone", Some("gameworld.id"))));
        assert_eq!(map.get(&format!("/gameworlds/{id}")).await.body, made.body);
    }
    assert_eq!((map.count("made_world"), map.count("world")), (5, 5));
}

#[tokio::test]
async fn what_a_kill_left_of_a_withdrawn_world_is_removed() {
    let mut map = TestMap::new().await;
    let kept = map.world().await;
    map.mine(&map.deposits(&kept).await[0], 1).await;
    assert_eq!(map.delete(&format!("/gameworlds/{ID}")).await.status, 204);
    map.reopen_after(|database| {
        let left = "WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots LIMIT 9000)
                    INSERT INTO deposit (world_id, slot) SELECT withdrawn_world.id, slot FROM withdrawn_world, slots";
        assert_eq!(database.execute(left, []).unwrap(), 9_000);
    })
    .await;
    map.start_tasks();
    while map.leader().states()["clean-up"].runs == 0 {
        tokio::task::yield_now().await;
    }
    map.stop_tasks().await;
    assert_eq!((map.count("deposit"), map.count("withdrawn_world")), (1, 1));
}

/// What a process leaves that was killed after the commit that makes a large world.
async fn leave_unannounced(map: &mut TestMap) -> Value {
    let world = map.post("/gameworlds", json!({"gameworld": {"player_amount": 1_100, "id": ID}})).await.body;
    assert_eq!(map.count("event_log"), 1 + 2_200);
    map.reopen_after(|database| {
        database.execute("UPDATE world SET unannounced_from = 1000", []).unwrap();
        database.execute("DELETE FROM event_log WHERE position > 1001", []).unwrap();
        // The pages that are full then end there.
        database.execute("DELETE FROM event_subject WHERE position > 768", []).unwrap();
    })
    .await;
    world
}

#[tokio::test]
async fn stations_that_were_not_announced_before_a_crash_are_after_the_start() {
    let mut map = TestMap::new().await;
    let world = leave_unannounced(&mut map).await;
    map.start_tasks();
    while map.leader().states()["announcer"].runs == 0 {
        tokio::task::yield_now().await;
    }
    map.stop_tasks().await;
    let log = map.stored_events();
    assert_eq!(log[0].channel, "gameworld-created");
    let announced = log[1..].iter().map(|event| {
        assert_eq!(
            (&*event.channel, event.subject.to_string()),
            ("spacestation-created", text(&world["id"]))
        );
        serde_json::from_str::<Value>(&event.payload).unwrap()["planet_id"].clone()
    });
    assert_eq!(json!(announced.collect::<Vec<_>>()), world["spacestation_ids"]);
    let database = map.database();
    let left =
        database.query_row("SELECT unannounced_from FROM world", [], |row| row.get::<_, Option<i64>>(0));
    assert_eq!(left, Ok(None));
}

#[tokio::test]
async fn a_world_that_is_withdrawn_after_a_crash_is_not_announced_any_further() {
    let mut map = TestMap::new().await;
    leave_unannounced(&mut map).await;
    assert_eq!(map.delete(&format!("/gameworlds/{ID}")).await.status, 204);
    map.service().announcer().step(EPOCH).await.unwrap();
    assert_eq!(map.count("event_log"), 1_001);
}

#[tokio::test]
async fn a_large_world_is_whole_after_a_restart() {
    let mut map = TestMap::new().await;
    let request = json!({"gameworld": {"player_amount": 1_000, "seed": 5, "id": ID}});
    assert_eq!(map.post("/gameworlds", request).await.status, 201);
    let before = map.chart(ID).await;
    assert!(before.len() > 8_000);
    map.restart().await;
    assert_eq!(map.chart(ID).await, before);
    assert_eq!(map.get("/health").await.body["parts"]["books"]["status"], "ok");
}
