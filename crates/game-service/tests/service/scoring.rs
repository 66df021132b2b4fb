//! What executors' events make of a game: results in receipts, the scoreboard, and the scores of every round.

use serde_json::{Value, json};
use starkeep_contract::events::Channel;
use starkeep_game_core::ExecutorKind;
use starkeep_test_harness::{EPOCH, StoreKind, delete, get, post, uuid_in};
use uuid::Uuid;

use crate::executor_log::{ExecutorLog, Whom};
use crate::harness::{Bench, Setup};

/// A game of five rounds of 4 s in which Ada and Bob each buy a robot, mine, fight and sell.
pub(crate) struct Scored {
    pub(crate) bench: Bench,
    pub(crate) game: Uuid,
    pub(crate) ada: (Uuid, Uuid),
    pub(crate) bob: (Uuid, Uuid),
    pub(crate) trading: ExecutorLog,
    pub(crate) robots: ExecutorLog,
    /// The half phases that have passed: in the first of a round's two commands are sent and carried out.
    pub(crate) played: u32,
}

pub(crate) const ROUNDS: u32 = 5;
pub(crate) const ADAS: Uuid = Uuid::from_u128(0xa1);
const BOBS: Uuid = Uuid::from_u128(0xb1);

impl Scored {
    pub(crate) async fn with(setup: Setup) -> Self {
        let bench = Bench::with(Setup { streams: true, ..setup }).await;
        let (ada, bob) = (bench.register("ada").await, bench.register("bob").await);
        let game = bench.create(ROUNDS, 2).await;
        bench.put_in(game, ada.1).await.is(200);
        bench.put_in(game, bob.1).await.is(200);
        bench.start(game).await.is(201);
        bench.spawn(ADAS, ada.0).await;
        bench.spawn(BOBS, bob.0).await;
        let mut trading = ExecutorLog::of(ExecutorKind::Trading);
        trading.account(game, ada.0, 200);
        trading.account(game, bob.0, 200);
        let robots = ExecutorLog::of(ExecutorKind::Robots);
        Self { bench, game, ada, bob, trading, robots, played: 0 }
    }

    /// Half a round passes, with what happens in it.
    pub(crate) async fn play(&mut self) {
        if self.played == 2 * ROUNDS {
            return;
        }
        self.bench.beat().await;
        if self.played.is_multiple_of(2) {
            self.do_deeds(self.played / 2 + 1).await;
            self.bench.trading.set_position(Some(self.trading.position()));
            self.bench.robots.set_position(Some(self.robots.position()));
            self.bench.advance(3_000).await;
        } else {
            self.bench.advance(1_000).await;
        }
        self.played += 1;
    }

    async fn do_deeds(&mut self, round: u32) {
        let of_ada =
            Whom { game: self.game, round: Some(round), player: Some(self.ada.0), robot: Some(ADAS) };
        let of_bob = Whom { player: Some(self.bob.0), robot: Some(BOBS), ..of_ada };
        let coal = |amount: u32| json!({"coal": amount, "iron": 0, "gem": 0, "gold": 0, "platin": 0});
        match round {
            1 => {
                for whom in [of_ada, of_bob] {
                    let command = self.send(whom, "buying", json!({"itemName": "ROBOT"})).await;
                    self.robots.spawned(whom, command);
                    self.robots.noise(whom);
                    let bought = json!([robot(whom)]);
                    self.trading.trade("buy-robot", Whom { robot: None, ..whom }, command, -100, &bought);
                }
                self.trading.noise(of_ada);
            }
            2 => {
                let command = self.send(of_ada, "mining", json!({})).await;
                self.robots.mined(of_ada, command, "coal", 4);
                let command = self.send(of_bob, "mining", json!({})).await;
                self.robots.mined(of_bob, command, "iron", 1);
                self.robots.noise(of_bob);
            }
            // It sells what it holds, and then holds as much again.
            3 => {
                let command = self.send(of_ada, "selling", json!({})).await;
                self.trading.trade("sell-resource", of_ada, command, 20, &coal(4));
                self.trading.noise(of_ada);
                let command = self.send(of_bob, "mining", json!({})).await;
                self.robots.mined(of_bob, command, "iron", 3);
                self.robots.mined(of_ada, Uuid::from_u128(0x77), "coal", 4);
            }
            4 => {
                let command = self.send(of_bob, "battle", json!({"targetId": ADAS})).await;
                self.robots.fought(of_bob, command, ADAS);
                self.robots.destroyed(of_ada);
                self.robots.looted(of_bob, 4);
                self.robots.noise(of_bob);
            }
            _ => {
                let command = self.send(of_bob, "selling", json!({})).await;
                self.trading.trade("sell-resource", of_bob, command, 65, &coal(4));
            }
        }
    }

