//! The robot service over HTTP. Only this file decides, from an answer or its absence, whether a call may have taken effect.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderValue, Method, StatusCode, header};
use serde_json::Value;
use starkeep_contract::robot_service::{
    ResourceAmounts, RestorationType, RestoreRobot, Robot, SpawnRobots, UpgradeRobot, UpgradeType,
};
use starkeep_contract::{Code, PlanetId as WirePlanetId, PlayerId as WirePlayerId, TransactionId};
use starkeep_executor::BatchHeaders;
use starkeep_http_client::{Answer, Call, Caller, Connections, Failure, Refusal, ServiceUrl, Timeout, Token};
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;
use starkeep_trading_core::{Amounts, PlanetId, PlayerId, RobotId, TradedRobot, Upgrade};

use crate::ports::{CallContext, Delivered, RobotCall, RobotFault, RobotWork, Robots};

/// A thousand robots of half a kilobyte.
const LARGEST_ANSWER: usize = 4 * 1024 * 1024;

/// A healthy service answers at once.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) struct HttpRobots {
    caller: Caller,
    clock: Arc<dyn Clock>,
    /// It has said so of itself in this process.
    is_known_to_execute_once: AtomicBool,
    last_fault: Mutex<Option<String>>,
}

impl HttpRobots {
    pub(crate) fn new(url: ServiceUrl, token: &AdminToken, clock: Arc<dyn Clock>) -> Self {
        let caller = Caller::new(url, Connections::Pooled).with_token(token.secret().map(Token::new));
        Self { caller, clock, is_known_to_execute_once: AtomicBool::new(false), last_fault: Mutex::default() }
    }

    async fn ask(&self, call: Call, within: Duration) -> Result<Answer, RobotFault> {
        self.exchange(call, within).await?.into_success().map_err(|failure| self.fault_of(failure))
    }

    /// The answer, whatever its status; what it says about the service's health is kept.
    async fn exchange(&self, call: Call, within: Duration) -> Result<Answer, RobotFault> {
        let timeout = Timeout { clock: self.clock.clone(), after: within };
        let outcome = self.caller.clone().with_timeout(timeout).exchange(&call).await;
        let outcome = outcome.map_err(|failure| self.fault_of(failure));
        let fault = match &outcome {
            Ok(answer) if answer.status.is_server_error() => {
                Some(format!("{} answers {}", self.caller.url(), answer.status))
            }
            Err(RobotFault::NotReached(fault) | RobotFault::Unclear(fault)) => Some(fault.clone()),
            Ok(_) | Err(RobotFault::Refused(_)) => None,
        };
        *self.last_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        outcome
    }

    fn fault_of(&self, failure: Failure) -> RobotFault {
        let url = self.caller.url();
        match failure {
            Failure::NotSent(reason) => RobotFault::NotReached(format!("{url}: {reason}")),
            Failure::NoAnswer(reason) | Failure::Unreadable(reason) => {
                RobotFault::Unclear(format!("{url}: {reason}"))
            }
            Failure::Refused(refusal) if refusal.status.is_client_error() || is_final(&refusal) => {
                let problem = refusal.problem.as_ref();
                RobotFault::Refused(
                    problem.map_or_else(|| refusal.excerpt(), |problem| problem.detail.clone()),
                )
            }
            Failure::Refused(refusal) => RobotFault::Unclear(format!("{url}: {refusal}")),
        }
    }
}

