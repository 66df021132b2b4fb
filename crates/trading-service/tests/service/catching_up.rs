//! The first reading of the game service's stream, and the one after a gap: everything that is kept comes again, and what
//! is over is not announced as if it happened now.

use serde_json::{Value, json};
use starkeep_contract::events::{Gap, GapReason};
use starkeep_test_harness::{EPOCH, get};
use starkeep_trading_service::Item;
use uuid::Uuid;

use crate::harness::{A, B, Bench, GAME, WORLD, buy_robots, event, place, planet, sell, tx};

const OLD: Uuid = Uuid::from_u128(0x9b);
const NEW: Uuid = Uuid::from_u128(0x9c);
const ROBOT: Uuid = Uuid::from_u128(0xcafe);

fn running(game: Uuid, round: u32, player: Uuid) -> Value {
    json!({
        "gameId": game, "status": "running", "gameworldId": WORLD, "startMoney": 200, "roundNumber": round,
        "roundStatus": "command input ended",
        "players": [{"playerId": player, "transactionId": tx(1), "left": false}],
    })
}

/// The rounds of the prices of a resource, and those of the balances of A.
async fn rounds_of(bench: &Bench, game: Uuid) -> (Vec<u32>, Vec<u32>) {
    let prices = bench.read(&format!("/resources/history/price?gameId={game}")).await;
    let players = bench.read(&format!("/players?gameId={game}")).await;
    let of_a = players.as_array().unwrap().iter().find(|player| player["playerId"] == json!(A)).unwrap();
    let rounds = |history: &Value| {
        let rounds = history.as_object().unwrap().keys().map(|round| round.parse().unwrap());
        let mut rounds: Vec<u32> = rounds.collect();
        rounds.sort_unstable();
        rounds
    };
    (rounds(&prices[0]["history"]), rounds(&of_a["balanceHistory"]))
}

#[tokio::test]
async fn rounds_that_were_missed_have_their_prices_and_balances() {
    let mut bench = Bench::on_file().await;
    bench.start_game().await;
    bench.robots.put(ROBOT, A, planet(1), [60, 0, 0, 0, 0]);
    bench.execute(&[sell(tx(1), A, ROBOT, None)]).await;
    // The end of round 1 and all of the rounds 2 to 8 are missed.
    let mut roster = running(GAME, 9, A);
    let b = json!({"playerId": B, "transactionId": tx(2), "left": false});
    roster["players"].as_array_mut().unwrap().push(b);
    roster["roundStatus"] = json!("started");
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [roster], "endedGames": []}));
    *bench.others.end.lock().unwrap() = place(100);
    bench.miss_events(false).await.unwrap();

    for is_restarted in [false, true] {
        if is_restarted {
            bench.restart().await;
        }
        assert_eq!(rounds_of(&bench, GAME).await, ((0..=9).collect(), (0..=8).collect()));
        for round in 1..=8 {
            let noted = bench.read(&format!("/balances/{round}")).await;
            let expected = [(A, 500), (B, 200)]
                .map(|(player, balance)| json!({"round": round, "balance": balance, "playerId": player}));
            assert_eq!(noted, json!(expected), "round {round}");
        }
        // 60 were sold in round 1: the price falls by the third, and recovers when five rounds have passed.
        let coal = bench.read("/resources/history/price").await[0]["history"].clone();
        let prices: Vec<_> = (1..=9).map(|round: u32| coal[round.to_string()].as_u64().unwrap()).collect();
        assert_eq!(prices, [5, 2, 2, 2, 2, 2, 5, 5, 5]);
        bench.assert_settled().await;
    }
    for channel in ["current-item-prices", "current-resource-prices"] {
        let published = bench.shown_events(channel).await;
        let rounds: Vec<_> = published.iter().map(|event| event["about"]["roundNumber"].as_u64()).collect();
        assert_eq!(rounds, [Some(1), Some(9)], "{channel}: what is over is not published as current");
    }
    // The rounds go on, whether or not the stream repeats what was missed.
    for number in 2..=8 {
        bench.round(number, "started").await;
        bench.round(number, "ended").await;
    }
    bench.go_on_at(101);
    bench.next_round(10).await;
    assert_eq!(rounds_of(&bench, GAME).await, ((0..=10).collect(), (0..=9).collect()));
    assert_eq!(bench.read("/balances/9").await[0]["balance"], 500);
}

