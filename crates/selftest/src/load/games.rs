//! Bots that play one game after the other: created, joined, started, played with all kinds of commands, ended.
//! What is lost on the way is left, and the next round is played.

use http::Method;
use serde_json::{Value, json};
use starkeep_clock::Monotonic;
use starkeep_contract::Code;
use starkeep_fault_harness::Chance;
use starkeep_http_client::Call;
use uuid::Uuid;

use super::players::{Player, register};
use crate::orders::{buy_robots, drawn_orders};
use crate::records::{Acknowledged, GameChange, GameState, Operation, Records, Span};
use crate::service::{Service, Told};

const PLAYERS: u32 = 3;
const ROUNDS: u64 = 12;
/// A round that somebody is not ready for ends by the clock.
pub const ROUND_MILLIS: u64 = 2000;

/// When a round ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// When all players are ready.
    Turbo,
    /// When its time is over.
    Clock,
}

pub(crate) struct Host {
    pub(crate) game: Service,
    pub(crate) records: Records,
    pub(crate) chance: Chance,
    /// Makes names and keys its own.
    pub(crate) name: String,
    pub(crate) pace: Pace,
}

/// A game under way.
struct Match {
    id: String,
    seats: Vec<Player>,
}

impl Host {
    pub(crate) async fn run(mut self) {
        let mut number = 0_u64;
        while self.game.goes_on() {
            number += 1;
            let name = format!("{}-{number}", self.name);
            let Some(played) = self.begin(&name).await else { continue };
            self.play(&played).await;
            end(&self.game, &self.records, &played.id, &name).await;
        }
    }

    async fn begin(&self, name: &str) -> Option<Match> {
        let id = create(&self.game, &self.records, name, PLAYERS).await?;
        let mut seats = Vec::new();
        for seat in 1..=PLAYERS {
            let player = register(&self.game, &self.records, &format!("{name}-{seat}")).await?;
            let join = Call::once(Method::PUT, format!("/games/{id}/players/{}", player.token));
            let change = RequestedChange::begin(
                &self.game,
                &self.records,
                &id,
                GameChange::Join { player: player.id.clone() },
            );
            // A join whose answer was lost is told as one that took place before.
            match self.game.insist(&join).await {
                Some((200, _)) => change.note_done(),
                Some((409, problem)) if problem["code"] == Code::AlreadyParticipating.as_str() => {
                    change.note_done();
                }
                _ => self.records.unknown(Operation::Join),
            }
            seats.push(player);
        }
        if self.pace == Pace::Turbo {
            let pace = Call::once(Method::PATCH, format!("/games/{id}/pace"));
            self.game.insist(&pace.json(&json!({ "pace": "turbo" }))).await?;
        }
        while !start(&self.game, &self.records, &id, name).await? {
            self.game.pause().await;
        }
        Some(Match { id, seats })
    }

    async fn play(&mut self, played: &Match) {
        let mut orders = vec![vec![buy_robots(3)]; played.seats.len()];
        for _ in 0..ROUNDS {
            let Some(round) = self.round(played).await else { return };
            for (seat, orders) in played.seats.iter().zip(&orders) {
                self.send(played, seat, orders).await;
            }
            for seat in played.seats.iter().filter(|_| self.pace == Pace::Turbo) {
                let ready = format!("/games/{}/players/{}/ready", played.id, seat.token);
                self.game.ask(Call::once(Method::PUT, ready)).await;
            }
            while self.round(played).await.is_some_and(|now| now <= round) {
                self.game.pause().await;
            }
            orders.clear();
            for seat in &played.seats {
                orders.push(self.drawn(played, seat).await);
            }
        }
    }

    /// Nothing where the load ends before, or the game has.
    async fn round(&self, played: &Match) -> Option<u64> {
        let (status, time) = self.game.insist(&Call::get(format!("/games/{}/time", played.id))).await?;
        time["roundCount"].as_u64().filter(|_| status == 200 && !time["phase"].is_null())
    }

