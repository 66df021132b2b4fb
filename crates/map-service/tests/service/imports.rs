//! Lists of planets that are long, deep or broken: they are refused before they cost much, and hold up nobody else.
//! What a list must say to be a world: see `custom_worlds`.

use serde_json::{Value, json};
use starkeep_test_harness::{get, patch, post, text};

use crate::custom_worlds::{planet, request, station};
use crate::harness::{TestMap, guarded};

#[tokio::test]
async fn hostile_lists_are_refused() {
    let map = TestMap::new().await;
    let list = |planets: &str| format!(r#"{{"gameworld":{{"player_amount":1,"planets":{planets}}}}}"#);
    let many =
        |planet: &str, count: usize| list(&format!("[{}{planet}]", format!("{planet},").repeat(count - 1)));
    let one = r#"{"x":0,"y":0,"movement_difficulty":1,"planet_type":"spacestation"}"#;
    let too_deep = "[".repeat(100_000);
    let deep = format!("{too_deep}{}", "]".repeat(100_000));
    let place = "gameworld.planets";
    let cases = [
        (many(one, 122_501), 422, Some(place.to_owned())),
        (many("{}", 1_000_000), 422, Some(format!("{place}[0].x"))),
        (many("null", 1_000_000), 422, Some(format!("{place}[0]"))),
        (many(one, 2), 422, Some(format!("{place}[1]"))),
        (list(&deep), 422, Some(format!("{place}[0]"))),
        (list(&too_deep), 400, None),
        (list(r#"[{"x":0,"x":1}]"#), 422, Some(format!("{place}[0].x"))),
        (list(r#"[{"x":1e999}]"#), 422, Some(format!("{place}[0].x"))),
        (list(r#"[{"x":NaN}]"#), 400, None),
        (list(r#"[{"x":Infinity}]"#), 400, None),
        (list(r#"[{"x":-0}]"#), 422, Some(format!("{place}[0].x"))),
        (list(r#"[{"x":1e0}]"#), 422, Some(format!("{place}[0].x"))),
        (list(r#"[{"x":99999999999999999999999999}]"#), 422, Some(format!("{place}[0].x"))),
        (list("[{]"), 400, None),
        (list("[") + "\u{0}", 400, None),
    ];
    for (body, status, field) in cases {
        let begin: String = body.chars().take(120).collect();
        let refused = map.ask(post("/gameworlds").text(body)).await;
        let code = if status == 400 { "unreadable-json" } else { "invalid-field" };
        assert_eq!(refused.refusal(), (status, code, field.as_deref()), "{begin}: {}", refused.body);
        assert!(text(&refused.body["detail"]).len() < 300, "{begin}: {}", refused.body);
    }
    // What is ignored may be as deep as it likes.
    let ignored = one.replace('}', &format!(r#","spare":{deep}}}"#));
    let made = map.ask(post("/gameworlds").text(list(&format!("[{ignored}]"))).undocumented()).await;
    assert_eq!(made.status, 201, "{}", made.body);
}

#[tokio::test]
async fn a_list_may_have_32_mebibytes_and_nobody_without_the_token_sends_it() {
    const LARGEST: usize = 32 * 1024 * 1024;
    let map = TestMap::with(guarded()).await;
    let padded = |size: usize| {
        let body = request(&json!([planet(1, 0), station(0, 0)])).to_string();
        let spaces = " ".repeat(size - body.len());
        post("/gameworlds").text(body + &spaces)
    };
    for keyed in [false, true] {
        let send = |size| if keyed { padded(size).key(&size.to_string()) } else { padded(size) };
        assert_eq!(
            map.ask(send(LARGEST + 1)).await.refusal(),
            (401, "unauthorized", None),
            "before it is read"
        );
        let detail = map.ask(send(LARGEST + 1).bearer("s3cret")).await.refused(413, "body-too-large", None);
        assert!(detail.contains(&LARGEST.to_string()), "{detail}");
        assert_eq!(map.count("world"), i64::from(keyed));
        assert_eq!(map.ask(send(LARGEST).bearer("s3cret")).await.status, 201);
    }
    let world = text(&map.get("/gameworlds").await.body[0]["id"]);
    let chart = map.ask(get(format!("/gameworlds/{world}/planets")).bearer("s3cret")).await;
    let planet = text(&chart.body[1]["id"]);
    let others = [
        patch(format!("/gameworlds/{world}")),
        post(format!("/planets/{planet}/minings")),
        post(format!("/planets/{planet}/minings")).key("k"),
        post(format!("/gameworlds/{world}/replenishments")).key("k"),
    ];
    for other in others {
        let refused = map.ask(other.text(" ".repeat(1024 * 1024 + 1)).bearer("s3cret")).await;
        assert_eq!(refused.refusal(), (413, "body-too-large", None), "all others have a mebibyte");
    }
}

/// Where only one thread answers requests, another request is answered while the list is read.
#[tokio::test]
async fn a_long_list_is_read_beside_other_requests() {
    let map = TestMap::in_memory().await;
    let mut list: Vec<Value> = (0..30_000).map(|place| planet(place % 300, place / 300)).collect();
    list.push(json!({}));
    let mut import = Box::pin(map.post("/gameworlds", request(&Value::Array(list))));
    assert!(futures::poll!(&mut import).is_pending(), "the thread was kept until all was read");
    assert_eq!(map.get("/gameworlds").await.status, 200);
    let field = "gameworld.planets[30000].x";
    assert_eq!(import.await.refusal(), (422, "invalid-field", Some(field)), "the list is read to its end");
}

#[tokio::test]
async fn a_world_may_have_as_many_planets_as_the_largest_generated_one() {
    let map = TestMap::in_memory().await;
    let list =
        (0..122_500).map(|place| if place == 0 { station(0, 0) } else { planet(place % 350, place / 350) });
    let body = request(&list.collect()).to_string();
    // To compare a request of that size with the contract takes much longer than to answer it.
    let made = map.ask(post("/gameworlds").text(body).undocumented()).await;
    assert_eq!(made.status, 201, "{}", made.body);
}