#[tokio::test]
async fn the_last_round_of_a_game_whose_end_was_missed_has_its_balances() {
    let bench = Bench::on_file().await;
    bench.start_game().await;
    bench.execute(&[buy_robots(tx(1), A, 1)]).await;
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [], "endedGames": [GAME]}));
    bench.miss_events(false).await.unwrap();
    let noted = bench.read(&format!("/balances/1?gameId={GAME}")).await;
    assert_eq!(noted[0], json!({"round": 1, "balance": 100, "playerId": A}));
    // They are noted once, whichever of the two ends comes first.
    bench.round(1, "ended").await;
    assert_eq!(rounds_of(&bench, GAME).await, (vec![0, 1], vec![0, 1]));
}

#[tokio::test]
async fn of_rounds_before_a_game_was_known_nothing_is_made_up() {
    let bench = Bench::in_memory().await;
    *bench.others.rosters.lock().unwrap() = Some(json!({"games": [running(GAME, 50, A)], "endedGames": []}));
    bench.miss_events(false).await.unwrap();
    assert_eq!(rounds_of(&bench, GAME).await, (vec![0, 50], vec![0]));
    bench.ask(get("/balances/49")).await.refused(404, "unknown-round", None);
}

#[tokio::test]
async fn a_very_long_absence_is_made_up_for_in_part() {
    let bench = Bench::on_file().await;
    bench.start_game().await;
    *bench.others.rosters.lock().unwrap() =
        Some(json!({"games": [running(GAME, 1_000_000, A)], "endedGames": []}));
    bench.miss_events(false).await.unwrap();
    let (prices, balances) = rounds_of(&bench, GAME).await;
    assert_eq!((prices.len(), prices.last()), (2 + 1000 + 1, Some(&1_000_000)));
    assert_eq!((balances.len(), balances.last()), (2 + 1000, Some(&999_999)));
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
    *bench.others.rosters.lock().unwrap() =
        Some(json!({"games": [running(GAME, 3, A)], "endedGames": [OLD]}));
    bench.miss_events(false).await.unwrap();
}

#[tokio::test]
async fn what_ended_before_the_first_reading_is_not_announced() {
    let mut bench = Bench::on_file().await;
    begin_reading(&bench).await;
    let before = bench.stored_events().len();
    receive_old_games(&bench).await;
    assert_eq!(bench.stored_events().len(), before);
    assert_eq!(bench.documents("stream"), 0, "who starts anew on the way begins with the gap");
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
    assert_eq!(bench.count(&format!("document WHERE kind = 'stream' AND body LIKE '%{}%'", place(103))), 1);
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
    assert_eq!(
        bench.count(&format!("document WHERE kind = 'stream' AND body LIKE '%{}%'", place(2))),
        1,
        "it comes by again"
    );
    assert_eq!(bench.count("document WHERE kind = 'game' AND body LIKE '%\"status\":\"ended\"%'"), 1);
    bench.delete(OLD).await;
    assert_eq!(bench.documents("game"), 1);
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
    bench.service().record_game_items(EPOCH, &items, place(500)).await.unwrap();
    assert_eq!(bench.store().counts().commits - commits, 1);
    let prices = bench.shown_events("current-resource-prices").await;
    let rounds: Vec<_> = prices.iter().map(|event| event["about"]["roundNumber"].as_u64().unwrap()).collect();
    assert_eq!(rounds, (1..=101).collect::<Vec<_>>());
    assert_eq!(bench.read("/balances/101").await.as_array().unwrap().len(), 2);
    assert_eq!(bench.count(&format!("document WHERE kind = 'stream' AND body LIKE '%{}%'", place(500))), 1);
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
    *bench.others.rosters.lock().unwrap() =
        Some(json!({"games": [running(GAME, 3, A)], "endedGames": [OLD]}));
    bench.service().record_game_items(EPOCH, &items, place(23)).await.unwrap();
    assert_eq!(bench.count("document WHERE kind = 'game' AND body LIKE '%\"status\":\"ended\"%'"), 1);
    let prices = bench.shown_events("current-resource-prices").await;
    let rounds: Vec<_> = prices.iter().map(|event| event["about"]["roundNumber"].as_u64().unwrap()).collect();
    assert_eq!(rounds, [3, 4]);
}
