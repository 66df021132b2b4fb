//! Scores and receipts of executors that have no event stream: what their topics tell, in whatever order the topics are read, and over
//! restarts.

use std::time::Duration;

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_core::ExecutorKind;
use starkeep_game_service::ports::{BatchFault, ExecutorHealth};
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{EPOCH, StoreKind, get, post, uuid_in};
use uuid::Uuid;

use crate::executor_log::ExecutorLog;
use crate::fake_executor::Reaction;
use crate::harness::{Bench, Setup};
use crate::playing::Match;

const ADAS: Uuid = Uuid::from_u128(0xa1);
const BOBS: Uuid = Uuid::from_u128(0xb1);
const NOBODYS: Uuid = Uuid::nil();
const TOPICS: [&str; 6] = ["movement", "fighting", "mining", "regeneration", "trades", "bank-created"];

/// A game of three rounds of 4 s, beside a robot and a trading service of the existing stack.
struct Outer {
    bench: Bench,
    game: Uuid,
    /// Id, token, and the transaction of the join.
    ada: (Uuid, Uuid, Uuid),
    bob: (Uuid, Uuid, Uuid),
    reading: Option<(Stop, Leader)>,
}

impl Outer {
    async fn new(store: StoreKind) -> Self {
        let setup = Setup { store, dialect: Dialect::Msd, results: true, ..Setup::default() };
        let bench = Bench::with(setup).await;
        let (ada, bob) = (bench.register("ada").await, bench.register("bob").await);
        let game = bench.create(3, 2).await;
        let [ada, bob] = [join(&bench, game, ada).await, join(&bench, game, bob).await];
        bench.start(game).await.is(201);
        let mut it = Self { bench, game, ada, bob, reading: None };
        it.read_topics().await;
        it
    }

    /// Every topic is read from where it was left.
    async fn read_topics(&mut self) {
        let stop = Stop::new();
        let leader = Leader::always(self.bench.clock.clone(), stop.clone());
        let reads = TOPICS.map(|topic| self.bench.topics.reads(topic));
        self.bench.service().robot_results().expect("there is a broker").start(&leader);
        for (topic, reads) in TOPICS.into_iter().zip(reads) {
            self.bench.topics.read(topic, reads + 1).await;
        }
        self.reading = Some((stop, leader));
    }

    async fn stop_reading(&mut self) {
        if let Some((stop, leader)) = self.reading.take() {
            stop.cancel();
            leader.finished().await;
        }
    }

    async fn restart(&mut self) {
        self.stop_reading().await;
        self.bench.restart().await;
        self.read_topics().await;
    }

    /// It is recorded when this returns.
    async fn tell(&self, topic: &str, kind: &str, transaction: Uuid, payload: &Value) {
        let reads = self.bench.topics.reads(topic);
        self.put(topic, kind, transaction, payload);
        self.bench.topics.read(topic, reads + 1).await;
    }

    fn put(&self, topic: &str, kind: &str, transaction: Uuid, payload: &Value) {
        let headers = [
            ("eventId", NOBODYS.to_string()),
            ("transactionId", transaction.to_string()),
            ("version", "1".to_owned()),
            ("timestamp", "2026-11-15T03:14:45Z".to_owned()),
            ("type", kind.to_owned()),
        ];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        self.bench.topics.put_with(topic, &headers, &payload.to_string());
    }

    async fn accounts(&self) {
        for (player, _, join) in [self.ada, self.bob] {
            self.tell("bank-created", "bank-created", join, &json!({"money": 200, "playerId": player})).await;
        }
    }

    async fn bought(&self, command: Uuid, robot: Uuid, player: Uuid) {
        let data = json!([{"id": robot, "player": player}]);
        let trade =
            json!({"data": data, "success": true, "message": "robot-buy successful", "moneyChangedBy": -100});
        self.tell("trades", "buy-robot", command, &trade).await;
    }

