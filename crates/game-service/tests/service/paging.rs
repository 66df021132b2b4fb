//! `GET /games` in pages: `Link` leads through the whole list, in its order, with no game twice or missing.
//! The order itself is in `showing`.

use serde_json::Value;
use starkeep_platform::clock::Clock;
use starkeep_test_harness::get;

use crate::harness::Bench;

/// Follows `Link: rel="next"` to the end.
async fn pages(bench: &Bench, first: &str) -> Vec<Vec<Value>> {
    let mut pages = Vec::new();
    let mut next = Some(first.to_owned());
    while let Some(path) = next {
        let reply = bench.ask(get(&path)).await;
        pages.push(reply.is(200).as_array().expect("a list").clone());
        next = reply.header("link").map(|link| {
            let path = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
            path.unwrap_or_else(|| panic!("{link}")).to_owned()
        });
        assert!(pages.len() < 50, "the pages have no end");
    }
    pages
}

/// Created, running and ended games; some were made in the same instant.
async fn many_games() -> Bench {
    let bench = Bench::new().await;
    for number in 0_u64..13 {
        let game = bench.create(9, 1).await;
        if number % 3 == 0 {
            bench.end(game).await.is(201);
        }
        if number == 7 {
            bench.start(game).await.is(201);
        }
        bench.advance(number % 2 * 1_000).await;
    }
    assert_eq!(bench.clock.monotonic().0, 6_000_000_000);
    bench
}

#[tokio::test]
async fn all_pages_together_are_the_whole_list_in_its_order() {
    let bench = many_games().await;
    let whole = bench.games().await;
    assert_eq!(whole.len(), 13);
    for limit in [1, 2, 3, 5, 8, 12, 13, 14, 1000] {
        let pages = pages(&bench, &format!("/games?limit={limit}")).await;
        assert_eq!(pages.concat(), whole, "limit {limit}");
        assert_eq!(pages.len(), 13_usize.div_ceil(limit), "limit {limit}");
        assert!(pages.iter().rev().skip(1).all(|page| page.len() == limit), "limit {limit}");
    }
}

#[tokio::test]
async fn a_status_is_kept_from_page_to_page() {
    let bench = many_games().await;
    let whole = bench.games().await;
    for (status, count) in [("ended", 5), ("created", 7), ("running", 1)] {
        let wanted: Vec<_> = whole.iter().filter(|game| game["gameStatus"] == status).cloned().collect();
        assert_eq!(wanted.len(), count, "{status}");
        for limit in [1, 2, 5, 7] {
            let pages = pages(&bench, &format!("/games?limit={limit}&status={status}")).await;
            assert_eq!(pages.concat(), wanted, "{status} by {limit}");
        }
    }
}

#[tokio::test]
async fn a_game_made_meanwhile_moves_no_other_from_its_page() {
    let bench = many_games().await;
    let whole = bench.games().await;
    let first = bench.ask(get("/games?limit=4")).await;
    bench.create(9, 1).await;
    let link = first.header("link").unwrap();
    let rest = pages(&bench, link.trim_start_matches('<').split('>').next().unwrap()).await;
    let seen = [first.json().as_array().unwrap().clone(), rest.concat()].concat();
    assert_eq!(seen, whole);
}

#[tokio::test]
async fn pages_stay_the_same_after_a_restart() {
    let mut bench = many_games().await;
    let before = pages(&bench, "/games?limit=4").await;
    bench.restart().await;
    assert_eq!(pages(&bench, "/games?limit=4").await, before);
}

#[tokio::test]
async fn a_parameter_that_is_not_allowed_is_refused_by_its_name() {
    let bench = Bench::new().await;
    for limit in ["0", "1001", "-1", "ten", "", "1.5", "99999999999999999999"] {
        let reply = bench.ask(get(format!("/games?limit={limit}"))).await;
        let detail = reply.refused(422, "invalid-parameter", Some("limit"));
        assert!(detail.contains("from 1 to 1000"), "{detail}");
    }
    for after in ["", "page2", "active.x.y", "ended.1", "gone.1.00000000-0000-4000-8000-000000000001"] {
        let reply = bench.ask(get(format!("/games?after={after}"))).await;
        reply.refused(422, "invalid-parameter", Some("after"));
    }
    assert_eq!(bench.ask(get("/games?limit=1&limit=2")).await.status, 422);
    bench.ask(get("/games?colour=blue")).await.is(200);
}
