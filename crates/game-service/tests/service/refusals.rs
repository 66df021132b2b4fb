//! Everything that is refused before or by the rules: the status, the code, the field, and that nothing changed.
//! Faults of the map and idempotency keys have their own files.

use http::Method;
use serde_json::{Value, json};
use starkeep_test_harness::{TestRequest, delete, get, patch, post, request};
use uuid::Uuid;

use crate::harness::Bench;
use crate::log::Logged;

impl Bench {
    /// All that can be seen, and all that is waiting to be done.
    pub(crate) async fn whole_state(&self) -> (Vec<Value>, Vec<Logged>, (usize, usize)) {
        (self.games().await, self.events(), self.pending())
    }

    /// Refused, and nothing changed by it.
    async fn refuses(&self, request: TestRequest, status: u16, code: &str, field: Option<&str>) -> String {
        let (before, orders) = (self.whole_state().await, self.map.orders().len());
        let detail = self.ask(request).await.refused(status, code, field);
        assert_eq!(self.whole_state().await, before);
        assert_eq!(self.map.orders().len(), orders);
        detail
    }
}

#[tokio::test]
async fn a_new_game_with_a_field_that_is_not_allowed_is_refused_by_its_name() {
    let bench = Bench::in_memory().await;
    bench.create(5, 3).await;
    for (body, field) in [
        (json!({}), "maxRounds"),
        (json!({"maxRounds": 5}), "maxPlayers"),
        (json!({"maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": null, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": "5", "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": 5.5, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": true, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": [5], "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": 0, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": -1, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": 1_000_001, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": u64::MAX, "maxPlayers": 5}), "maxRounds"),
        (json!({"maxRounds": 5, "maxPlayers": 0}), "maxPlayers"),
        (json!({"maxRounds": 5, "maxPlayers": 10_001}), "maxPlayers"),
        (json!({"maxRounds": 5, "maxPlayers": 5, "duration": 99}), "duration"),
        (json!({"maxRounds": 5, "maxPlayers": 5, "duration": 86_400_001}), "duration"),
        (json!({"maxRounds": 5, "maxPlayers": 5, "duration": "fast"}), "duration"),
        (json!({"maxRounds": 5, "maxPlayers": 5, "seed": -1}), "seed"),
        (json!({"maxRounds": 5, "maxPlayers": 5, "seed": 9_007_199_254_740_992_u64}), "seed"),
        (json!({"maxRounds": 5, "maxPlayers": 5, "style": "baroque"}), "style"),
        (json!(7), "body"),
        (json!(null), "body"),
    ] {
        bench.refuses(post("/games").json(&body), 422, "invalid-field", Some(field)).await;
    }
}

#[tokio::test]
async fn a_changed_setting_that_is_not_allowed_is_refused_by_its_name() {
    let bench = Bench::in_memory().await;
    let created = bench.create(5, 3).await;
    let running = bench.running(5).await;
    for value in [json!(-1), json!(1_000_001), json!("9"), json!(2.5), json!(null), json!({})] {
        for game in [created, running] {
            let request = patch(format!("/games/{game}/maxRounds")).json(&json!({"maxRounds": value}));
            bench.refuses(request, 422, "invalid-field", Some("maxRounds")).await;
        }
    }
    for value in [json!(99), json!(0), json!(86_400_001), json!("9"), json!(100.5), json!(null)] {
        for game in [created, running] {
            let request = patch(format!("/games/{game}/duration")).json(&json!({"duration": value}));
            bench.refuses(request, 422, "invalid-field", Some("duration")).await;
        }
    }
    for (setting, field) in [("maxRounds", "maxRounds"), ("duration", "duration")] {
        let request = patch(format!("/games/{created}/{setting}")).json(&json!({}));
        bench.refuses(request, 422, "invalid-field", Some(field)).await;
    }
}

#[tokio::test]
async fn a_game_that_has_not_started_keeps_at_least_one_round() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let request = patch(format!("/games/{game}/maxRounds")).json(&json!({"maxRounds": 0}));
    bench.refuses(request, 422, "invalid-field", Some("maxRounds")).await;
}

#[tokio::test]
async fn what_is_no_json_is_unreadable() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    for path in [format!("/games/{game}/maxRounds"), format!("/games/{game}/duration")] {
        bench.refuses(patch(path).text("{\"maxRounds\":"), 400, "unreadable-json", None).await;
    }
    for body in ["", "{", "{'maxRounds':5}", "{\"maxRounds\":5,\"maxPlayers\":3} and more", "\u{feff}{}"] {
        bench.refuses(post("/games").text(body), 400, "unreadable-json", None).await;
    }
}

#[tokio::test]
async fn a_body_that_is_not_declared_as_json_is_not_read() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let body = json!({"maxRounds": 5, "maxPlayers": 3, "duration": 500});
    for kind in ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonish"] {
        for request in [
            post("/games"),
            patch(format!("/games/{game}/maxRounds")),
            patch(format!("/games/{game}/duration")),
        ] {
            bench.refuses(request.json(&body).header("content-type", kind), 415, "not-json", None).await;
        }
    }
}

