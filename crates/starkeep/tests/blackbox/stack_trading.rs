//! The trading service of the existing stack: a consumer for each topic, players and stations that are wiped when a game ends,
//! purchases that take as long as they do. Sales are taken and change nothing.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use starkeep_test_broker::Record;
use starkeep_test_http::{Caller, within_limit};
use tokio::sync::watch;
use uuid::Uuid;

use crate::execution_wire::Service;
use crate::stack::{Surroundings, id};
use crate::stack_books::Books;

/// Milliseconds before a consumer has done its work on a record.
const PER_RECORD: RangeInclusive<u64> = 0..=40;
/// Milliseconds that each robot of a purchase takes.
const PER_ROBOT: RangeInclusive<u64> = 380..=380;
const PRICE: u64 = 100;
/// From so many robots on, the answer to a purchase is a 500 although they were made.
const TOO_MANY: u64 = 20;

/// What a consumer does with a record and what it tells.
type Take = fn(&Trading, &Record, &Value);

pub(crate) struct Trading {
    around: Arc<Surroundings>,
    robots: Caller,
    books: watch::Sender<Books>,
}

impl Trading {
    pub(crate) fn new(around: Arc<Surroundings>, robots: SocketAddr) -> Self {
        Self { around, robots: Caller::new(robots), books: watch::Sender::new(Books::new()) }
    }

    /// For players who come from now on.
    pub(crate) fn give_everybody(&self, money: u64) {
        self.books.send_modify(|books| books.purse = money);
    }

    pub(crate) fn books(&self) -> Books {
        self.books.borrow().clone()
    }

    /// Waits until the books are so.
    pub(crate) async fn await_books(&self, awaited: &str, so: impl FnMut(&Books) -> bool) -> Books {
        let mut books = self.books.subscribe();
        within_limit(awaited, books.wait_for(so)).await.unwrap().clone()
    }

    /// Starts the consumers. None of them waits for another.
    pub(crate) fn consume(self: &Arc<Self>) {
        let take: [(&str, Take); 3] = [
            ("status", |trading, _, told| {
                let (game, status) = (id(&told["gameId"]).unwrap(), told["status"].as_str().unwrap());
                trading.books.send_modify(|books| books.status(game, status));
            }),
            ("playerStatus", |trading, record, told| trading.welcome(record, id(&told["playerId"]).unwrap())),
            ("spacestation-created", |trading, _, told| {
                let station = id(&told["planet_id"]).unwrap();
                trading.books.send_modify(|books| {
                    books.stations.insert(station);
                });
            }),
        ];
        for (topic, take) in take {
            let (trading, mut records) = (self.clone(), self.around.follow(topic));
            tokio::spawn(async move {
                while let Some(record) = records.recv().await {
                    trading.around.work(&PER_RECORD).await;
                    let told = serde_json::from_str(&record.value).unwrap();
                    take(&trading, &record, &told);
                }
            });
        }
    }

    /// Also one who is known: with the money of the beginning.
    fn welcome(&self, record: &Record, player: Uuid) {
        let mut money = 0;
        self.books.send_modify(|books| {
            money = books.purse;
            books.players.insert(player, money);
        });
        let transaction = record.headers.iter().find(|(name, _)| name == "transactionId").unwrap();
        let payload = json!({ "money": money, "playerId": player });
        self.around.tell("bank-created", "bank-created", transaction.1.parse().unwrap(), &payload);
    }

    /// One command after the other, and no answer before the last of them is done.
    async fn carry_out(&self, commands: Vec<Value>) -> StatusCode {
        for command in commands {
            let (transaction, payload) = (id(&command["transactionId"]).unwrap(), &command["payload"]);
            if payload["commandType"] != "buy" {
                continue;
            }
            let bought = self.buy(transaction, id(&command["playerId"]).unwrap(), payload).await;
            let told = match &bought {
                Ok(robots) => {
                    let paid = PRICE * robots.as_array().unwrap().len() as u64;
                    json!({ "data": robots, "success": true, "message": "robot-buy successful",
                            "moneyChangedBy": -i64::try_from(paid).unwrap() })
                }
                Err(Refused::With(message)) => {
                    json!({ "data": null, "success": false, "message": message, "moneyChangedBy": 0 })
                }
                Err(Refused::Broken) => return StatusCode::INTERNAL_SERVER_ERROR,
            };
            let r#type = if bought.is_ok() { "buy-robot" } else { "buy-error" };
            self.around.tell("trades", r#type, transaction, &told);
        }
        StatusCode::OK
    }

    async fn buy(&self, transaction: Uuid, player: Uuid, payload: &Value) -> Result<Value, Refused> {
        let amount = payload["amount"].as_u64().unwrap();
        let refused = |reason: String| Err(Refused::With(reason));
        if payload["itemName"] != "ROBOT" {
            return refused("400 Bad Request: \"Request could not be accepted\"".to_owned());
        }
        let books = self.books();
        let Some(money) = books.players.get(&player) else {
            return refused(format!("Player '{player}' does not exist."));
        };
        let price = PRICE * amount;
        if *money < price {
            return refused(format!("Player '{player}' does not have the needed {price} money-units."));
        }
        let stations: Vec<_> = books.stations.iter().copied().collect();
        if stations.is_empty() {
            return refused("bound must be positive".to_owned());
        }
        for _ in 0..amount {
            self.around.work(&PER_ROBOT).await;
        }
        let planets: Vec<_> = (0..amount).map(|_| self.around.choose(&stations)).collect();
        let order =
            json!({ "transactionId": transaction, "player": player, "planets": planets, "quantity": amount });
        let robots = self.robots.post("/robots", &order).await.expect(201);
        if amount >= TOO_MANY {
            return Err(Refused::Broken);
        }
        self.books.send_modify(|books| {
            books.players.entry(player).and_modify(|money| *money = money.saturating_sub(price));
        });
        Ok(robots)
    }
}

enum Refused {
    With(String),
    /// The whole batch comes to its end.
    Broken,
}

pub(crate) fn routes(trading: Arc<Trading>) -> Router {
    Router::new().route("/commands", post(take_commands)).with_state(trading)
}

/// Whoever does not wait for the answer stops nothing.
async fn take_commands(State(trading): State<Arc<Trading>>, Json(body): Json<Value>) -> StatusCode {
    if Service::Trading.read(&body).is_none() {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    let Value::Array(commands) = body else { return StatusCode::OK };
    tokio::spawn(async move { trading.carry_out(commands).await }).await.unwrap()
}