    async fn sends(&self, token: Uuid, robot: Option<Uuid>, kind: &str, object: Value) -> Uuid {
        let body = json!({"gameId": self.game, "playerToken": token, "robotId": robot, "commandType": kind,
                          "commandObject": object});
        uuid_in(&self.bench.ask(post("/commands").json(&body)).await.is(201), "transactionId")
    }

    async fn buys(&self, token: Uuid) -> Uuid {
        self.sends(token, None, "buying", json!({"itemName": "ROBOT"})).await
    }

    /// The round's commands are sent, and it is over.
    async fn round_passes(&self) {
        self.bench.beat().await;
        self.bench.advance(3_000).await;
        self.bench.advance(1_000).await;
    }

    async fn score(&self) {
        self.bench.service().round_scoring().step(EPOCH).await.expect("rounds are scored");
    }

    async fn scores(&self) -> Value {
        self.score().await;
        self.bench.ask(get(format!("/games/{}/scores", self.game))).await.is(200)
    }

    async fn rounds(&self) -> Value {
        self.scores().await["rounds"].clone()
    }

    async fn receipt(&self, command: Uuid) -> Value {
        self.bench.ask(get(format!("/commands/{command}")).bearer(&self.ada.1.to_string())).await.is(200)
    }
}

async fn join(bench: &Bench, game: Uuid, (id, token): (Uuid, Uuid)) -> (Uuid, Uuid, Uuid) {
    (id, token, uuid_in(&bench.put_in(game, token).await.is(200), "transactionId"))
}

/// Two robots are bought, and one destroys the other; the topics are read in the given order.
async fn whole_game(trades_last: bool) -> (Outer, Value) {
    let mut it = Outer::new(StoreKind::Sqlite).await;
    if !trades_last {
        it.accounts().await;
    }
    let (first, second) = (it.buys(it.ada.1).await, it.buys(it.bob.1).await);
    it.round_passes().await;
    assert_eq!(it.rounds().await, json!([]), "nothing is known of the purchases");
    if trades_last {
        it.bench.hear_spawned(ADAS, it.ada.0, None).await;
        it.bench.hear_spawned(BOBS, it.bob.0, None).await;
        it.accounts().await;
    }
    it.bought(first, ADAS, it.ada.0).await;
    assert_eq!(it.rounds().await, json!([]), "the other purchase is missing");
    it.restart().await;
    it.bought(second, BOBS, it.bob.0).await;
    assert_eq!(it.rounds().await, json!([1]));
    if !trades_last {
        it.bench.hear_spawned(ADAS, it.ada.0, None).await;
        it.bench.hear_spawned(BOBS, it.bob.0, None).await;
    }
    let fight = it.sends(it.ada.1, Some(ADAS), "battle", json!({"targetId": BOBS})).await;
    it.round_passes().await;
    if trades_last {
        it.bench.hear_destroyed(BOBS, it.bob.0).await;
    }
    let fought = json!({"success": true, "message": "", "attacker": ADAS, "defender": BOBS,
                        "remainingDefenderHealth": 0, "remainingEnergy": 19});
    it.tell("fighting", "fighting", fight, &fought).await;
    if !trades_last {
        assert_eq!(it.rounds().await, json!([1]), "the fight says that a robot falls");
        it.restart().await;
        it.bench.hear_destroyed(BOBS, it.bob.0).await;
    }
    assert_eq!(it.rounds().await, json!([1, 2]));
    let mining = it.sends(it.ada.1, Some(ADAS), "mining", json!({})).await;
    it.round_passes().await;
    assert_eq!(it.receipt(mining).await["state"], "dispatched");
    assert_eq!(it.rounds().await, json!([1, 2]), "the mining has no result");
    it.bench.clock.advance(Duration::from_millis(9_999));
    assert_eq!(it.rounds().await, json!([1, 2]));
    it.bench.clock.advance(Duration::from_millis(1));
    let scores = it.scores().await;
    it.restart().await;
    assert_eq!(it.scores().await, scores, "they are kept");
    (it, scores)
}