    async fn drawn(&mut self, played: &Match, seat: &Player) -> Vec<Value> {
        let shown = format!("Bearer {}", seat.token).parse();
        let Ok(shown) = shown else { return Vec::new() };
        let view = Call::get(format!("/games/{}/view", played.id)).header(http::header::AUTHORIZATION, shown);
        match self.game.ask(view).await {
            Told::Answer { status: 200, body } => drawn_orders(&body, &mut self.chance),
            _ => Vec::new(),
        }
    }

    /// At once, and once: what is not known of them stays unknown.
    async fn send(&self, played: &Match, seat: &Player, orders: &[Value]) {
        if orders.is_empty() {
            return;
        }
        let mut signed = orders.to_vec();
        for order in &mut signed {
            order["gameId"] = played.id.clone().into();
            order["playerToken"] = seat.token.clone().into();
        }
        let invoked = self.game.clock.monotonic();
        let batch = Call::once(Method::POST, "/commands/batch").json(&signed);
        match self.game.ask(batch).await {
            Told::Answer { status: 200, body } => {
                for receipt in body.as_array().into_iter().flatten().map(|item| &item["receipt"]) {
                    let id = receipt["transactionId"].as_str().and_then(|id| Uuid::try_parse(id).ok());
                    if let (Some(id), Some(round)) = (id, receipt["roundNumber"].as_u64()) {
                        let game = played.id.clone();
                        self.records.journal.note(Acknowledged::Command { id, game, round, invoked });
                    }
                }
            }
            Told::Unknown => orders.iter().for_each(|_| self.records.unknown(Operation::Command)),
            _ => {}
        }
    }
}

/// A change of a game that was asked for, and is noted when it is done.
struct RequestedChange<'a> {
    service: &'a Service,
    records: &'a Records,
    game: &'a str,
    change: GameChange,
    /// When it was asked for first: an answer may be the repeated one of an earlier call.
    invoked: Monotonic,
}

impl<'a> RequestedChange<'a> {
    fn begin(service: &'a Service, records: &'a Records, game: &'a str, change: GameChange) -> Self {
        let invoked = records.change_asked_for(game, &change, service.clock.monotonic());
        Self { service, records, game, change, invoked }
    }

    fn note_done(self) {
        self.records.game_changed(self.game.to_owned(), self.change.clone(), self.span());
    }

    /// With what the answer shows of the game.
    fn note_done_with(self, shown: &Value) {
        let (game, seen, span) = (self.game.to_owned(), GameState::shown(shown), self.span());
        self.records.journal.note(Acknowledged::GameRead { game, seen, span });
        self.note_done();
    }

    fn span(&self) -> Span {
        Span { invoked: self.invoked, returned: self.service.clock.monotonic() }
    }
}

pub(super) async fn create(game: &Service, records: &Records, name: &str, players: u32) -> Option<String> {
    let new = json!({
        "name": name, "maxRounds": 1000, "maxPlayers": players, "duration": ROUND_MILLIS, "startMoney": 1000,
    });
    let answer = game.post_once("/games", &format!("{name}-create"), &new).await;
    let Some((201, body)) = answer else {
        records.unknown(Operation::Game);
        return None;
    };
    let id = body["gameId"].as_str()?.to_owned();
    records.game_created(id.clone());
    Some(id)
}

/// Whether it was started; refused while as many run as may.
pub(super) async fn start(game: &Service, records: &Records, id: &str, name: &str) -> Option<bool> {
    // Refusals are not kept, so the same key serves until it starts.
    let path = format!("/games/{id}/gameCommands/start");
    let change = RequestedChange::begin(game, records, id, GameChange::Start);
    let (status, shown) = game.post_once(&path, &format!("{name}-start"), &Value::Null).await?;
    let is_started = status == 201;
    if is_started {
        change.note_done_with(&shown);
    }
    Some(is_started)
}

pub(super) async fn end(game: &Service, records: &Records, id: &str, name: &str) {
    let path = format!("/games/{id}/gameCommands/end");
    let change = RequestedChange::begin(game, records, id, GameChange::End);
    match game.post_once(&path, &format!("{name}-end"), &Value::Null).await {
        Some((201, shown)) => change.note_done_with(&shown),
        Some(_) => {}
        None => records.unknown(Operation::Game),
    }
}
