//! A player with robots in a running game of its own, and what it sends: commands of every kind.
//! When it sends them, and what must become of them, is the test's.

use serde_json::{Value, json};
use starkeep_contract::command::{CommandState, CommandType, Receipt};
use starkeep_contract::game::{GameTime, Phase};
use starkeep_test_http::{Caller, within_limit};
use uuid::Uuid;

use crate::two_services::{START, path};

pub(crate) struct Bot {
    pub(crate) game: Value,
    pub(crate) id: Value,
    pub(crate) token: String,
    number: u128,
}

impl Bot {
    /// The number is in the ids of its robots. Rounds last so many milliseconds at most: they are over when the bot is ready and its
    /// commands are carried out.
    pub(crate) async fn in_a_hurry(service: &Caller, number: u32, round_millis: u32) -> Self {
        let bot = Self::in_a_game(service, number, round_millis).await;
        service.patch(&path(&bot.game, "/pace"), &json!({ "pace": "turbo" })).await.expect(200);
        bot
    }

    /// The same in a game that keeps to the clock.
    pub(crate) async fn in_a_game(service: &Caller, number: u32, round_millis: u32) -> Self {
        let new = json!({ "maxRounds": 1_000_000, "maxPlayers": 1, "duration": round_millis });
        let game = service.post("/games", &new).await.expect(201)["gameId"].take();
        let (id, token) = registered(service, number).await;
        join(service, &game, &token).await;
        let bot = Self { game, id, token, number: number.into() };
        for kind in CommandType::ALL {
            let owner = json!({ "playerId": bot.id });
            service.put(&format!("/robots/{}", bot.robot(kind)), &owner).await.expect(200);
        }
        start(service, &bot.game).await;
        bot
    }

    /// It has one for each kind of command.
    pub(crate) fn robot(&self, kind: CommandType) -> Uuid {
        Uuid::from_u128(self.number << 8 | kind as u128 | 1 << 120)
    }

    /// A command for the robot that has this kind to do.
    pub(crate) fn order(&self, kind: CommandType) -> Value {
        self.order_to(self.robot(kind), kind)
    }

    pub(crate) fn order_to(&self, robot: Uuid, kind: CommandType) -> Value {
        let object = json!({ "planetId": Uuid::from_u128(7), "targetId": robot, "itemName": "MINING_1" });
        self.command(&json!({ "robotId": robot, "commandType": kind, "commandObject": object }))
    }

    /// Robots are bought by none, and no purchase replaces another.
    pub(crate) fn purchase(&self) -> Value {
        let object = json!({ "itemName": "ROBOT", "itemQuantity": 3 });
        self.command(&json!({ "commandType": "buying", "commandObject": object }))
    }

    /// The rest of a command is the game and who it is of.
    pub(crate) fn command(&self, command: &Value) -> Value {
        let mut command = command.clone();
        command["gameId"] = self.game.clone();
        command["playerToken"] = self.token.clone().into();
        command
    }

    /// Sends them at once; their transaction ids. All of them are taken.
    pub(crate) async fn send(&self, service: &Caller, orders: &[Value]) -> Vec<Uuid> {
        let items = service.post("/commands/batch", &json!(orders)).await.expect(200);
        let items = items.as_array().unwrap();
        assert!(items.iter().all(|item| item["status"] == 201), "{items:?}");
        items.iter().map(|item| transaction(&item["receipt"])).collect()
    }

    /// The execution has begun with the answer, if the game hurries.
    pub(crate) async fn is_ready(&self, service: &Caller) {
        service
            .put(&path(&self.game, &format!("/players/{}/ready", self.token)), &Value::Null)
            .await
            .expect(200);
    }

    pub(crate) async fn time(&self, service: &Caller) -> GameTime {
        serde_json::from_value(service.get(&path(&self.game, "/time")).await.expect(200)).unwrap()
    }

    pub(crate) async fn round(&self, service: &Caller) -> u32 {
        self.time(service).await.round_count.unwrap()
    }

    /// Returns when the round has begun.
    pub(crate) async fn begins(&self, service: &Caller, round: u32) {
        let waiting = async { while self.time(service).await.round_count < Some(round) {} };
        within_limit("the round's begin", waiting).await;
    }

    /// Returns when the round is over.
    pub(crate) async fn outlives(&self, service: &Caller, round: u32) {
        within_limit("the round's end", async { while self.round(service).await <= round {} }).await;
    }

    /// Returns when the round's execution has lasted so many milliseconds of game time, or the round is over.
    pub(crate) async fn executes(&self, service: &Caller, round: u32, millis: u64) {
        let lasts = async {
            let mut begun = None;
            loop {
                let time = self.time(service).await;
                let now = time.game_time_in_millis.unwrap();
                if time.round_count.unwrap() > round {
                    return;
                }
                if time.phase == Some(Phase::Execution) && now >= *begun.get_or_insert(now) + millis {
                    return;
                }
            }
        };
        within_limit("the execution to go on", lasts).await;
    }
}

/// The id and the token of a new player.
pub(crate) async fn registered(service: &Caller, number: u32) -> (Value, String) {
    let new = json!({ "name": format!("bot-{number}"), "email": format!("bot-{number}@example.org") });
    let mut player = service.post("/players", &new).await.expect(201);
    let token = player["bearerToken"].as_str().unwrap().to_owned();
    (player["playerId"].take(), token)
}

pub(crate) async fn join(service: &Caller, game: &Value, token: &str) {
    service.put(&path(game, &format!("/players/{token}")), &Value::Null).await.expect(200);
}

/// Starts a game. With Kafka that is refused as long as a broker that has only just come up has not taken all earlier events.
pub(crate) async fn start(service: &Caller, game: &Value) {
    let starting = async {
        loop {
            let reply = service.post(&path(game, START), &Value::Null).await;
            if reply.status != 503 || reply.body["code"] != "kafka-unavailable" {
                return reply;
            }
        }
    };
    within_limit("the game to start", starting).await.expect(201);
}

pub(crate) fn transaction(receipt: &Value) -> Uuid {
    serde_json::from_value(receipt["transactionId"].clone()).unwrap()
}

/// The state of a command, which everybody may read when its round is over.
pub(crate) async fn final_state(service: &Caller, command: Uuid) -> CommandState {
    let shown = service.get(&format!("/commands/{command}")).await.expect(200);
    let receipt: Receipt = serde_json::from_value(shown).unwrap();
    receipt.state
}

pub(crate) async fn final_states(service: &Caller, commands: &[Uuid]) -> Vec<CommandState> {
    let mut final_states = Vec::with_capacity(commands.len());
    for command in commands {
        final_states.push(final_state(service, *command).await);
    }
    final_states
}
