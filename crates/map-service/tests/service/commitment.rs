//! The commitment to a world's seed: shown from the beginning, with nonce and seed once the world is over, and never before.
//! How it is computed is tested in the core.

use serde_json::{Value, json};
use starkeep_test_harness::{get, patch, post, text};

use crate::harness::{TestMap, guarded};

const NONCE: &str = "00112233445566778899aabbccddeeff";
/// Computed with `printf '00112233445566778899aabbccddeeff:42' | sha256sum`.
const COMMITMENT: &str = "7b3b098f58012e7d32d1b88bb5c8c546db559a7456e83c682c425606378d844d";

fn chosen() -> Value {
    json!({"gameworld": {"player_amount": 1, "seed": 42, "nonce": NONCE, "style": "symmetric"}})
}

#[tokio::test]
async fn seed_and_nonce_are_shown_once_the_world_is_over() {
    let mut map = TestMap::new().await;
    let made = map.ask(post("/gameworlds").json(&chosen()).key("k")).await.is(201);
    let path = format!("/gameworlds/{}", text(&made["id"]));
    assert_eq!(made["seed_commitment"], COMMITMENT);
    assert_eq!((&made["style"], &made["replenishment"]), (&json!("symmetric"), &json!("automatic")));
    map.restart().await;
    let listed = map.get("/gameworlds").await.body[0].clone();
    let repeated = map.ask(post("/gameworlds").json(&chosen()).key("k")).await.body;
    let fairness = map.get(&format!("{path}/fairness")).await.body;
    assert_eq!(fairness["seed_commitment"], COMMITMENT);
    let answers = [made.clone(), map.get(&path).await.body, listed, repeated];
    for world in &answers {
        assert_eq!(*world, made);
        assert!(world.get("seed").is_none() && world.get("nonce").is_none(), "{world}");
    }
    let events = map.stored_events();
    assert!(events.iter().all(|event| !event.payload.contains(NONCE)), "{events:?}");
    assert!(!fairness.to_string().contains(NONCE));

    let over = map.deactivate(&text(&made["id"])).await.body;
    assert_eq!((&over["seed"], &over["nonce"]), (&json!(42), &json!(NONCE)));
    assert_eq!(over["seed_commitment"], COMMITMENT);
    map.restart().await;
    assert_eq!(map.get(&path).await.body, over);
    assert_eq!(map.get("/gameworlds").await.body, json!([over]));
    // What is repeated is the answer of that time.
    let repeated = map.ask(post("/gameworlds").json(&chosen()).key("k")).await;
    assert_eq!(repeated.body, made);
    assert_eq!(map.delete(&path).await.status, 204);
    assert_eq!(map.get(&path).await.refusal(), (404, "unknown-gameworld", None));
}

/// As a world that another one with the same seed has replaced.
#[tokio::test]
async fn of_a_sealed_world_nothing_more_is_shown() {
    let mut map = TestMap::with(guarded()).await;
    let made = map.ask(post("/gameworlds").json(&chosen()).bearer("s3cret")).await.is(201);
    let path = format!("/gameworlds/{}", text(&made["id"]));
    let body = json!({"gameworld": {"status": "inactive", "sealed": true}});
    let sealed = map.ask(patch(path.clone()).json(&body).bearer("s3cret")).await.is(200);
    map.restart().await;
    // Whoever deactivates it again does not open it.
    let body = json!({"gameworld": {"status": "inactive"}});
    let again = map.ask(patch(path.clone()).json(&body).bearer("s3cret")).await.is(200);
    let listed = map.get("/gameworlds").await.body[0].clone();
    for world in [sealed, again, listed, map.get(&path).await.body] {
        assert_eq!((&world["status"], &world["seed_commitment"]), (&json!("inactive"), &json!(COMMITMENT)));
        assert!(world.get("seed").is_none() && world.get("nonce").is_none(), "{world}");
    }
    let chart = format!("{path}/planets");
    assert_eq!(map.get(&chart).await.refusal(), (401, "unauthorized", None));
    map.ask(get(chart).bearer("s3cret")).await.is(200);
}

#[tokio::test]
async fn what_is_not_given_is_drawn_anew_for_every_world() {
    let map = TestMap::in_memory().await;
    let mut seen = Vec::new();
    for given in [json!({}), json!({}), json!({"seed": 42}), json!({"seed": 42}), json!({"nonce": NONCE})] {
        let mut gameworld = given.clone();
        gameworld["player_amount"] = json!(1);
        let made = map.post("/gameworlds", json!({"gameworld": gameworld})).await.is(201);
        let over = map.deactivate(&text(&made["id"])).await.body;
        for (name, value) in given.as_object().unwrap() {
            assert_eq!(over[name], *value);
        }
        seen.push((over["nonce"].clone(), over["seed"].clone()));
        assert_eq!(text(&over["nonce"]).len(), 32);
    }
    let nonces: std::collections::BTreeSet<String> = seen.iter().map(|(nonce, _)| text(nonce)).collect();
    assert_eq!(nonces.len(), seen.len());
    assert_ne!(seen[0].1, seen[1].1);
}

#[tokio::test]
async fn what_is_no_nonce_and_no_seed_is_refused() {
    let map = TestMap::new().await;
    let nonces =
        [json!(""), json!("0011"), json!(NONCE.replace('f', "g")), json!(format!("{NONCE}0")), json!(7)];
    let seeds =
        [json!(-1), json!(9_007_199_254_740_992_i64), json!(1.5), json!("NaN"), json!(u64::MAX), json!([1])];
    let modes = [json!("Automatic"), json!("on-request"), json!(""), json!(true)];
    let all = [("nonce", &nonces[..]), ("seed", &seeds[..]), ("replenishment", &modes[..])];
    for (name, value) in
        all.into_iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)))
    {
        let body = json!({"gameworld": {"player_amount": 1, name: value}});
        let refused = map.post("/gameworlds", body).await;
        refused.refused(422, "invalid-field", Some(&format!("gameworld.{name}")));
    }
    assert_eq!((map.count("world"), map.count("event_log")), (0, 0));
}

#[tokio::test]
async fn the_chart_of_a_world_is_the_hosts_until_the_world_is_over() {
    let map = TestMap::in_memory_with(guarded()).await;
    let made = map.ask(post("/gameworlds").json(&chosen()).bearer("s3cret")).await.is(201);
    let path = format!("/gameworlds/{}", text(&made["id"]));
    let chart = format!("{path}/planets");
    let unknown = "/gameworlds/6f2c1d5e-8a4b-4c3d-9e2f-1a2b3c4d5e6f/planets";
    let ask = |path: &str, token: Option<&str>| {
        let request = token.map_or(get(path), |token| get(path).bearer(token));
        map.ask(request)
    };
    for path in [&*chart, unknown, "/gameworlds/seven/planets"] {
        for token in [None, Some("wrong")] {
            assert_eq!(ask(path, token).await.refusal(), (401, "unauthorized", None), "{path}");
        }
    }
    let shown = ask(&chart, Some("s3cret")).await.is(200);
    for path in [unknown, "/gameworlds/seven/planets"] {
        assert_eq!(ask(path, Some("s3cret")).await.refusal(), (404, "unknown-gameworld", None));
    }
    let inactive = json!({"gameworld": {"status": "inactive"}});
    map.ask(patch(&*path).json(&inactive).bearer("s3cret")).await.is(200);
    for token in [None, Some("wrong"), Some("s3cret")] {
        assert_eq!(ask(&chart, token).await.is(200), shown);
    }
    assert_eq!(ask(unknown, None).await.refusal(), (401, "unauthorized", None));
}
