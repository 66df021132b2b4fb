//! The game of the worked example: its world, what the game service tells of it, and batches as it sends them.
//! What comes of each step is returned: all events, and what was mined.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use starkeep_contract::batch_headers;
use starkeep_test_harness::{TestRequest, get, post};
use uuid::Uuid;

use crate::both_services::BothServices;
use crate::outputs::{Outputs, ROBOT_TO_MAP, TRADING_TO_ROBOT, event};

pub(crate) const GAME: Uuid = Uuid::from_u128(0x6a);
pub(crate) const WORLD: Uuid = Uuid::from_u128(0x3d);
pub(crate) const A: Uuid = Uuid::from_u128(0xa);
pub(crate) const B: Uuid = Uuid::from_u128(0xb);
/// The space station.
pub(crate) const S: Uuid = Uuid::from_u128(0x5a01);
/// The planet with coal, to the east of the station.
pub(crate) const C: Uuid = Uuid::from_u128(0x5a02);

const TRADES: [&str; 5] = ["buy-robot", "buy-item", "buy-error", "sell-resource", "sell-error"];

pub(crate) fn tx(number: u128) -> Uuid {
    Uuid::from_u128(0x7000 + number)
}

pub(crate) struct Example {
    pub(crate) services: BothServices,
    round: u32,
}

impl Example {
    pub(crate) async fn new() -> Self {
        let planet = |id: Uuid, kind: &str, difficulty: u32, resource: Value, neighbours: Value| {
            let planet = json!({
                "id": id, "movement_difficulty": difficulty, "planet_type": kind, "resource": resource,
                "neighbours": neighbours,
            });
            (format!("/planets/{id}"), planet)
        };
        let neighbour = |id: Uuid, difficulty: u32, direction: &str| json!([{"planet_id": id, "movement_difficulty": difficulty, "direction": direction}]);
        let coal = json!({"resource_type": "coal", "max_amount": 3, "current_amount": 3});
        let planets = BTreeMap::from([
            planet(S, "spacestation", 1, Value::Null, neighbour(C, 2, "east")),
            planet(C, "default", 2, coal, neighbour(S, 1, "west")),
        ]);
        Self { services: BothServices::beside_a_map_of(planets).await, round: 0 }
    }

    pub(crate) async fn hear(&mut self, channel: &str, transaction: Uuid, payload: Value) -> Outputs {
        self.services.hear(channel, &transaction.to_string(), &payload).await;
        self.told().await
    }

    pub(crate) async fn roster(
        &mut self,
        change: &str,
        transaction: Uuid,
        player: Option<Uuid>,
        world: Option<Uuid>,
    ) -> Outputs {
        let payload = json!({
            "gameId": GAME, "change": change, "playerId": player, "gameworldId": world,
            "startMoney": player.map(|_| 200),
        });
        self.hear("gameRoster", transaction, payload).await
    }

    pub(crate) async fn round_is(&mut self, status: &str) -> Outputs {
        let payload = json!({
            "gameId": GAME, "roundId": Uuid::from_u128(self.round.into()), "roundNumber": self.round,
            "roundStatus": status,
        });
        self.hear("roundStatus", Uuid::nil(), payload).await
    }

    /// Ends the open round, begins the next one and ends its input. Its prices are always those of the start: too little is sold.
    pub(crate) async fn next_round(&mut self) {
        if self.round > 0 {
            assert_eq!(self.round_is("ended").await, told([]));
        }
        self.round += 1;
        let items = [
            ("ROCKET", 40),
            ("WORMHOLE", 80),
            ("LONG_RANGE_BOMBARDMENT", 60),
            ("SELF_DESTRUCTION", 80),
            ("REPAIR_SWARM", 90),
            ("NUKE", 210),
        ];
        let resources = [("coal", 5), ("iron", 15), ("gem", 30), ("gold", 50), ("platin", 60)];
        let listed = |prices: &[(&str, u32)]| {
            prices.iter().map(|(name, price)| json!({"price": price, "name": name})).collect::<Value>()
        };
        let prices = told([
            ("current-item-prices", Uuid::nil(), listed(&items)),
            ("current-resource-prices", Uuid::nil(), listed(&resources)),
        ]);
        assert_eq!(self.round_is("started").await, prices);
        assert_eq!(self.round_is("command input ended").await, told([]));
    }

