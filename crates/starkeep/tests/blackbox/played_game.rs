//! A game that is really played: several players in turbo, with the robot and trading services that the executable has built
//! in. What they order, and what must come of it, is the test's.

use futures::future::join_all;
use serde_json::{Value, json};
use starkeep_contract::command::{CommandState, Receipt};
pub(crate) use starkeep_selftest::orders::{buy_robots, drawn_orders, order};
use starkeep_test_http::{Caller, Reply, within_limit};
use uuid::Uuid;

use crate::bot::{join, registered, transaction};
use crate::two_services::{START, path};

pub(crate) struct PlayedGame {
    pub(crate) id: Value,
    pub(crate) seats: Vec<Seat>,
}

/// A player who takes part.
pub(crate) struct Seat {
    pub(crate) player: Value,
    pub(crate) token: String,
}

impl PlayedGame {
    /// `first` numbers the players' names. Rounds are over when everybody is ready and everything is carried out.
    pub(crate) async fn start(service: &Caller, first: u32, players: u32, settings: &Value) -> Self {
        let mut new = json!({ "maxRounds": 1000, "maxPlayers": players, "duration": 86_400_000, "seed": 7 });
        new.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let id = service.post("/games", &new).await.expect(201)["gameId"].take();
        let mut seats = Vec::new();
        for number in first..first + players {
            let (player, token) = registered(service, number).await;
            join(service, &id, &token).await;
            seats.push(Seat { player, token });
        }
        service.post(&path(&id, START), &Value::Null).await.expect(201);
        service.patch(&path(&id, "/pace"), &json!({ "pace": "turbo" })).await.expect(200);
        let game = Self { id, seats };
        within_limit("robot and trading to hear of the game", async {
            while game.ask_for_view(service, 0).await.status != 200 {}
        })
        .await;
        game
    }

    /// What the player sees.
    pub(crate) async fn view(&self, service: &Caller, seat: usize) -> Value {
        self.ask_for_view(service, seat).await.expect(200)
    }

    async fn ask_for_view(&self, service: &Caller, seat: usize) -> Reply {
        service.with_token(&self.seats[seat].token).get(&path(&self.id, "/view")).await
    }

    /// Sends the orders, one list a seat, and says that everybody is ready: the receipts' transaction ids.
    pub(crate) async fn order(&self, service: &Caller, orders: &[Vec<Value>]) -> Vec<Uuid> {
        let items = self.hand_in(service, orders).await;
        assert!(items.iter().all(|item| item["status"] == 201), "{items:?}");
        for seat in &self.seats {
            self.is_ready(service, seat).await.expect(200);
        }
        items.iter().map(|item| transaction(&item["receipt"])).collect()
    }

    /// The same where services are away: commands may be refused, and the round may be over before everybody is ready. The ids
    /// of those that were taken.
    pub(crate) async fn order_what_is_taken(&self, service: &Caller, orders: &[Vec<Value>]) -> Vec<Uuid> {
        let items = self.hand_in(service, orders).await;
        for seat in &self.seats {
            self.is_ready(service, seat).await;
        }
        let taken = items.iter().filter(|item| item["status"] == 201);
        taken.map(|item| transaction(&item["receipt"])).collect()
    }

    pub(crate) async fn is_ready(&self, service: &Caller, seat: &Seat) -> Reply {
        let ready = path(&self.id, &format!("/players/{}/ready", seat.token));
        service.put(&ready, &Value::Null).await
    }

    /// What became of each of them.
    async fn hand_in(&self, service: &Caller, orders: &[Vec<Value>]) -> Vec<Value> {
        let hand_in = |(seat, orders): (&Seat, &Vec<Value>)| {
            let orders: Vec<_> = orders.iter().map(|order| self.signed(seat, order)).collect();
            let service = service.clone();
            async move {
                if orders.is_empty() {
                    return Vec::new();
                }
                let items = service.post("/commands/batch", &json!(orders)).await.expect(200);
                items.as_array().unwrap().clone()
            }
        };
        join_all(self.seats.iter().zip(orders).map(hand_in)).await.into_iter().flatten().collect()
    }

    /// One round, to its end.
    pub(crate) async fn play(&self, service: &Caller, orders: &[Vec<Value>]) -> Vec<Uuid> {
        let round = self.round(service).await;
        let sent = self.order(service, orders).await;
        self.outlives(service, round).await;
        sent
    }

    pub(crate) async fn round(&self, service: &Caller) -> u64 {
        service.get(&path(&self.id, "/time")).await.expect(200)["roundCount"].as_u64().unwrap()
    }

    /// Returns when the round is over.
    pub(crate) async fn outlives(&self, service: &Caller, round: u64) {
        within_limit("the round's end", async { while self.round(service).await <= round {} }).await;
    }

    pub(crate) fn signed(&self, seat: &Seat, order: &Value) -> Value {
        let mut order = order.clone();
        order["gameId"] = self.id.clone();
        order["playerToken"] = seat.token.clone().into();
        order
    }
}

/// The receipt of a command whose round is over.
pub(crate) async fn receipt(service: &Caller, command: Uuid) -> Value {
    service.get(&format!("/commands/{command}")).await.expect(200)
}

pub(crate) async fn state(service: &Caller, command: Uuid) -> CommandState {
    serde_json::from_value::<Receipt>(receipt(service, command).await).unwrap().state
}
