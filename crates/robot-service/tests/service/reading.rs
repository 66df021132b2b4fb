//! Who sees which robots: their owner, services and the host in the standard dialect, everybody in the msd dialect.

use serde_json::json;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::service::FrameConfig;
use starkeep_robot_service::Config;
use starkeep_test_harness::{StoreKind, get};
use uuid::Uuid;

use crate::harness::{Bench, GAME, config, ids, open_config, player, spawning, tx};

fn with_tokens(config: Config, admin: Option<&str>, service: Option<&str>) -> Config {
    let frame = FrameConfig { admin_token: AdminToken::new(admin.map(str::to_owned)), ..config.frame };
    Config { frame, service_token: AdminToken::new(service.map(str::to_owned)), ..config }
}

async fn with_robot(config: Config) -> (Bench, Uuid) {
    let bench = Bench::with(config, StoreKind::Memory).await;
    let planets = bench.two_planets(9);
    bench.start_game(GAME).await;
    let spawn = spawning(player(1), tx(1), &[planets.station]).bearer("service");
    let robot = ids(&bench.ask(spawn).await.is(201))[0];
    bench.game_service.know("one", player(1));
    bench.game_service.know("two", player(2));
    (bench, robot)
}

#[tokio::test]
async fn in_the_standard_dialect_robots_are_shown_to_their_owner_and_to_services() {
    let (bench, robot) = with_robot(with_tokens(config(), None, Some("service"))).await;
    for path in [format!("/robots/{robot}"), format!("/robots?player-id={}", player(1))] {
        bench.ask(get(&path)).await.refused(401, "player-token-needed", None);
        bench.ask(get(&path).bearer("two")).await.refused(401, "player-token-needed", None);
        bench.ask(get(&path).bearer("nobody")).await.refused(401, "unknown-token", None);
        for token in ["one", "service"] {
            let shown = bench.ask(get(&path).bearer(token)).await.is(200);
            let shown = if shown.is_array() { shown } else { json!([shown]) };
            assert_eq!(ids(&shown), [robot]);
        }
        bench.game_service.set_away(true);
        bench.ask(get(&path).bearer("one")).await.refused(503, "game-unavailable", None);
        bench.game_service.set_away(false);
    }
    let others = bench.ask(get(format!("/robots?player-id={}", player(2))).bearer("two")).await;
    assert_eq!(others.is(200), json!([]));
    bench.ask(get(format!("/robots/{}", Uuid::nil()))).await.refused(401, "player-token-needed", None);
    let unknown = bench.ask(get(format!("/robots/{}", Uuid::nil())).bearer("one")).await;
    let text = unknown.refused(404, "unknown-robot", None);
    assert_eq!(text, format!("Robot with ID {} not found", Uuid::nil()));
    // The host's view is open where there is no admin token.
    assert_eq!(ids(&bench.ask(get(format!("/robots?game-id={GAME}"))).await.is(200)), [robot]);
}

#[tokio::test]
async fn all_robots_of_a_game_are_for_the_host() {
    let (bench, robot) = with_robot(with_tokens(config(), Some("admin"), Some("service"))).await;
    let path = format!("/robots?game-id={GAME}");
    bench.ask(get(&path)).await.refused(401, "unauthorized", None);
    bench.ask(get(&path).bearer("one")).await.refused(401, "unauthorized", None);
    for token in ["admin", "service"] {
        assert_eq!(ids(&bench.ask(get(&path).bearer(token)).await.is(200)), [robot]);
        assert_eq!(bench.ask(get(format!("/robots/{robot}")).bearer(token)).await.status, 200);
    }
    let of_nobody = format!("{path}&player-id={}", player(2));
    assert_eq!(bench.ask(get(of_nobody).bearer("admin")).await.is(200), json!([]));
    // Its own robots are a player's to see, also where the game has ended.
    let of_one = format!("{path}&player-id={}", player(1));
    for is_ended in [false, true] {
        if is_ended {
            bench.roster(GAME, "ended").await;
        }
        assert_eq!(ids(&bench.ask(get(&of_one).bearer("one")).await.is(200)), [robot]);
        bench.ask(get(&of_one).bearer("two")).await.refused(401, "player-token-needed", None);
        bench.ask(get(&of_one)).await.refused(401, "player-token-needed", None);
    }
    let of_another = format!("/robots?game-id={}", Uuid::nil());
    assert_eq!(bench.ask(get(of_another).bearer("admin")).await.is(200), json!([]));
}

#[tokio::test]
async fn in_the_msd_dialect_robots_are_shown_to_everybody() {
    let (bench, robot) = with_robot(with_tokens(open_config(), None, Some("service"))).await;
    assert_eq!(ids(&bench.ask(get(format!("/robots?player-id={}", player(1)))).await.is(200)), [robot]);
    assert_eq!(bench.ask(get(format!("/robots?player-id={}", player(2)))).await.is(200), json!([]));
    assert_eq!(bench.ask(get(format!("/robots/{robot}"))).await.status, 200);
    bench.ask(get("/robots")).await.refused(400, "request-not-accepted", Some("player-id"));
    bench.ask(get("/robots?player-id=ada")).await.refused(400, "request-not-accepted", Some("player-id"));
    bench.ask(get("/robots?game-id=")).await.refused(400, "request-not-accepted", Some("game-id"));
    bench.ask(get("/robots/r2")).await.refused(400, "request-not-accepted", Some("robotId"));
}

/// Robots of ended games are read by their id and by their game until that is deleted.
#[tokio::test]
async fn robots_of_ended_games_stay_readable_until_the_game_is_deleted() {
    let (bench, robot) = with_robot(open_config()).await;
    let (by_id, by_game) = (format!("/robots/{robot}"), format!("/robots?game-id={GAME}"));
    let by_both = format!("{by_game}&player-id={}", player(1));
    let by_player = format!("/robots?player-id={}", player(1));
    assert_eq!(ids(&bench.ask(get(&by_player)).await.is(200)), [robot]);
    bench.roster(GAME, "ended").await;
    assert_eq!(bench.ask(get(&by_player)).await.is(200), json!([]));
    let shown = bench.ask(get(&by_id)).await.is(200);
    for path in [&by_game, &by_both] {
        assert_eq!(bench.ask(get(path)).await.is(200), json!([shown]));
    }
    bench.roster(GAME, "deleted").await;
    assert_eq!(bench.ask(get(&by_game)).await.is(200), json!([]));
    bench.ask(get(&by_id)).await.refused(404, "unknown-robot", None);
}

#[tokio::test]
async fn without_any_token_services_of_other_processes_see_robots_and_players_only_their_own() {
    let (bench, robot) = with_robot(with_tokens(config(), None, None)).await;
    let path = format!("/robots/{robot}");
    assert_eq!(bench.ask(get(&path)).await.status, 200);
    assert_eq!(bench.ask(get(&path).bearer("one")).await.status, 200);
    bench.ask(get(&path).bearer("two")).await.refused(401, "player-token-needed", None);
}
