//! Events of the game and map services: accounts, games that come and go, and what is done where events were missed.

use serde_json::{Value, json};
use starkeep_test_harness::{EPOCH, get};
use uuid::Uuid;

use crate::harness::{A, B, Bench, GAME, WORLD, batch, buy_robots, place, planet, tx};

const OTHER: Uuid = Uuid::from_u128(0x9b);

#[tokio::test]
async fn a_player_who_joins_gets_an_account_once() {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    bench.join_with(GAME, A, 350).await;
    bench.join_with(GAME, A, 350).await;
    bench.join_with(GAME, B, 0).await;
    let banks: Vec<_> = bench.published("bank-created").into_iter().map(|event| event.1).collect();
    assert_eq!(banks, [json!({"money": 350, "playerId": A}), json!({"money": 0, "playerId": B})]);
    let shown = bench.shown_events("bank-created").await;
    assert_eq!(shown[0]["about"], json!({"gameId": GAME, "playerId": A}));
    assert_eq!(shown[0]["headers"]["transactionId"], json!(tx(0x100 + A.as_u128())));
    let players = bench.read("/players").await;
    assert_eq!(players[0], json!({"playerId": A, "moneyAmount": 350, "balanceHistory": {"0": 350}}));
}

#[tokio::test]
async fn what_is_received_again_changes_nothing() {
    let bench = Bench::game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    let before = bench.stored_events().len();
    bench.start_game().await;
    assert_eq!(bench.stored_events().len(), before);
    assert_eq!(bench.money(A).await, 100);
}

#[tokio::test]
async fn games_do_not_disturb_each_other() {
    let bench = Bench::game().await;
    bench.create(OTHER).await;
    bench.join_with(OTHER, A, 500).await;
    bench.world(Uuid::from_u128(0x3e), &[planet(20)]).await;
    bench.start(OTHER, Uuid::from_u128(0x3e)).await;
    bench.end(OTHER).await;
    bench.delete(OTHER).await;
    assert_eq!(bench.money(A).await, 200);
    assert_eq!(bench.read(&format!("/stations?gameId={GAME}")).await.as_array().unwrap().len(), 4);
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    bench.assert_settled().await;
}

#[tokio::test]
async fn leaving_closes_the_account_before_the_start_only() {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    bench.join(GAME, A).await;
    bench.join(GAME, B).await;
    bench.leave(GAME, A).await;
    assert_eq!(bench.read("/balances").await, json!([{"balance": 200, "playerId": B}]));
    bench.start(GAME, WORLD).await;
    bench.leave(GAME, B).await;
    assert_eq!(bench.read("/balances").await, json!([{"balance": 200, "playerId": B}]));
}

#[tokio::test]
async fn the_stations_of_a_game_are_those_of_its_world_whichever_comes_first() {
    let bench = Bench::in_memory().await;
    bench.world(WORLD, &[planet(1), planet(2)]).await;
    for (game, world) in [(GAME, WORLD), (OTHER, Uuid::from_u128(0x3e))] {
        bench.create(game).await;
        bench.start(game, world).await;
    }
    bench.world(Uuid::from_u128(0x3e), &[planet(7)]).await;
    let stations = |game: Uuid| format!("/stations?gameId={game}");
    let shown = |numbers: &[u128]| {
        json!(numbers.iter().map(|number| json!({"planetId": planet(*number)})).collect::<Vec<_>>())
    };
    assert_eq!(bench.read(&stations(GAME)).await, shown(&[1, 2]));
    assert_eq!(bench.read(&stations(OTHER)).await, shown(&[7]));
}

#[tokio::test]
async fn a_world_that_the_stream_did_not_bring_is_asked_for() {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    bench.start(GAME, WORLD).await;
    let task = bench.service().missing_worlds();
    task.step(EPOCH).await.unwrap();
    assert_eq!(bench.read("/stations").await, json!([]), "the map does not know it either");
    bench.others.worlds.lock().unwrap().push((WORLD, vec![planet(3)]));
    task.step(EPOCH).await.unwrap();
    assert_eq!(bench.read("/stations").await, json!([{"planetId": planet(3)}]));
}