    /// The headers that the game service sends with a batch.
    fn batch(&self, body: &Value) -> TestRequest {
        post("/commands")
            .json(body)
            .header(batch_headers::GAME, &GAME.to_string())
            .header(batch_headers::ROUND, &self.round.to_string())
            .header(batch_headers::SEED, "7")
            .header(batch_headers::TIMEOUT_MILLIS, "1000")
    }

    pub(crate) async fn trade(&mut self, commands: &[Value]) -> Outputs {
        let reply = self.services.ask_trading(self.batch(&json!(commands))).await;
        assert_eq!((reply.status, reply.text().as_str()), (200, ""), "{reply:?}");
        self.told().await
    }

    pub(crate) async fn command(&mut self, commands: &[String]) -> Outputs {
        let reply = self.services.ask_robots(self.batch(&json!({ "commands": commands }))).await;
        assert_eq!((reply.status, reply.text().as_str()), (202, "Command batch accepted"), "{reply:?}");
        self.told().await
    }

    async fn told(&mut self) -> Outputs {
        let mut outputs = self.services.take_outputs().await;
        // Compared with the recording; of the map only the minings are looked at here.
        outputs.edit(&format!("/{TRADING_TO_ROBOT}"), None);
        let minings = outputs.of(ROBOT_TO_MAP).iter().filter(|call| call["method"] == "POST");
        let minings: Vec<_> = minings.map(|call| [&call["request"], &call["response"]]).collect();
        let minings = (!minings.is_empty()).then(|| json!(minings));
        outputs.edit(&format!("/{ROBOT_TO_MAP}"), minings);
        outputs
    }

    pub(crate) async fn robot(&self, robot: Uuid) -> Value {
        self.services.ask_robots(get(format!("/robots/{robot}"))).await.is(200)
    }

    /// Of A and B.
    pub(crate) async fn balances(&self, path: &str) -> [u64; 2] {
        let shown = self.services.ask_trading(get(format!("{path}?gameId={GAME}"))).await.is(200);
        let shown = shown.as_array().unwrap();
        assert_eq!(shown.len(), 2);
        [A, B].map(|player| {
            let of = shown.iter().find(|balance| balance["playerId"] == json!(player)).unwrap();
            of["balance"].as_u64().unwrap()
        })
    }
}

/// Events by their type, with their transaction.
pub(crate) fn told<'a>(events: impl IntoIterator<Item = (&'a str, Uuid, Value)>) -> Outputs {
    let mut outputs = Outputs::none();
    for (kind, transaction, payload) in events {
        let channel = if TRADES.contains(&kind) { "trades" } else { kind };
        let headers = json!({"type": kind, "version": "1", "transactionId": transaction});
        outputs.add(channel, event(channel, &headers, &payload));
    }
    outputs
}

pub(crate) fn buy(transaction: Uuid, player: Uuid, item: &str, amount: u32, robot: Option<Uuid>) -> Value {
    let payload = json!({
        "commandType": "buy", "robotId": robot, "amount": amount, "planetId": robot.map(|_| S), "itemName": item,
    });
    json!({"transactionId": transaction, "playerId": player, "payload": payload})
}

pub(crate) fn sell(transaction: Uuid, player: Uuid, robot: Uuid, planet: Uuid) -> Value {
    let payload = json!({
        "commandType": "sell", "robotId": robot, "amount": null, "planetId": planet, "itemName": null,
    });
    json!({"transactionId": transaction, "playerId": player, "payload": payload})
}

pub(crate) fn new_robot(id: &Value, player: Uuid) -> Value {
    json!({
        "id": id, "player": player, "planet": S, "alive": true, "maxHealth": 10, "maxEnergy": 20, "energyRegen": 4,
        "attackDamage": 1, "miningSpeed": 2, "health": 10, "energy": 20, "healthLevel": 0, "damageLevel": 0,
        "miningSpeedLevel": 0, "miningLevel": 0, "energyLevel": 0, "energyRegenLevel": 0, "storageLevel": 0,
        "inventory": {
            "maxStorage": 20, "usedStorage": 0, "storedCoal": 0, "storedIron": 0, "storedGem": 0, "storedGold": 0,
            "storedPlatin": 0,
        },
    })
}

pub(crate) fn trade_error(message: &str) -> Value {
    json!({"data": null, "success": false, "message": message, "moneyChangedBy": 0})
}