    /// Its transaction's id.
    pub(crate) async fn send(&self, whom: Whom, kind: &str, object: Value) -> Uuid {
        let token = if whom.player == Some(self.ada.0) { self.ada.1 } else { self.bob.1 };
        let body = json!({"gameId": self.game, "playerToken": token, "robotId": whom.robot, "commandType": kind,
                          "commandObject": object});
        uuid_in(&self.bench.ask(post("/commands").json(&body)).await.is(201), "transactionId")
    }

    pub(crate) async fn score(&self) {
        self.bench.service().round_scoring().step(EPOCH).await.expect("rounds are scored");
    }

    /// Both streams to their ends, and every round that is over.
    pub(crate) async fn read_everything(&self) {
        let service = self.bench.service();
        let mut reading =
            Box::pin(futures::future::join(self.trading.read_all(service), self.robots.read_all(service)));
        while futures::poll!(&mut reading).is_pending() {
            self.score().await;
        }
        self.score().await;
    }

    pub(crate) async fn scoreboard(&self) -> Value {
        self.bench.ask(get(format!("/games/{}/scoreboard", self.game))).await.is(200)
    }

    pub(crate) async fn scores(&self) -> Value {
        self.bench.ask(get(format!("/games/{}/scores", self.game))).await.is(200)
    }

    /// What the whole game comes to.
    pub(crate) fn final_scores(&self) -> Value {
        json!({
            "rounds": [1, 2, 3, 4, 5],
            "players": [
                {"playerId": self.ada.0, "name": "ada", "money": [100, 100, 120, 120, 120],
                 "robotsAlive": [1, 1, 1, 0, 0], "mined": [0, 4, 8, 8, 8], "fightsWon": [0, 0, 0, 0, 0]},
                {"playerId": self.bob.0, "name": "bob", "money": [100, 100, 100, 100, 165],
                 "robotsAlive": [1, 1, 1, 1, 1], "mined": [0, 1, 3, 3, 3], "fightsWon": [0, 0, 0, 1, 1]},
            ],
        })
    }

    pub(crate) fn final_scoreboard(&self) -> Value {
        let amounts =
            |coal: u32, iron: u32| json!({"coal": coal, "iron": iron, "gem": 0, "gold": 0, "platin": 0});
        json!([
            {"rank": 1, "playerId": self.bob.0, "name": "bob", "money": 165, "robotsAlive": 1, "mined": amounts(0, 3),
             "fightsWon": 1, "out": false, "left": false},
            {"rank": 2, "playerId": self.ada.0, "name": "ada", "money": 120, "robotsAlive": 0, "mined": amounts(8, 0),
             "fightsWon": 0, "out": false, "left": false},
        ])
    }

    /// What was announced, in the order of the log.
    pub(crate) fn announced(&self) -> Vec<Value> {
        let events = self.bench.events().into_iter();
        events.filter(|event| event.channel == "scores").map(|event| event.payload).collect()
    }
}