#[tokio::test]
async fn a_body_beyond_a_mebibyte_is_too_large() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    let body = " ".repeat(1024 * 1024 + 1);
    for request in [
        post("/games"),
        post("/games").key("large"),
        post(format!("/games/{game}/gameCommands/start")).key("large"),
        patch(format!("/games/{game}/maxRounds")),
        patch(format!("/games/{game}/duration")),
    ] {
        bench.refuses(request.text(body.clone()), 413, "body-too-large", None).await;
    }
}

#[tokio::test]
async fn an_id_that_names_no_game_is_unknown_everywhere() {
    let bench = Bench::in_memory().await;
    bench.create(5, 3).await;
    let unknown = Uuid::from_u128(0xdead);
    for id in [unknown.to_string(), "mine".to_owned(), "12".to_owned(), "%F0%9F%8E%B2".to_owned()] {
        let rounds = patch(format!("/games/{id}/maxRounds")).json(&json!({"maxRounds": 5}));
        let duration = patch(format!("/games/{id}/duration")).json(&json!({"duration": 500}));
        for request in [
            get(format!("/games/{id}")),
            get(format!("/games/{id}/time")),
            delete(format!("/games/{id}")),
            post(format!("/games/{id}/gameCommands/start")),
            post(format!("/games/{id}/gameCommands/end")),
            rounds,
            duration,
        ] {
            bench.refuses(request, 404, "unknown-game", None).await;
        }
    }
}

#[tokio::test]
async fn a_path_that_is_not_there_is_told_apart_from_an_unknown_game() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    for path in ["/game", "/games/", &format!("/games/{game}/"), &format!("/games/{game}/gameCommands")] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            bench.refuses(request(method, path), 404, "no-such-route", None).await;
        }
    }
    let other_command = post(format!("/games/{game}/gameCommands/pauze"));
    bench.refuses(other_command, 404, "no-such-route", None).await;
}

#[tokio::test]
async fn a_wrong_method_is_told_which_ones_there_are() {
    let bench = Bench::in_memory().await;
    let game = bench.create(5, 3).await;
    for (method, path, allowed) in [
        (Method::DELETE, "/games".to_owned(), &["GET", "HEAD", "POST"][..]),
        (Method::PUT, "/games".to_owned(), &["GET", "HEAD", "POST"]),
        (Method::POST, format!("/games/{game}"), &["DELETE", "GET", "HEAD"]),
        (Method::PATCH, format!("/games/{game}"), &["DELETE", "GET", "HEAD"]),
        (Method::POST, format!("/games/{game}/maxRounds"), &["PATCH"]),
        (Method::GET, format!("/games/{game}/duration"), &["PATCH"]),
        (Method::GET, format!("/games/{game}/gameCommands/start"), &["POST"]),
        (Method::PUT, format!("/games/{game}/gameCommands/end"), &["POST"]),
        (Method::DELETE, format!("/games/{game}/time"), &["GET", "HEAD"]),
    ] {
        let before = bench.whole_state().await;
        let reply = bench.ask(request(method.clone(), &path)).await;
        reply.refused(405, "method-not-allowed", None);
        let mut listed: Vec<_> =
            reply.header("allow").unwrap_or_default().split(',').map(str::trim).collect();
        listed.sort_unstable();
        assert_eq!(listed, allowed, "{method} {path}");
        assert_eq!(bench.whole_state().await, before);
    }
}

#[tokio::test]
async fn a_game_past_its_start_cannot_be_started_and_an_ended_one_is_only_read_and_deleted() {
    let bench = Bench::in_memory().await;
    let running = bench.running(5).await;
    let ended = bench.create(5, 2).await;
    bench.end(ended).await.is(201);
    let start = |game: Uuid| post(format!("/games/{game}/gameCommands/start"));
    bench.refuses(start(running), 409, "game-not-created", None).await;
    bench.refuses(start(ended), 409, "game-not-created", None).await;
    bench.refuses(post(format!("/games/{ended}/gameCommands/end")), 409, "game-ended", None).await;
    let rounds = patch(format!("/games/{ended}/maxRounds")).json(&json!({"maxRounds": 9}));
    bench.refuses(rounds, 409, "game-ended", None).await;
    let duration = patch(format!("/games/{ended}/duration")).json(&json!({"duration": 900}));
    bench.refuses(duration, 409, "game-ended", None).await;
    bench.refuses(delete(format!("/games/{running}")), 409, "game-not-ended", None).await;
}

#[tokio::test]
async fn a_start_beside_a_running_game_is_refused_with_its_name() {
    let bench = Bench::in_memory().await;
    let running = bench.running(5).await;
    let other = bench.create(5, 2).await;
    let request = post(format!("/games/{other}/gameCommands/start"));
    let detail = bench.refuses(request, 409, "another-game-runs", None).await;
    assert!(detail.contains(&running.to_string()), "{detail}");
    assert_eq!(bench.game(other).await["gameStatus"], "created");
}
