//! Clients that mine and read the planets of a gameworld of their own, which nothing else changes: whatever is read there must be
//! explained by the minings alone.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use starkeep_fault_harness::{Chance, HarnessError};
use starkeep_http_client::Call;
use uuid::Uuid;

use crate::records::{Acknowledged, Operation, Records, Span};
use crate::service::{Service, Told};

pub(crate) struct Miner {
    pub(crate) map: Service,
    pub(crate) planets: Vec<String>,
    pub(crate) records: Records,
    pub(crate) chance: Chance,
    /// Makes the ids of its minings its own.
    pub(crate) number: u64,
    /// Between two calls: they are one part of the load, and leave the processor to the others.
    pub(crate) pause: Duration,
}

/// Those of a new gameworld that hold something.
pub(crate) async fn rich_planets(map: &Service) -> Result<Vec<String>, HarnessError> {
    let new = json!({ "gameworld": { "player_amount": 1 } });
    let world = created(map.post_once("/gameworlds", "selftest-world", &new).await)?;
    let id = world["id"].as_str().unwrap_or_default();
    let planets = created(map.insist(&Call::get(format!("/gameworlds/{id}/planets"))).await)?;
    let rich = planets.as_array().into_iter().flatten().filter(|planet| !planet["resource"].is_null());
    Ok(rich.filter_map(|planet| planet["id"].as_str().map(str::to_owned)).collect())
}

fn created(answer: Option<(u16, Value)>) -> Result<Value, HarnessError> {
    match answer {
        Some((200 | 201, body)) => Ok(body),
        other => Err(HarnessError(format!("no gameworld to mine in: {other:?}"))),
    }
}

impl Miner {
    pub(crate) async fn run(mut self) {
        let mut minings = 0;
        while self.map.goes_on() {
            let planet = self.chance.pick(&self.planets).clone();
            if self.chance.one_in(4) {
                self.read(planet).await;
            } else {
                minings += 1;
                self.mine(planet, minings).await;
            }
            self.map.pause_for(self.pause).await;
        }
    }

    async fn read(&self, planet: String) {
        let invoked = self.map.clock.monotonic();
        let Told::Answer { status: 200, body } = self.map.get(&format!("/planets/{planet}")).await else {
            return self.map.pause().await;
        };
        let span = Span { invoked, returned: self.map.clock.monotonic() };
        if let Some(amount) = body["resource"]["current_amount"].as_i64() {
            self.records.journal.note(Acknowledged::PlanetRead { planet, amount, span });
        }
    }

    /// Half of them have a key and are sent until they are answered; the others are sent once, whatever comes of it.
    async fn mine(&mut self, planet: String, minings: u64) {
        let transaction = Uuid::from_u64_pair(1 << 63 | self.number, minings);
        let amount = self.chance.draw(&(1..=3));
        let path = format!("/planets/{planet}/minings");
        let order = json!({ "mining": { "amount_requested": amount, "transaction_id": transaction } });
        let invoked = self.map.clock.monotonic();
        self.records.mining_asked_for(transaction, invoked);
        let answer = if self.chance.one_in(2) {
            self.map.post_once(&path, &transaction.to_string(), &order).await
        } else {
            match self.map.ask(Call::once(Method::POST, path).json(&order)).await {
                Told::Answer { status, body } => Some((status, body)),
                Told::NotDone => {
                    self.records.mining_not_done(transaction);
                    return self.map.pause().await;
                }
                Told::Unknown => None,
            }
        };
        let span = Span { invoked, returned: self.map.clock.monotonic() };
        let Some((201, body)) = answer else { return self.records.unknown(Operation::Mining) };
        let number = |name: &str| body[name].as_i64().unwrap_or(-1);
        let (mined, left) = (number("amount_mined"), number("amount_left"));
        self.records.journal.note(Acknowledged::Mining { transaction, planet, mined, left, span });
    }
}