/// As the trading service shows one that was bought.
pub(crate) fn robot(whom: Whom) -> Value {
    json!({
        "id": whom.robot, "player": whom.player, "planet": Uuid::nil(), "alive": true, "maxHealth": 10,
        "maxEnergy": 20, "energyRegen": 4, "attackDamage": 1, "miningSpeed": 2, "health": 10, "energy": 20,
        "healthLevel": 0, "damageLevel": 0, "miningSpeedLevel": 0, "miningLevel": 0, "energyLevel": 0,
        "energyRegenLevel": 0, "storageLevel": 0,
        "inventory": { "maxStorage": 20, "usedStorage": 0, "storedCoal": 0, "storedIron": 0, "storedGem": 0,
            "storedGold": 0, "storedPlatin": 0 },
    })
}

#[tokio::test]
async fn a_game_is_scored_round_by_round_and_told() {
    for store in [StoreKind::Sqlite, StoreKind::Memory] {
        let mut it = Scored::with(Setup { store, ..Setup::default() }).await;
        assert_eq!(it.scores().await["rounds"], json!([]));
        for half in 1..=2 * ROUNDS {
            it.play().await;
            it.read_everything().await;
            let scored = it.scores().await["rounds"].as_array().expect("rounds").len();
            assert_eq!(scored, half as usize / 2, "a round is scored when it is over");
        }
        assert_eq!(it.scores().await, it.final_scores());
        assert_eq!(it.scoreboard().await, it.final_scoreboard());
        let told = it.announced();
        let numbers: Vec<_> = told.iter().map(|event| event["roundNumber"].clone()).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5]);
        let fourth = json!({"gameId": it.game, "roundNumber": 4, "players": [
            {"playerId": it.ada.0, "money": 120, "robotsAlive": 0, "mined": 8, "fightsWon": 0},
            {"playerId": it.bob.0, "money": 100, "robotsAlive": 1, "mined": 3, "fightsWon": 1},
        ]});
        assert_eq!(told[3], fourth);
        if store == StoreKind::Sqlite {
            it.bench.compare_replica().await;
            assert_eq!(it.bench.count("tracked_robot"), 0, "nothing is told of them any longer");
        }
    }
}

#[tokio::test]
async fn a_result_is_its_owners_at_once_and_everybodys_after_the_round() {
    for store in [StoreKind::Sqlite, StoreKind::Memory] {
        let mut it = Scored::with(Setup { store, ..Setup::default() }).await;
        it.play().await;
        it.play().await;
        let whom = Whom { game: it.game, round: Some(2), player: Some(it.ada.0), robot: Some(ADAS) };
        let command = it.send(whom, "mining", json!({})).await;
        it.bench.advance(3_000).await;
        it.robots.mined(whom, command, "coal", 4);
        let ask = || get(format!("/commands/{command}"));
        let before = it.bench.ask(ask().bearer(&it.ada.1.to_string())).await.is(200);
        assert_eq!(before.get("result"), None, "it is absent while it is not known");
        it.read_everything().await;
        let result = json!({"channel": "mining", "type": "mining", "payload": {
            "success": true, "message": "done", "remainingEnergy": 9, "updatedInventory": 4, "resourceType": "coal",
        }});
        assert_eq!(it.bench.ask(ask().bearer(&it.ada.1.to_string())).await.is(200)["result"], result);
        for other in [ask(), ask().bearer(&it.bob.1.to_string())] {
            it.bench.ask(other).await.refused(404, "unknown-command", None);
        }
        it.bench.advance(1_000).await;
        assert_eq!(it.bench.ask(ask().bearer(&it.bob.1.to_string())).await.is(200)["result"], result);
        assert_eq!(it.bench.ask(ask()).await.is(200)["result"], result);
    }
}

