//! The first reading of the game service's stream, and the one after a gap: everything that is kept comes again, and what
//! is over is not announced as if it happened now.

use serde_json::{Value, json};
use starkeep_contract::events::{Gap, GapReason};
use starkeep_test_harness::EPOCH;
use starkeep_trading_service::Item;
use uuid::Uuid;

use crate::harness::{A, B, Bench, GAME, WORLD, event, place, tx};

const OLD: Uuid = Uuid::from_u128(0x9b);
const NEW: Uuid = Uuid::from_u128(0x9c);

fn running(game: Uuid, round: u32, player: Uuid) -> Value {
    json!({
        "gameId": game, "status": "running", "gameworldId": WORLD, "startMoney": 200, "roundNumber": round,
        "roundStatus": "command input ended",
        "players": [{"playerId": player, "transactionId": tx(1), "left": false}],
    })
}

/// Received while the stream repeats what is kept; the log ends at 100.
async fn receive_old_games(bench: &Bench) {
    for game in [GAME, OLD] {
        bench.create(game).await;
        bench.join(game, B).await;
        bench.leave(game, B).await;
        bench.join(game, A).await;
        bench.start(game, WORLD).await;
        for number in 1..=2 {
            bench.round_of(game, number, "started").await;
            bench.round_of(game, number, "ended").await;
        }
    }
    bench.end(OLD).await;
}

async fn begin_reading(bench: &Bench) {
    *bench.others.end.lock().unwrap() = place(100);
    *bench.others.rosters.lock().unwrap() = Some(json!([running(GAME, 3, A)]));
    bench.miss_events(false).await.unwrap();
}

#[tokio::test]
async fn what_ended_before_the_first_reading_is_not_announced() {
    let mut bench = Bench::on_file().await;
    begin_reading(&bench).await;
    let before = bench.stored_events().len();
    receive_old_games(&bench).await;
    assert_eq!(bench.stored_events().len(), before);
    assert_eq!(bench.count("stream"), 0, "who starts anew on the way begins with the gap");
    bench.restart().await;
    begin_reading(&bench).await;
    receive_old_games(&bench).await;
    assert_eq!(bench.stored_events().len(), before);
    let accounts = bench.read(&format!("/balances?gameId={GAME}")).await;
    assert_eq!(accounts, json!([{"balance": 200, "playerId": A}]), "the other one left before the start");
    assert_eq!(bench.read("/games").await.as_array().unwrap().len(), 1);

    bench.go_on_at(101);
    bench.create(NEW).await;
    bench.join(NEW, B).await;
    bench.round_of(GAME, 4, "started").await;
    let banks = bench.shown_events("bank-created").await;
    assert_eq!(banks.last().unwrap()["about"], json!({"gameId": NEW, "playerId": B}));
    let prices = bench.shown_events("current-resource-prices").await;
    assert_eq!(prices.last().unwrap()["about"]["roundNumber"], 4);
    assert_eq!(bench.count(&format!("stream WHERE position = '{}'", place(103))), 1);
}

#[tokio::test]
async fn a_gap_is_shown_at_once_and_a_deletion_is_never_too_old() {
    let bench = Bench::on_file().await;
    bench.create(OLD).await;
    bench.join(OLD, A).await;
    begin_reading(&bench).await;
    let health = bench.read("/health").await;
    let detail = health["parts"]["games"]["detail"].as_str().unwrap();
    assert!(detail.contains("events of the game service were missed"), "{detail}");
    assert_eq!(bench.count(&format!("stream WHERE position = '{}'", place(2))), 1, "it comes by again");
    assert_eq!(bench.count(&format!("game WHERE id = x'{}' AND status = 'ended'", OLD.simple())), 1);
    bench.delete(OLD).await;
    assert_eq!(bench.count("game"), 1);
}

/// The items of a round, with their positions.
fn round(number: u32, first: u64) -> Vec<Item> {
    let statuses = ["started", "command input ended", "ended"];
    let round = |(position, status)| {
        let payload = json!({
            "gameId": GAME, "roundId": Uuid::nil(), "roundNumber": number, "roundStatus": status,
        });
        event("roundStatus", &place(position), None, payload)
    };
    (first..).zip(statuses).map(round).collect()
}

#[tokio::test]
async fn what_arrived_together_is_one_commit_in_the_order_of_the_stream() {
    let bench = Bench::on_file().await;
    bench.start_game().await;
    let commits = bench.store().counts().commits;
    let items: Vec<_> = (2..=101).flat_map(|number| round(number, 100 + 3 * u64::from(number))).collect();
    bench.service().record_game_items(EPOCH, items, place(500)).await.unwrap();
    assert_eq!(bench.store().counts().commits - commits, 1);
    let prices = bench.shown_events("current-resource-prices").await;
    let rounds: Vec<_> = prices.iter().map(|event| event["about"]["roundNumber"].as_u64().unwrap()).collect();
    assert_eq!(rounds, (1..=101).collect::<Vec<_>>());
    assert_eq!(bench.read("/balances/101").await.as_array().unwrap().len(), 2);
    assert_eq!(bench.count(&format!("stream WHERE position = '{}'", place(500))), 1);
}

#[tokio::test]
async fn a_gap_among_other_items_is_recorded_where_it_stands() {
    let bench = Bench::on_file().await;
    let payload = json!({"gameId": OLD, "status": "created"});
    let mut items = vec![event("status", &place(1), None, payload.clone())];
    items.push(Item::Gap(Gap { reason: GapReason::Expired, resumes_after: place(2) }));
    items.push(event("status", &place(3), None, payload));
    items.extend(round(4, 21));
    *bench.others.end.lock().unwrap() = place(20);
    *bench.others.rosters.lock().unwrap() = Some(json!([running(GAME, 3, A)]));
    bench.service().record_game_items(EPOCH, items, place(23)).await.unwrap();
    assert_eq!(bench.count(&format!("game WHERE id = x'{}' AND status = 'ended'", OLD.simple())), 1);
    let prices = bench.shown_events("current-resource-prices").await;
    let rounds: Vec<_> = prices.iter().map(|event| event["about"]["roundNumber"].as_u64().unwrap()).collect();
    assert_eq!(rounds, [3, 4]);
}
