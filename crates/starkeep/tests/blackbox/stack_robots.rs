//! The robot service of the existing stack: it accepts every batch at once and works on all of them at the same time, slowly, asks
//! the map, and tells each result over Kafka. Robots have neither energy nor health here, and are in memory only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use starkeep_test_http::{Caller, within_limit};
use tokio::sync::watch;
use uuid::Uuid;

use crate::execution_wire::Service;
use crate::stack::{Surroundings, id};

pub(crate) struct Robots {
    pub(crate) around: Arc<Surroundings>,
    map: Mutex<Option<Caller>>,
    alive: Mutex<BTreeMap<Uuid, Robot>>,
    results: watch::Sender<Vec<Told>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Robot {
    pub(crate) player: Uuid,
    pub(crate) planet: Uuid,
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
        let (map, alive) = (Mutex::default(), Mutex::default());
        Self { around, map, alive, results: watch::Sender::default() }
    }

    pub(crate) fn use_map(&self, map: Caller) {
        *self.map.lock().unwrap() = Some(map);
    }

    /// As at a restart.
    pub(crate) fn forget_all(&self) {
        self.alive.lock().unwrap().clear();
    }

    pub(crate) fn of(&self, player: Uuid) -> Vec<Uuid> {
        let robots = self.alive.lock().unwrap();
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
            self.alive.lock().unwrap().insert(robot, Robot { player, planet });
            let payload = json!({ "robotId": robot, "playerId": player, "otherSeeableRobots": others });
            self.around.tell("spawn-notification", "spawn-notification", transaction, &payload);
            robot
        };
        planets.iter().map(spawn).collect()
    }

    pub(crate) fn map(&self) -> Caller {
        self.map.lock().unwrap().clone().expect("the stack has a map")
    }

    pub(crate) fn find(&self, robot: Uuid) -> Result<Robot, String> {
        let found = self.alive.lock().unwrap().get(&robot).copied();
        found.ok_or_else(|| format!("Robot with ID {robot} not found"))
    }

    pub(crate) fn standing_on(&self, planet: Uuid) -> Vec<Uuid> {
        let robots = self.alive.lock().unwrap();
        robots.iter().filter(|(_, robot)| robot.planet == planet).map(|(id, _)| *id).collect()
    }

    /// Unless it is gone meanwhile.
    pub(crate) fn put_on(&self, robot: Uuid, planet: Uuid) {
        self.alive.lock().unwrap().entry(robot).and_modify(|robot| robot.planet = planet);
    }

    pub(crate) async fn planet(&self, planet: Uuid) -> Option<Value> {
        let answer = self.map().get_unless_gone(&format!("/planets/{planet}")).await?;
        (answer.status == 200).then_some(answer.body)
    }

    pub(crate) fn tell(&self, topic: &str, transaction: Uuid, outcome: Result<(), String>, success: &Value) {
        let mut payload = if outcome.is_ok() { success.clone() } else { json!({}) };
        payload["success"] = outcome.is_ok().into();
        payload["message"] = outcome.clone().err().unwrap_or_else(|| "successful".to_owned()).into();
        self.around.tell(topic, topic, transaction, &payload);
        self.results.send_modify(|results| results.push(Told { transaction, outcome }));
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