#[tokio::test]
async fn a_trade_is_a_result_too_and_says_of_what_kind_it_was() {
    let mut it = Scored::with(Setup::in_memory()).await;
    let whom = Whom { game: it.game, round: Some(1), player: Some(it.ada.0), robot: None };
    let command = it.send(whom, "buying", json!({"itemName": "ROBOT"})).await;
    it.bench.advance(3_000).await;
    let refused = json!({"data": null, "success": false, "message": "too dear", "moneyChangedBy": 0});
    it.trading.tell_as(Channel::Trades, "buy-error", whom, Some(command), refused.clone());
    it.read_everything().await;
    let shown = it.bench.ask(get(format!("/commands/{command}")).bearer(&it.ada.1.to_string())).await.is(200);
    assert_eq!(shown["result"], json!({"channel": "trades", "type": "buy-error", "payload": refused}));
    assert_eq!(it.scoreboard().await[0]["money"], 200, "what failed costs nothing");
}

#[tokio::test]
async fn without_followed_executors_nothing_is_known_and_all_have_the_same_rank() {
    let mut it = Scored::with(Setup::default()).await;
    it.bench.restart_with(Setup { streams: false, ..Setup::default() }).await;
    let row = |player: (Uuid, Uuid), name: &str| {
        json!({"rank": 1, "playerId": player.0, "name": name, "money": null, "robotsAlive": null, "mined": null,
               "fightsWon": null, "out": null, "left": false})
    };
    assert_eq!(it.scoreboard().await, json!([row(it.ada, "ada"), row(it.bob, "bob")]));
    it.bench.advance(4_000).await;
    it.score().await;
    assert_eq!(it.scores().await["rounds"], json!([]));
    assert!(it.announced().is_empty());
    it.bench.ask(get(format!("/games/{}/scoreboard", Uuid::nil()))).await.refused(404, "unknown-game", None);
    it.bench.ask(get(format!("/games/{}/scores", Uuid::nil()))).await.refused(404, "unknown-game", None);
}

#[tokio::test]
async fn scores_outlive_their_game_in_memory_and_go_with_it_when_it_is_deleted() {
    let mut it = Scored::with(Setup::default()).await;
    for _ in 0..2 * ROUNDS {
        it.play().await;
    }
    it.read_everything().await;
    it.bench.restart().await;
    assert_eq!(it.scores().await, it.final_scores());
    assert_eq!(it.scoreboard().await, it.final_scoreboard());
    assert_eq!(it.bench.ask(delete(format!("/games/{}", it.game))).await.status, 204);
    for table in ["scored_game", "standing", "tracked_robot", "round_score"] {
        assert_eq!(it.bench.count(table), 0, "{table}");
    }
    let ask = get(format!("/games/{}/scores", it.game));
    it.bench.ask(ask).await.refused(404, "unknown-game", None);
    // What is told of it now changes nothing.
    let whom = Whom { game: it.game, round: Some(9), player: Some(it.ada.0), robot: Some(ADAS) };
    it.robots.mined(whom, Uuid::max(), "coal", 9);
    it.read_everything().await;
    it.bench.compare_replica().await;
}

#[tokio::test]
async fn who_is_out_does_not_hold_up_a_game_in_a_hurry() {
    let mut it = Scored::with(Setup::in_memory()).await;
    it.play().await;
    it.play().await;
    it.read_everything().await;
    it.bench.set_pace(it.game, "turbo").await.is(200);
    it.bench.ready(it.game, it.bob.1).await.is(200);
    it.score().await;
    let phase = async || it.bench.time(it.game).await["phase"].clone();
    assert_eq!(phase().await, "collection", "Ada has a robot, and money for another");
    let whom = Whom { game: it.game, round: Some(2), player: Some(it.ada.0), robot: Some(ADAS) };
    it.robots.destroyed(whom);
    it.read_everything().await;
    assert_eq!(phase().await, "collection", "Ada has money for another robot");
    it.trading.trade("buy-item", whom, Uuid::max(), -1, &Value::Null);
    it.read_everything().await;
    let rows = it.scoreboard().await;
    assert_eq!((&rows[1]["name"], &rows[1]["out"]), (&json!("ada"), &json!(true)));
    assert_eq!(phase().await, "execution");
}