#[tokio::test]
async fn scores_are_the_same_in_whatever_order_the_topics_are_read() {
    for trades_last in [false, true] {
        let (mut it, scores) = whole_game(trades_last).await;
        let nothing = [Value::Null, Value::Null, Value::Null];
        let expected = json!({
            "rounds": [1, 2, 3],
            "players": [
                {"playerId": it.ada.0, "name": "ada", "money": [100, 100, 100], "robotsAlive": [1, 1, 1],
                 "mined": nothing, "fightsWon": [0, 1, 1]},
                {"playerId": it.bob.0, "name": "bob", "money": [100, 100, 100], "robotsAlive": [1, 0, 0],
                 "mined": nothing, "fightsWon": [0, 0, 0]},
            ],
        });
        assert_eq!(scores, expected, "trades last: {trades_last}");
        let told: Vec<_> = it.bench.events().into_iter().filter(|event| event.channel == "scores").collect();
        assert_eq!(told.len(), 3);
        let second = json!({"gameId": it.game, "roundNumber": 2, "players": [
            {"playerId": it.ada.0, "money": 100, "robotsAlive": 1, "mined": null, "fightsWon": 1},
            {"playerId": it.bob.0, "money": 100, "robotsAlive": 0, "mined": null, "fightsWon": 0},
        ]});
        assert_eq!(told[1].payload, second);
        let board = it.bench.ask(get(format!("/games/{}/scoreboard", it.game))).await.is(200);
        assert_eq!((&board[0]["playerId"], &board[0]["rank"]), (&json!(it.ada.0), &json!(1)));
        it.stop_reading().await;
    }
}

#[tokio::test]
async fn a_robot_of_a_later_round_does_not_count_for_an_earlier_one() {
    let mut it = Outer::new(StoreKind::Sqlite).await;
    it.accounts().await;
    let first = it.buys(it.ada.1).await;
    it.round_passes().await;
    let second = it.buys(it.bob.1).await;
    it.bench.advance(3_000).await;
    // It is carried out in the second round, and the first one is scored only now.
    it.bench.hear_spawned(BOBS, it.bob.0, None).await;
    it.bought(second, BOBS, it.bob.0).await;
    it.bench.hear_spawned(ADAS, it.ada.0, None).await;
    it.bought(first, ADAS, it.ada.0).await;
    let robots = |scores: &Value, player: usize| scores["players"][player]["robotsAlive"].clone();
    let scores = it.scores().await;
    assert_eq!((robots(&scores, 0), robots(&scores, 1)), (json!([1]), json!([0])));
    it.bench.advance(1_000).await;
    let scores = it.scores().await;
    assert_eq!((robots(&scores, 0), robots(&scores, 1)), (json!([1, 1]), json!([0, 1])));
    it.stop_reading().await;
}

#[tokio::test]
async fn while_topics_cannot_be_read_no_round_is_scored_without_their_trades() {
    let mut it = Outer::new(StoreKind::Memory).await;
    it.accounts().await;
    let bought = it.buys(it.ada.1).await;
    it.stop_reading().await;
    it.round_passes().await;
    for _ in 0..2 {
        assert_eq!(it.rounds().await, json!([]), "the trade may be in the topic");
        it.bench.clock.advance(Duration::from_secs(10));
    }
    it.read_topics().await;
    assert_eq!(it.rounds().await, json!([]), "there is time to read it");
    it.bought(bought, ADAS, it.ada.0).await;
    let scores = it.scores().await;
    assert_eq!((&scores["rounds"], &scores["players"][0]["money"]), (&json!([1]), &json!([100])));
    it.stop_reading().await;
}

