//! The map service over HTTP: tells of planets, and mines. Every call has a time-out.
//! Only this file decides, from an answer or its absence, whether a mining may have taken effect.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderName, Method, StatusCode};
use serde::Deserialize;
use starkeep_contract::map::{Amount, CreateMining, NewMining};
use starkeep_contract::{RobotId as WireRobotId, TransactionId, batch_headers};
use starkeep_http_client::{Answer, Call, Caller, Connections, Failure, ServiceUrl, Timeout, Token};
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_robot_core::{MiningRefusal, Neighbour, Planet, PlanetFault, PlanetId, ResourceKind};
use uuid::Uuid;

use crate::domain::MiningCall;
use crate::ports::{Map, MiningAnswer, PlanetFailure};

/// A planet takes about a kilobyte.
const LARGEST_ANSWER: usize = 64 * 1024;

/// A map that is well tells of a planet at once. One of its replicas may be frozen, and another be asked soon.
const PLANET_TIMEOUT: Duration = Duration::from_millis(500);

pub(crate) struct HttpMap {
    caller: Caller,
    /// The same, with less patience.
    planets: Caller,
    last_fault: Mutex<Option<String>>,
}

impl HttpMap {
    pub(crate) fn new(url: ServiceUrl, token: &AdminToken, clock: Arc<dyn Clock>, after: Duration) -> Self {
        let caller = Caller::new(url, Connections::Pooled).with_token(token.secret().map(Token::new));
        let planets = Timeout { clock: clock.clone(), after: after.min(PLANET_TIMEOUT) };
        Self {
            planets: caller.clone().with_timeout(planets),
            caller: caller.with_timeout(Timeout { clock, after }),
            last_fault: Mutex::default(),
        }
    }

    /// The answer, whatever its status; what it says about the map's health is kept.
    async fn call(&self, caller: &Caller, call: Call) -> Result<Answer, Failure> {
        let outcome = caller.exchange(&call.largest_answer(LARGEST_ANSWER)).await;
        let fault = match &outcome {
            Err(failure) => Some(failure.to_string()),
            Ok(answer) if answer.status.is_server_error() => Some(format!("it answers {}", answer.status)),
            Ok(answer) if [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&answer.status) => {
                Some(format!("it answers {}: was it started with the same admin token?", answer.status))
            }
            Ok(_) => None,
        };
        let fault = fault.map(|fault| format!("{}: {fault}", self.caller.url()));
        *self.last_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        outcome
    }

    async fn ask_planet(&self, planet: PlanetId) -> Result<Planet, PlanetFailure> {
        let answer = self.call(&self.planets, Call::get(format!("/planets/{planet}"))).await;
        let answer = answer.map_err(|_| PlanetFailure { fault: PlanetFault::NoAnswer, may_pass: true })?;
        let (fault, may_pass) = match answer.status {
            StatusCode::OK => match answer.json::<PlanetForm>() {
                Ok(told) => return Ok(told.into()),
                Err(_) => (PlanetFault::BadAnswer, false),
            },
            // The existing map says 400 to an id that it does not know.
            StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST => (PlanetFault::Unknown, false),
            status => (PlanetFault::BadAnswer, status.is_server_error()),
        };
        Err(PlanetFailure { fault, may_pass })
    }

    async fn ask_mining(&self, call: &MiningCall) -> MiningAnswer {
        let Some(first) = call.site.miners.first() else { return MiningAnswer::Mined(0) };
        let path = format!("/planets/{}/minings", call.site.planet);
        let sent = Call::keyed(Method::POST, path, first.order.command.to_string()).json(&body_of(call));
        let round = call.round.map(|round| (HeaderName::from_static(batch_headers::ROUND), round.into()));
        let sent = round.into_iter().fold(sent, |sent, (name, value)| sent.header(name, value));
        match self.call(&self.caller, sent).await {
            Ok(answer) => read_mining(&answer, call.site.requested()),
            Err(Failure::NotSent(_)) => MiningAnswer::NotTaken,
            Err(_) => MiningAnswer::Unknown,
        }
    }
}

impl Map for HttpMap {
    fn planet(&self, planet: PlanetId) -> BoxFuture<'_, Result<Planet, PlanetFailure>> {
        Box::pin(self.ask_planet(planet))
    }

    fn mine<'a>(&'a self, call: &'a MiningCall) -> BoxFuture<'a, MiningAnswer> {
        Box::pin(self.ask_mining(call))
    }

    fn fault(&self) -> Option<String> {
        self.last_fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Who mines is said only where that is one robot.
fn body_of(call: &MiningCall) -> CreateMining {
    let only = match &call.site.miners[..] {
        [only] => Some(only.order),
        _ => None,
    };
    let requested =
        i64::try_from(call.site.requested()).unwrap_or(Amount::MOST).clamp(Amount::LEAST, Amount::MOST);
    let mining = NewMining {
        amount_requested: Amount::new(requested).expect("clamped"),
        transaction_id: only.map(|order| TransactionId(order.command.0)),
        robot_id: only.map(|order| WireRobotId(order.robot.0)),
    };
    CreateMining { mining }
}

fn read_mining(answer: &Answer, requested: u64) -> MiningAnswer {
    match answer.status {
        StatusCode::CREATED => {
            let mined = answer.json::<MinedForm>().ok().map(|mined| mined.amount_mined);
            match mined.filter(|mined| *mined <= requested) {
                Some(mined) => MiningAnswer::Mined(mined),
                // It would be answered like this again.
                None => MiningAnswer::Refused(MiningRefusal::BadAnswer),
            }
        }
        StatusCode::NOT_FOUND => MiningAnswer::Refused(MiningRefusal::UnknownPlanet),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => MiningAnswer::NotTaken,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => MiningAnswer::Unknown,
        status if status.is_client_error() => MiningAnswer::Refused(MiningRefusal::BadAnswer),
        _ => MiningAnswer::Unknown,
    }
}

/// All that is needed of a mining.
#[derive(Deserialize)]
struct MinedForm {
    amount_mined: u64,
}

/// All that is needed of a planet; other maps may tell more.
#[derive(Deserialize)]
struct PlanetForm {
    id: Uuid,
    movement_difficulty: u32,
    #[serde(default)]
    planet_type: String,
    #[serde(default)]
    neighbours: Vec<NeighbourForm>,
    #[serde(default)]
    resource: Option<ResourceForm>,
}

#[derive(Deserialize)]
struct NeighbourForm {
    planet_id: Uuid,
    movement_difficulty: u32,
    direction: String,
}

#[derive(Deserialize)]
struct ResourceForm {
    resource_type: String,
}

impl From<PlanetForm> for Planet {
    fn from(told: PlanetForm) -> Self {
        let neighbours = told.neighbours.into_iter().map(|neighbour| Neighbour {
            planet: PlanetId(neighbour.planet_id),
            movement_difficulty: neighbour.movement_difficulty,
            direction: neighbour.direction.to_lowercase(),
        });
        Self {
            id: PlanetId(told.id),
            movement_difficulty: told.movement_difficulty,
            is_station: told.planet_type == "spacestation",
            resource: told.resource.and_then(|resource| ResourceKind::parse(&resource.resource_type)),
            neighbours: neighbours.collect(),
        }
    }
}