impl Robots for HttpRobots {
    fn find(
        &self,
        robot: RobotId,
        context: CallContext,
    ) -> BoxFuture<'_, Result<Option<TradedRobot>, RobotFault>> {
        Box::pin(async move {
            let call = with_headers(Call::get(format!("/robots/{robot}")), &context.headers);
            let answer = self.exchange(call, context.within).await?;
            if answer.status == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            let robot = answer.into_success().and_then(|answer| answer.json::<Robot>());
            let robot = robot.map_err(|failure| self.fault_of(failure))?;
            Ok(Some(TradedRobot { owner: PlayerId(robot.player.0), planet: PlanetId(robot.planet.0) }))
        })
    }

    fn deliver(&self, call: RobotCall, context: CallContext) -> BoxFuture<'_, Result<Delivered, RobotFault>> {
        Box::pin(async move {
            let request = with_headers(request_of(&call), &context.headers);
            let answer = self.ask(request, context.within).await?;
            Ok(delivered(&call.work, &answer))
        })
    }

    fn executes_once(&self) -> BoxFuture<'_, Result<bool, RobotFault>> {
        Box::pin(async move {
            if self.is_known_to_execute_once.load(Ordering::Relaxed) {
                return Ok(true);
            }
            let health = match self.ask(Call::get("/health"), PROBE_TIMEOUT).await {
                Ok(answer) => answer.json::<Value>().unwrap_or_default(),
                // The existing service lacks this route.
                Err(RobotFault::Refused(_)) => Value::Null,
                Err(fault) => return Err(fault),
            };
            let once = health["executesOnce"] == true;
            self.is_known_to_execute_once.store(once, Ordering::Relaxed);
            Ok(once)
        })
    }

    fn fault(&self) -> Option<String> {
        self.last_fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The robot service looks whether the call was carried out before it asks the map, so this one was not, and no robot was
/// spawned: it need not be made again.
fn is_final(refusal: &Refusal) -> bool {
    refusal.problem.as_ref().is_some_and(|problem| problem.code == Code::MapUnavailable)
}

fn with_headers(call: Call, headers: &BatchHeaders) -> Call {
    let call = call
        .header(header::ACCEPT, HeaderValue::from_static("application/json, text/plain"))
        .largest_answer(LARGEST_ANSWER);
    headers.to_send().into_iter().fold(call, |call, (name, value)| call.header(name, value))
}

fn request_of(call: &RobotCall) -> Call {
    let transaction_id = TransactionId(call.transaction);
    let post = |path: String| Call::keyed(Method::POST, path, call.transaction.to_string());
    let restore = |robot: RobotId, restoration_type| {
        post(format!("/robots/{robot}/instant-restore"))
            .json(&RestoreRobot { transaction_id, restoration_type })
    };
    match &call.work {
        RobotWork::Spawn { player, planets } => {
            let quantity = i64::try_from(planets.len()).ok().and_then(starkeep_contract::Bounded::new);
            let planets = planets.iter().map(|planet| WirePlanetId(planet.0)).collect();
            let player = WirePlayerId(player.0);
            post("/robots".to_owned()).json(&SpawnRobots { transaction_id, player, planets, quantity })
        }
        RobotWork::RestoreHealth { robot } => restore(*robot, RestorationType::Health),
        RobotWork::RestoreEnergy { robot } => restore(*robot, RestorationType::Energy),
        RobotWork::Upgrade { robot, of, level } => {
            post(format!("/robots/{robot}/upgrades")).json(&UpgradeRobot {
                transaction_id,
                upgrade_type: upgrade_type(*of),
                target_level: (*level).into(),
            })
        }
        RobotWork::Unload { robot } => post(format!("/robots/{robot}/inventory/clearResources")),
    }
}

fn upgrade_type(of: Upgrade) -> UpgradeType {
    match of {
        Upgrade::Storage => UpgradeType::Storage,
        Upgrade::Health => UpgradeType::Health,
        Upgrade::Damage => UpgradeType::Damage,
        Upgrade::MiningSpeed => UpgradeType::MiningSpeed,
        Upgrade::Mining => UpgradeType::Mining,
        Upgrade::MaxEnergy => UpgradeType::MaxEnergy,
        Upgrade::EnergyRegen => UpgradeType::EnergyRegen,
    }
}

/// A success took effect, whatever its content is: what cannot be read of it is left out.
fn delivered(work: &RobotWork, answer: &Answer) -> Delivered {
    let unreadable = |failure: Failure| {
        tracing::error!(%failure, ?work, "the robot service's answer cannot be read");
    };
    match work {
        RobotWork::Spawn { .. } => Delivered::Spawned(answer.json().map_err(unreadable).unwrap_or_default()),
        RobotWork::Unload { .. } => {
            let amounts: ResourceAmounts = answer.json().map_err(unreadable).unwrap_or_default();
            let ResourceAmounts { coal, iron, gem, gold, platin } = amounts;
            Delivered::Unloaded(Amounts::new([coal, iron, gem, gold, platin]))
        }
        RobotWork::RestoreHealth { .. } | RobotWork::RestoreEnergy { .. } | RobotWork::Upgrade { .. } => {
            Delivered::Changed(String::from_utf8_lossy(&answer.body).into_owned())
        }
    }
}
