//! The robot service of the existing stack: it accepts every batch at once and works on all of them at the same time, slowly, asks
//! the map, and tells each result over Kafka. Robots have neither energy nor health here, and are in memory only.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use starkeep_contract::command::CommandType;
use tokio::sync::watch;
use uuid::Uuid;

use crate::execution_wire::Service;
use crate::http::Caller;
use crate::stack::{Surroundings, id};
use crate::time_limit::within_limit;

/// Milliseconds that a move takes, beside the call to the map.
const PER_MOVE: RangeInclusive<u64> = 15..=30;
const PER_OTHER: RangeInclusive<u64> = 0..=2;

pub(crate) struct Robots {
    around: Arc<Surroundings>,
    map: Mutex<Option<Caller>>,
    robots: Mutex<BTreeMap<Uuid, Robot>>,
    results: watch::Sender<Vec<Told>>,
}

#[derive(Clone, Copy)]
struct Robot {
    player: Uuid,
    planet: Uuid,
}

/// What was told of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) transaction: Uuid,
    /// The reason, if it failed.
    pub(crate) outcome: Result<(), String>,
}

impl Robots {
    pub(crate) fn new(around: Arc<Surroundings>) -> Self {
        let (map, robots) = (Mutex::default(), Mutex::default());
        Self { around, map, robots, results: watch::Sender::default() }
    }

    pub(crate) fn use_map(&self, map: Caller) {
        *self.map.lock().unwrap() = Some(map);
    }

    /// As at a restart.
    pub(crate) fn forget_all(&self) {
        self.robots.lock().unwrap().clear();
    }

    pub(crate) fn of(&self, player: Uuid) -> Vec<Uuid> {
        let robots = self.robots.lock().unwrap();
        robots.iter().filter(|(_, robot)| robot.player == player).map(|(id, _)| *id).collect()
    }

    /// Waits until something was told of each of the commands; all that was told of them.
    pub(crate) async fn told_of(&self, commands: &[Uuid]) -> Vec<Told> {
        let mut results = self.results.subscribe();
        let all = |told: &Vec<Told>| {
            let told: BTreeSet<_> = told.iter().map(|told| told.transaction).collect();
            commands.iter().all(|command| told.contains(command))
        };
        let told = within_limit("the results of commands", results.wait_for(all)).await.unwrap().clone();
        told.into_iter().filter(|told| commands.contains(&told.transaction)).collect()
    }

    /// One for each planet.
    pub(crate) fn spawn(&self, transaction: Uuid, player: Uuid, planets: &[Uuid]) -> Vec<Uuid> {
        let spawn = |&planet: &Uuid| {
            let (robot, others) = (self.around.new_id(), self.standing_on(planet));
            self.robots.lock().unwrap().insert(robot, Robot { player, planet });
            let payload = json!({ "robotId": robot, "playerId": player, "otherSeeableRobots": others });
            self.around.tell("spawn-notification", "spawn-notification", transaction, &payload);
            robot
        };
        planets.iter().map(spawn).collect()
    }

    fn map(&self) -> Caller {
        self.map.lock().unwrap().clone().expect("the stack has a map")
    }

    fn find(&self, robot: Uuid) -> Result<Robot, String> {
        let found = self.robots.lock().unwrap().get(&robot).copied();
        found.ok_or_else(|| format!("Robot with ID {robot} not found"))
    }

    fn standing_on(&self, planet: Uuid) -> Vec<Uuid> {
        let robots = self.robots.lock().unwrap();
        robots.iter().filter(|(_, robot)| robot.planet == planet).map(|(id, _)| *id).collect()
    }

    async fn planet(&self, planet: Uuid) -> Option<Value> {
        let answer = self.map().get_unless_gone(&format!("/planets/{planet}")).await?;
        (answer.status == 200).then_some(answer.body)
    }

    fn tell(&self, topic: &str, transaction: Uuid, outcome: Result<(), String>, success: &Value) {
        let mut payload = if outcome.is_ok() { success.clone() } else { json!({}) };
        payload["success"] = outcome.is_ok().into();
        payload["message"] = outcome.clone().err().unwrap_or_else(|| "successful".to_owned()).into();
        self.around.tell(topic, topic, transaction, &payload);
        self.results.send_modify(|results| results.push(Told { transaction, outcome }));
    }

    async fn carry_out(&self, kind: CommandType, commands: Vec<Vec<Uuid>>) {
        match kind {
            CommandType::Movement => self.move_all(&commands).await,
            CommandType::Mining => self.mine_all(&commands).await,
            CommandType::Battle => {
                for command in commands {
                    self.around.work(&PER_OTHER).await;
                    let [attacker, target, transaction] = command[..] else { unreachable!("three words") };
                    let success = json!({ "attacker": attacker, "defender": target });
                    self.tell("fighting", transaction, self.fight(attacker, target), &success);
                }
            }
            _ => {
                for command in commands {
                    self.around.work(&PER_OTHER).await;
                    self.tell("regeneration", command[1], self.find(command[0]).map(drop), &json!({}));
                }
            }
        }
    }

    /// Failures are told at once, the others when the whole batch is done.
    async fn move_all(&self, commands: &[Vec<Uuid>]) {
        let mut moved = Vec::new();
        for command in commands {
            let [robot, target, transaction] = command[..] else { unreachable!("three words") };
            self.around.work(&PER_MOVE).await;
            match self.step_to(robot, target).await {
                Ok(()) => moved.push((transaction, target)),
                Err(reason) => self.tell("movement", transaction, Err(reason), &Value::Null),
            }
        }
        for (transaction, target) in moved {
            let planet = json!({ "planetId": target, "planetType": "DEFAULT" });
            let success = json!({ "planet": planet, "robots": self.standing_on(target) });
            self.tell("movement", transaction, Ok(()), &success);
            self.around.tell("neighbours", "neighbours", transaction, &json!({ "neighbours": [] }));
        }
    }