#[tokio::test]
async fn unplayed_worlds_do_not_pile_up() {
    let bench = Bench::on_file().await;
    for number in 0..1010 {
        bench.world(Uuid::from_u128(0x10_0000 + number), &[planet(1)]).await;
    }
    assert_eq!(bench.documents("unclaimed-world"), 1000);
    // The newest are kept.
    bench.create(GAME).await;
    bench.start(GAME, Uuid::from_u128(0x10_0000 + 1009)).await;
    assert_eq!(bench.read("/stations").await, json!([{"planetId": planet(1)}]));
}

fn roster(game: Uuid, round: u32, players: &[Uuid]) -> Value {
    let players: Vec<_> = players
        .iter()
        .map(|player| json!({"playerId": player, "transactionId": tx(player.as_u128()), "left": false}))
        .collect();
    json!({
        "gameId": game, "status": "running", "gameworldId": WORLD, "startMoney": 200, "roundNumber": round,
        "roundStatus": "command input ended", "players": players,
    })
}

#[tokio::test]
async fn after_a_gap_the_games_are_asked_for_and_health_says_so() {
    let bench = Bench::game().await;
    bench.create(OTHER).await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    let fault = bench.miss_events(false).await.unwrap_err();
    assert!(fault.contains("nobody is there"), "{fault}");
    let health = bench.read("/health").await;
    assert_eq!(health["parts"]["games"]["status"], "degraded");

    let late = Uuid::from_u128(0xc);
    *bench.others.rosters.lock().unwrap() =
        Some(json!({"games": [roster(GAME, 4, &[A, B, late])], "endedGames": [OTHER]}));
    bench.miss_events(false).await.unwrap();
    let health = bench.read("/health").await;
    assert_eq!(health["parts"]["games"]["status"], "ok");
    let detail = health["parts"]["games"]["detail"].as_str().unwrap();
    assert!(detail.contains("events of the game service were missed"), "{detail}");
    assert_eq!((bench.money(A).await, bench.money(late).await), (100, 200));
    let games = bench.read("/games").await;
    assert_eq!(games[0]["currentRound"], 4);
    assert_eq!(games[1]["roundStatus"], "init");
    let ended = batch(&[buy_robots(tx(2), A, 1)]).header("starkeep-game", &OTHER.to_string());
    bench.ask(ended).await.refused(409, "game-ended", None);
    let rounds: Vec<_> = bench.shown_events("current-resource-prices").await;
    assert_eq!(rounds.last().unwrap()["about"]["roundNumber"], 4, "its prices are published");
    // What the stream brings afterwards is old.
    let before = bench.stored_events().len();
    bench.round(3, "started").await;
    bench.round(4, "started").await;
    bench.join(GAME, late).await;
    assert_eq!(bench.stored_events().len(), before);
    bench.assert_settled().await;
}

#[tokio::test]
async fn who_left_unnoticed_before_the_start_has_no_account() {
    let bench = Bench::in_memory().await;
    bench.create(GAME).await;
    bench.join(GAME, A).await;
    bench.join(GAME, B).await;
    let mut created = roster(GAME, 0, &[B]);
    created["status"] = json!("created");
    created["gameworldId"] = Value::Null;
    created["roundStatus"] = json!("init");
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [created], "endedGames": []}));
    bench.miss_events(false).await.unwrap();
    assert_eq!(bench.read("/balances").await, json!([{"balance": 200, "playerId": B}]));
}

#[tokio::test]
async fn what_was_deleted_unnoticed_is_gone_and_what_ended_stays_readable() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    let ended = Uuid::from_u128(0x9d);
    for game in [OTHER, ended] {
        bench.create(game).await;
        bench.join(game, A).await;
        bench.end(game).await;
    }
    // Both ended games are in the tables only.
    bench.restart().await;
    // The running one was deleted, too: it ended without a word.
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [], "endedGames": [ended]}));
    bench.miss_events(false).await.unwrap();
    for is_restarted in [false, true] {
        if is_restarted {
            bench.restart().await;
        }
        for kind in ["game", "account"] {
            assert_eq!(bench.documents(kind), 1, "{kind}");
        }
        let accounts = bench.read(&format!("/balances?gameId={ended}")).await;
        assert_eq!(accounts, json!([{"balance": 200, "playerId": A}]));
        for game in [GAME, OTHER] {
            assert_eq!(bench.ask(get(format!("/balances?gameId={game}"))).await.status, 404);
        }
    }
    bench.assert_settled().await;
}

