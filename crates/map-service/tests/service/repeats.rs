//! Repeated requests: an `Idempotency-Key` makes one effect of many, on both POSTs.
//! How it works is tested in the platform; here it is tested that both routes have it.

use serde_json::{Value, json};
use starkeep_test_harness::{Reply, post};

use crate::harness::{TestMap, guarded};

async fn keyed(map: &TestMap, path: &str, key: &str, body: Value) -> Reply {
    map.ask(post(path).json(&body).key(key)).await
}

fn is_replayed(reply: &Reply) -> bool {
    reply.headers.get("idempotency-replayed").is_some_and(|value| value == "true")
}

#[tokio::test]
async fn a_repeated_create_gets_the_first_answer_also_after_a_restart() {
    let mut map = TestMap::new().await;
    let body = json!({"gameworld": {"player_amount": 1, "id": "6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f"}});
    let first = keyed(&map, "/gameworlds", "k-1", body.clone()).await;
    assert_eq!(first.status, 201);
    assert!(!is_replayed(&first));
    let events = map.count("event_log");
    map.restart().await;
    let again = keyed(&map, "/gameworlds", "k-1", body).await;
    assert!(is_replayed(&again));
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(again.headers["location"], first.headers["location"]);
    assert_eq!((map.count("world"), map.count("event_log")), (1, events));

    let other = keyed(&map, "/gameworlds", "k-1", json!({"gameworld": {"player_amount": 2}})).await;
    assert_eq!(other.refusal(), (422, "idempotency-key-reused", Some("Idempotency-Key")));
    assert_eq!(map.count("world"), 1);
}

#[tokio::test]
async fn a_repeated_mining_digs_once_even_if_the_twins_are_in_flight_together() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let planets = map.deposits(&world).await;
    let path = format!("/planets/{}/minings", planets[0]);
    let body = json!({"mining": {"amount_requested": 100}});
    let twins = futures::future::join_all((0..8).map(|_| keyed(&map, &path, "dig", body.clone()))).await;
    assert_eq!(twins.iter().filter(|reply| !is_replayed(reply)).count(), 1);
    for twin in &twins {
        assert_eq!((twin.status, &twin.body), (201, &twins[0].body));
    }
    let left = map.get(&format!("/planets/{}", planets[0])).await.body["resource"]["current_amount"].clone();
    assert_eq!(left, 9_900);
    // The same key on another planet is another request.
    let elsewhere = keyed(&map, &format!("/planets/{}/minings", planets[1]), "dig", body).await;
    assert_eq!((elsewhere.status, is_replayed(&elsewhere)), (201, false));
}

#[tokio::test]
async fn refusals_are_not_kept_and_keys_must_be_usable() {
    let map = TestMap::in_memory().await;
    let world = map.world().await;
    let path = format!("/planets/{}/minings", map.deposits(&world).await[0]);
    let bad = json!({"mining": {"amount_requested": 0}});
    assert_eq!(keyed(&map, &path, "again", bad).await.refusal().0, 422);
    let good = json!({"mining": {"amount_requested": 1}});
    let taken = keyed(&map, &path, "again", good.clone()).await;
    assert_eq!((taken.status, is_replayed(&taken)), (201, false));
    let refused = keyed(&map, &path, "a b", good).await;
    assert_eq!(refused.refusal(), (422, "invalid-idempotency-key", Some("Idempotency-Key")));
}

#[tokio::test]
async fn an_answer_is_not_repeated_to_who_may_not_have_it() {
    let map = TestMap::in_memory_with(guarded()).await;
    let body = json!({"gameworld": {"player_amount": 1}});
    let allowed = post("/gameworlds").json(&body).key("k").bearer("s3cret");
    assert_eq!(map.ask(allowed).await.status, 201);
    assert_eq!(keyed(&map, "/gameworlds", "k", body).await.refusal(), (401, "unauthorized", None));
}

#[tokio::test]
async fn a_process_whose_clock_is_far_ahead_repeats_what_was_answered_before_it_started() {
    let mut map = TestMap::new().await;
    let body = json!({"gameworld": {"player_amount": 1}});
    let first = keyed(&map, "/gameworlds", "k", body.clone()).await;
    map.clock.advance(std::time::Duration::from_hours(24 * 30));
    map.restart().await;
    map.start_tasks();
    while map.leader().states()["clean-up"].runs == 0 {
        tokio::task::yield_now().await;
    }
    let again = keyed(&map, "/gameworlds", "k", body).await;
    assert!(is_replayed(&again) && again.bytes == first.bytes, "{again:?}");
    map.stop_tasks().await;
}

#[tokio::test]
async fn old_answers_and_withdrawn_ids_are_cleaned_up_in_time() {
    let map = TestMap::new().await;
    keyed(&map, "/gameworlds", "k", json!({"gameworld": {"player_amount": 1}})).await;
    map.delete("/gameworlds/6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f").await;
    map.start_tasks();
    let mut hours = 0;
    let (mut answers_gone, mut withdrawn_gone) = (None, None);
    while withdrawn_gone.is_none() {
        let runs = || map.leader().states()["clean-up"].runs;
        let before = runs();
        map.clock.advance(std::time::Duration::from_hours(1));
        hours += 1;
        assert!(hours <= 8 * 24, "nothing was cleaned up");
        while runs() == before {
            tokio::task::yield_now().await;
        }
        if map.count("answer") == 0 {
            answers_gone.get_or_insert(hours);
        }
        if map.count("withdrawn_world") == 0 {
            withdrawn_gone = Some(hours);
        }
    }
    // The first run, at the start, may come before the clock is moved or after.
    assert!((24..=26).contains(&answers_gone.unwrap()), "{answers_gone:?}");
    assert!((7 * 24..=7 * 24 + 2).contains(&withdrawn_gone.unwrap()), "{withdrawn_gone:?}");
    map.stop_tasks().await;
}
