//! What the game address offers beside games: its health, its figures, its contract and the docs.
//! How they are made is tested in the platform; here is what this service puts into them.

use serde_json::json;
use starkeep_test_harness::get;

use crate::harness::Bench;

#[tokio::test]
async fn health_names_the_parts_and_counts_the_worlds_to_retire() {
    let bench = Bench::new().await;
    let health = bench.ask(get("/health")).await.is(200);
    assert_eq!((health["status"].as_str(), health["service"].as_str()), (Some("ok"), Some("game")));
    assert_eq!(health["dialect"], "standard");
    let game = bench.create(5, 3).await;
    bench.end(game).await.is(201);
    let health = bench.ask(get("/health")).await.is(200);
    assert_eq!(health["status"], "degraded");
    assert!(health["parts"]["map"]["detail"].as_str().unwrap().contains('1'), "{health}");
    bench.care().await.unwrap();
    assert_eq!(bench.ask(get("/health")).await.is(200)["status"], "ok");
}

#[tokio::test]
async fn the_figures_follow_the_games() {
    let bench = Bench::in_memory().await;
    bench.running(5).await;
    bench.create(5, 3).await;
    let text = bench.metrics().await;
    for line in ["starkeep_games_active 2", "starkeep_games_running 1", "starkeep_worlds_to_retire 0"] {
        assert!(text.lines().any(|known| known == line), "no `{line}` in {text}");
    }
    assert!(text.contains("route=\"/games\""), "{text}");
}

#[tokio::test]
async fn no_figure_and_no_route_shows_an_id() {
    let bench = Bench::in_memory().await;
    let game = bench.running(5).await;
    bench.game(game).await;
    assert!(!bench.metrics().await.contains(&game.to_string()));
}

#[tokio::test]
async fn the_contract_lists_every_endpoint() {
    let bench = Bench::in_memory().await;
    let contract = bench.ask(get("/openapi.json")).await.is(200);
    for (path, method) in [
        ("/games", "get"),
        ("/games", "post"),
        ("/games/{gameId}", "get"),
        ("/games/{gameId}", "delete"),
        ("/games/{gameId}/maxRounds", "patch"),
        ("/games/{gameId}/duration", "patch"),
        ("/games/{gameId}/gameCommands/start", "post"),
        ("/games/{gameId}/gameCommands/end", "post"),
        ("/games/{gameId}/time", "get"),
    ] {
        assert!(contract["paths"][path][method].is_object(), "{method} {path}");
    }
}

#[tokio::test]
async fn pages_of_any_origin_may_ask() {
    let bench = Bench::in_memory().await;
    let reply = bench.ask(get("/games").header("origin", "http://elsewhere")).await;
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn clients_are_told_where_all_services_are() {
    let bench = Bench::new().await;
    let told = bench.ask(get("/services").header("host", "games.example:9000")).await.is(200);
    let expected = json!({
        "game": "http://games.example:8080", "map": "http://map.example:8081", "robot": null, "trading": null,
    });
    assert_eq!(told, expected);
}
