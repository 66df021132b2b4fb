//! The names of games over HTTP: which are taken, and that the number in a name that nobody chose never comes back.
//! What a name may be is tested in the contract and the core.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{delete, get, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup, id_in};

impl Bench {
    async fn create_named(&self, name: Value) -> Uuid {
        let body = json!({"name": name, "maxRounds": 3, "maxPlayers": 2, "duration": 4000});
        id_in(&self.ask(post("/games").json(&body)).await)
    }

    async fn name(&self, game: Uuid) -> Value {
        self.game(game).await["name"].clone()
    }

    async fn remove(&self, game: Uuid) {
        self.end(game).await.is(201);
        assert_eq!(self.ask(delete(format!("/games/{game}"))).await.status, 204);
    }
}

#[tokio::test]
async fn a_game_has_the_name_that_it_was_created_with_wherever_it_is_shown() {
    for dialect in [Dialect::Standard, Dialect::Msd] {
        let mut bench = Bench::with(Setup { dialect, ..Setup::default() }).await;
        let game = bench.create_named(json!("  Final, \"hall\" 3 ✨\n")).await;
        let name = json!("Final, \"hall\" 3 ✨");
        assert_eq!(bench.games().await[0]["name"], name);
        bench.set_rounds(game, 5).await.is(200);
        assert_eq!(bench.start(game).await.is(201)["name"], name);
        bench.restart().await;
        assert_eq!(bench.set_duration(game, 5_000).await.is(200)["name"], name);
        bench.advance(3_000).await;
        assert_eq!(bench.end(game).await.is(201)["name"], name);
        bench.restart().await;
        assert_eq!(bench.name(game).await, name);
        bench.compare_replica().await;
        let second = bench.create_named(name.clone()).await;
        assert_eq!(bench.name(second).await, name, "names need not be unique");
    }
}

#[tokio::test]
async fn what_is_no_name_is_refused_with_the_range_and_nothing_is_created() {
    for bench in [Bench::new().await, Bench::msd().await] {
        let before = bench.whole_state().await;
        for name in [json!(""), json!("  \t\n"), json!("ü".repeat(81)), json!("a\nb"), json!(7), json!(["x"])]
        {
            let body = json!({"name": name, "maxRounds": 3, "maxPlayers": 2});
            let refused = bench.ask(post("/games").json(&body)).await;
            let detail = refused.refused(422, "invalid-field", Some("name"));
            let is_text = name.as_str().is_some_and(|name| !name.contains("a\nb"));
            assert_eq!(detail.contains("1 to 80 characters"), is_text, "{detail}");
        }
        assert_eq!(bench.whole_state().await, before);
        assert!(bench.map.orders().is_empty(), "no world is made for it");
    }
}

#[tokio::test]
async fn a_game_without_a_name_is_named_after_how_many_were_ever_created() {
    let mut bench = Bench::new().await;
    let first = bench.create(3, 2).await;
    assert_eq!(bench.name(first).await, "Game 1");
    bench.create_named(json!("Final")).await;
    let third = bench.create_named(json!(null)).await;
    assert_eq!(bench.name(third).await, "Game 3", "games with a name count as well");
    // What is refused has no number.
    bench.ask(post("/games").json(&json!({"maxRounds": 0, "maxPlayers": 2}))).await.refused(
        422,
        "invalid-field",
        Some("maxRounds"),
    );
    for game in [third, first] {
        bench.remove(game).await;
    }
    let fourth = bench.create(3, 2).await;
    assert_eq!(bench.name(fourth).await, "Game 4");
    bench.remove(fourth).await;
    bench.restart().await;
    let fifth = bench.create(3, 2).await;
    assert_eq!(bench.name(fifth).await, "Game 5", "also after a restart");
    bench.compare_replica().await;
}

#[tokio::test]
async fn creations_at_the_same_time_have_numbers_of_their_own() {
    for setup in [Setup::default(), Setup::in_memory()] {
        let bench = Bench::with(setup).await;
        join_all((0..20).map(|_| bench.create(3, 2))).await;
        let listed = bench.ask(get("/games")).await.is(200);
        let names = listed.as_array().expect("a list").iter().map(|game| game["name"].to_string());
        let expected: BTreeSet<_> = (1..=20).map(|number| format!("\"Game {number}\"")).collect();
        assert_eq!(names.collect::<BTreeSet<_>>(), expected);
    }
}