#[tokio::test]
async fn a_trade_that_is_told_after_its_round_was_scored_counts_from_the_next_one_on() {
    for store in [StoreKind::Memory, StoreKind::Sqlite] {
        let mut it = Outer::new(store).await;
        it.accounts().await;
        let bought = it.buys(it.ada.1).await;
        it.round_passes().await;
        assert_eq!(it.rounds().await, json!([]));
        it.bench.clock.advance(Duration::from_secs(10));
        assert_eq!(it.scores().await["players"][0]["money"], json!([200]));
        for _ in 0..2 {
            it.bought(bought, ADAS, it.ada.0).await;
        }
        let board = it.bench.ask(get(format!("/games/{}/scoreboard", it.game))).await.is(200);
        let ada = board.as_array().unwrap().iter().find(|row| row["name"] == "ada").unwrap();
        assert_eq!(ada["money"], 100);
        it.round_passes().await;
        assert_eq!(it.scores().await["players"][0]["money"], json!([200, 100]));
        it.stop_reading().await;
    }
}

#[tokio::test]
async fn what_was_known_of_a_game_stays_so_when_the_executors_are_others() {
    let (mut it, scores) = whole_game(false).await;
    it.stop_reading().await;
    let board = async |it: &Outer| it.bench.ask(get(format!("/games/{}/scoreboard", it.game))).await.is(200);
    let rows = board(&it).await;
    assert_eq!((&rows[0]["robotsAlive"], &rows[0]["mined"]), (&json!(1), &Value::Null));
    for streams in [false, true] {
        it.bench.restart_with(Setup { streams, dialect: Dialect::Msd, ..Setup::default() }).await;
        assert_eq!((it.scores().await, board(&it).await), (scores.clone(), rows.clone()));
    }
}

#[tokio::test]
async fn topics_are_read_also_where_an_executor_had_a_stream_before() {
    let setup = Setup { streams: true, results: true, ..Setup::default() };
    let mut it = Match::with(setup).await;
    let mut log = ExecutorLog::of(ExecutorKind::Trading);
    log.account(it.game, it.ada.0, 200);
    log.read_all(it.bench.service()).await;
    it.bench.restart().await;
    // That it carries a batch out more than once says that it has no stream.
    it.bench.trading.set_health(Ok(ExecutorHealth::default()));
    it.bench.start_tasks();
    it.bench.topics.read("trades", 1).await;
    let id = it.ada_sends("selling", json!({})).await;
    it.bench.topics.put("trades", &[("transactionId", &id.to_string()), ("type", "sell-resource")]);
    it.bench.topics.read("trades", 2).await;
    it.bench.stop_tasks().await;
    let receipt = it.bench.ask(get(format!("/commands/{id}")).bearer(&it.ada.1.to_string())).await.is(200);
    assert_eq!(receipt["result"]["type"], "sell-resource");
}

#[tokio::test]
async fn a_result_settles_a_receipt_that_says_unknown() {
    let mut it = Outer::new(StoreKind::Memory).await;
    it.bench.trading.then(Reaction::Fail(BatchFault::Unclear("500".into())));
    let (bought, other) = (it.buys(it.ada.1).await, it.buys(it.ada.1).await);
    it.round_passes().await;
    assert_eq!(it.receipt(bought).await["state"], "unknown");
    it.bought(bought, ADAS, it.ada.0).await;
    let receipt = it.receipt(bought).await;
    assert_eq!((&receipt["state"], &receipt["result"]["type"]), (&json!("dispatched"), &json!("buy-robot")));
    assert_eq!(it.receipt(other).await["state"], "unknown", "the rest of the batch may be lost");
    it.stop_reading().await;
}

#[tokio::test]
async fn results_that_come_while_the_service_is_down_are_in_the_receipts() {
    let mut it = Outer::new(StoreKind::Sqlite).await;
    let commands = [it.buys(it.ada.1).await, it.buys(it.ada.1).await, it.buys(it.ada.1).await];
    it.bought(commands[0], ADAS, it.ada.0).await;
    it.stop_reading().await;
    let failed = json!({"data": null, "success": false, "message": "", "moneyChangedBy": 0});
    it.put("trades", "buy-error", commands[1], &failed);
    it.restart().await;
    // What was put before is read before it.
    it.tell("trades", "buy-error", commands[2], &failed).await;
    it.tell("trades", "buy-error", NOBODYS, &failed).await;
    for command in commands {
        assert!(!it.receipt(command).await["result"].is_null());
    }
    it.stop_reading().await;
}