#[tokio::test]
async fn who_is_taken_out_of_a_running_game_keeps_the_account() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    let before = bench.stored_events().len();
    bench.leave(GAME, A).await;
    assert_eq!(bench.stored_events().len(), before, "nothing is told of it");
    // What was accepted before is carried out.
    bench.execute(&[buy_robots(tx(2), A, 1)]).await;
    let before = bench.stored_events().len();
    let mut taken_out = roster(GAME, 1, &[A, B]);
    taken_out["players"][0]["left"] = json!(true);
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [taken_out], "endedGames": []}));
    for has_gap in [false, true] {
        if has_gap {
            bench.restart().await;
            bench.miss_events(false).await.unwrap();
        }
        assert_eq!((bench.money(A).await, bench.money(B).await), (0, 200));
        assert_eq!(bench.stored_events().len(), before, "no account is opened");
        bench.assert_settled().await;
    }
}

/// A stream that was read up to there.
fn stands(number: u64) -> String {
    format!("document WHERE kind = 'stream' AND body LIKE '%{}%'", place(number))
}

#[tokio::test]
async fn the_place_in_a_stream_is_kept_with_what_was_learned() {
    let mut bench = Bench::on_file().await;
    bench.create(GAME).await;
    bench.world(WORLD, &[planet(1)]).await;
    bench.join(GAME, A).await;
    // Another event says the same and more, so it is not worth a commit.
    bench.receive("status", None, json!({"gameId": GAME, "status": "started"})).await;
    for _ in 0..2 {
        assert_eq!(bench.count(&stands(3)), 1);
        assert_eq!(bench.count(&stands(2)), 1);
        bench.restart().await;
    }
    assert_eq!(bench.documents("account"), 1);
}

#[tokio::test]
async fn the_first_reading_of_a_stream_is_no_gap() {
    let bench = Bench::in_memory().await;
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [roster(GAME, 1, &[A])], "endedGames": []}));
    bench.miss_events(false).await.unwrap();
    bench.miss_events(true).await.unwrap();
    assert_eq!(bench.read("/health").await["parts"]["games"]["detail"], "1 games are followed");
    bench.miss_events(true).await.unwrap();
    let detail = bench.read("/health").await["parts"]["games"]["detail"].clone();
    assert!(detail.as_str().unwrap().contains("events of the map service were missed"), "{detail}");
}

#[tokio::test]
async fn a_game_stays_readable_after_its_end_and_is_gone_when_it_is_deleted() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    bench.round(1, "ended").await;
    bench.end(GAME).await;
    for is_restarted in [false, true] {
        if is_restarted {
            bench.restart().await;
        }
        assert_eq!(bench.money(A).await, 100);
        for path in ["/players", "/stations", "/resources/history/price", "/balances/1", "/items"] {
            let shown = bench.read(&format!("{path}?gameId={GAME}")).await;
            assert!(!shown.as_array().unwrap().is_empty(), "{path}");
        }
    }
    assert_eq!(bench.read("/balances").await.as_array().unwrap().len(), 2, "it is the newest");
    bench.delete(GAME).await;
    bench.ask(get(format!("/balances?gameId={GAME}"))).await.refused(404, "unknown-game", None);
    for left in ["document WHERE kind <> 'stream'", "lookup"] {
        assert_eq!(bench.count(left), 0, "{left}");
    }
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_left_out() {
    let bench = Bench::in_memory().await;
    bench.receive("roundStatus", None, json!({"gameId": 7})).await;
    bench.receive("gameworld-created", None, json!({"id": 7})).await;
    bench.start_game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
}