    async fn step_to(&self, robot: Uuid, target: Uuid) -> Result<(), String> {
        let from = self.find(robot)?.planet;
        let planet = self.planet(target).await.ok_or("Could not get planet data from MapService")?;
        let neighbours = planet["neighbours"].as_array().unwrap();
        if !neighbours.iter().any(|neighbour| id(&neighbour["planet_id"]) == Some(from)) {
            return Err(format!("The robot cannot move to the planet with ID {target}"));
        }
        self.robots.lock().unwrap().entry(robot).and_modify(|robot| robot.planet = target);
        Ok(())
    }

    /// At this moment.
    fn fight(&self, attacker: Uuid, target: Uuid) -> Result<(), String> {
        let (attacker, target) = (self.find(attacker)?, self.find(target)?);
        if attacker.planet == target.planet {
            Ok(())
        } else {
            Err("The attacking robot and the defending robot are not on the same planet".to_owned())
        }
    }

    /// One call for each planet. If one of them fails, all miners are told of a failure, also those who succeed.
    async fn mine_all(&self, commands: &[Vec<Uuid>]) {
        let mut miners = BTreeMap::<_, Vec<_>>::new();
        for command in commands {
            self.around.work(&PER_OTHER).await;
            let [robot, transaction] = command[..] else { unreachable!("two words") };
            match self.mined_planet(robot).await {
                Ok(planet) => miners.entry(planet).or_default().push(transaction),
                Err(reason) => self.tell("mining", transaction, Err(reason), &Value::Null),
            }
        }
        let everybody: Vec<_> = miners.values().flatten().copied().collect();
        for (planet, transactions) in miners {
            let order = json!({ "mining": { "amount_requested": 2 * transactions.len() } });
            let mining = self.map().post_meanwhile(&format!("/planets/{planet}/minings"), &order);
            if mining.await.unwrap().is_some_and(|answer| answer.status == 201) {
                for transaction in transactions {
                    self.tell("mining", transaction, Ok(()), &json!({ "updatedInventory": 2 }));
                }
            } else {
                let reason =
                    format!("Map Service returned internal error when trying to mine on planet {planet}");
                for transaction in &everybody {
                    self.tell("mining", *transaction, Err(reason.clone()), &Value::Null);
                }
            }
        }
    }

    async fn mined_planet(&self, robot: Uuid) -> Result<Uuid, String> {
        let planet = self.find(robot)?.planet;
        let shown = self.planet(planet).await.filter(|shown| !shown["resource"].is_null());
        shown.ok_or_else(|| format!("Map Service did not return any resource on the planet {planet}"))?;
        Ok(planet)
    }
}

pub(crate) fn routes(robots: Arc<Robots>) -> Router {
    Router::new()
        .route("/commands", post(take_commands))
        .route("/robots", post(spawn))
        .route("/robots/{robot}", get(show))
        .with_state(robots)
}

/// Accepted, and worked on afterwards; what is called JSON in the answer is none.
async fn take_commands(State(robots): State<Arc<Robots>>, Json(body): Json<Value>) -> Response {
    let Some((kind, _)) = Service::Robots.read(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let sentences = body["commands"].as_array().unwrap().iter().map(|sentence| sentence.as_str().unwrap());
    let ids = |sentence: &str| sentence.split(' ').skip(1).map(|id| id.parse().unwrap()).collect();
    let commands = sentences.map(ids).collect();
    tokio::spawn(async move { robots.carry_out(kind, commands).await });
    let json = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::ACCEPTED, json, "Command batch accepted").into_response()
}

async fn spawn(State(robots): State<Arc<Robots>>, Json(order): Json<Value>) -> (StatusCode, Json<Value>) {
    let [transaction, player] = ["transactionId", "player"].map(|field| id(&order[field]).unwrap());
    let planets: Vec<_> =
        order["planets"].as_array().unwrap().iter().map(|planet| id(planet).unwrap()).collect();
    let spawned = robots.spawn(transaction, player, &planets).into_iter().zip(planets);
    let shown = spawned.map(|(robot, planet)| shown(robot, Robot { player, planet })).collect();
    (StatusCode::CREATED, Json(shown))
}

async fn show(State(robots): State<Arc<Robots>>, Path(robot): Path<Uuid>) -> Response {
    match robots.find(robot) {
        Ok(found) => Json(shown(robot, found)).into_response(),
        Err(reason) => (StatusCode::NOT_FOUND, reason).into_response(),
    }
}

fn shown(id: Uuid, Robot { player, planet }: Robot) -> Value {
    let inventory = json!({ "maxStorage": 20, "usedStorage": 0, "storedCoal": 0, "storedIron": 0, "storedGem": 0,
                            "storedGold": 0, "storedPlatin": 0 });
    json!({ "id": id, "player": player, "planet": planet, "alive": true, "maxHealth": 10, "maxEnergy": 20, "energyRegen": 4,
            "attackDamage": 1, "miningSpeed": 2, "health": 10, "energy": 20, "healthLevel": 0, "damageLevel": 0,
            "miningSpeedLevel": 0, "miningLevel": 0, "energyLevel": 0, "energyRegenLevel": 0, "storageLevel": 0,
            "inventory": inventory })
}
