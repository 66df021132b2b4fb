//! The services that carry commands out, over HTTP: the trading service and the robot service, each with its own form of
//! a batch. Only this file decides, from an answer or its absence, whether a batch may have arrived.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde_json::Value;
use starkeep_contract::dispatch::{RobotCommands, Trade, TradeCommand, TradeType};
use starkeep_contract::{Code, PlayerId, Problem, RobotId, TransactionId, batch_headers};
use starkeep_game_core::{Command, ExecutorKind, Order};
use starkeep_http_client::{Call, Caller, Connections, Failure, Refusal, ServiceUrl, Timeout};
use starkeep_platform::clock::Clock;

use super::service_token::ServiceToken;
use crate::ports::{Batch, BatchFault, Executor, ExecutorHealth, Taken};

/// A connection that is not established within this time counts as refused.
const LONGEST_CONNECT: Duration = Duration::from_secs(2);

/// How many bytes of a refusal are read, for the log.
const LONGEST_REASON: usize = 4096;

/// What is kept of a batch's time for the answer of an executor that waits in vain for news of the round; half of the time
/// where that is less.
const ANSWER_RESERVE: Duration = Duration::from_millis(100);

/// A healthy executor answers at once.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

pub struct HttpExecutor {
    url: ServiceUrl,
    token: ServiceToken,
    prober: Caller,
}

impl HttpExecutor {
    /// Batches are sent without a time-out: the dispatcher has its own.
    pub fn new(url: ServiceUrl, token: ServiceToken, clock: Arc<dyn Clock>) -> Self {
        let prober = caller(&url, LONGEST_CONNECT).with_timeout(Timeout { clock, after: PROBE_TIMEOUT });
        Self { url, token, prober }
    }

    /// The existing services may lack this route: a 4xx answer, too, shows that they are reachable.
    async fn ask_health(&self) -> Result<ExecutorHealth, String> {
        let url = self.url.as_str();
        let answer = self.prober.exchange(&Call::get("/health")).await;
        let answer = answer.map_err(|failure| format!("{url}: {failure}"))?;
        let executes_once = answer.json::<Value>().is_ok_and(|health| health["executesOnce"] == true);
        self.token.learn(executes_once);
        let fault = answer.status.is_server_error().then(|| {
            let refusal = answer.into_refusal();
            format!("{url} answers {}: {}", refusal.status, refusal.excerpt())
        });
        Ok(ExecutorHealth { executes_once, fault })
    }

    async fn send(&self, batch: &Batch, time_left: Duration) -> Result<Taken, BatchFault> {
        let mut call = Call::once(Method::POST, "/commands")
            .json_bytes(body_of(batch))
            .header(header::ACCEPT, HeaderValue::from_static("application/json"))
            .largest_answer(LONGEST_REASON);
        for (name, value) in headers_of(batch, time_left) {
            call = call.header(name, value);
        }
        // The body of a success has no meaning, so it is not read.
        let caller = self.token.shown_by(&caller(&self.url, time_left.min(LONGEST_CONNECT)));
        let answer = caller.open(&call).await.map_err(|failure| self.fault(failure))?;
        let position = answer.headers().get(batch_headers::POSITION).and_then(|value| value.to_str().ok());
        Ok(Taken { position: position.map(str::to_owned) })
    }

    fn fault(&self, failure: Failure) -> BatchFault {
        let url = self.url.as_str();
        match failure {
            Failure::NotSent(reason) => BatchFault::NotReached(format!("{url}: {reason}")),
            Failure::NoAnswer(reason) | Failure::Unreadable(reason) => {
                BatchFault::Unclear(format!("{url}: {reason}"))
            }
            Failure::Refused(refusal) => {
                let status = refusal.status;
                refused(&refusal, format!("{url} answers {status}: {}", refusal.text().escape_debug()))
            }
        }
    }
}

impl Executor for HttpExecutor {
    fn take<'a>(&'a self, batch: &'a Batch, time_left: Duration) -> BoxFuture<'a, Result<Taken, BatchFault>> {
        Box::pin(self.send(batch, time_left))
    }

    fn probe(&self) -> BoxFuture<'_, Result<ExecutorHealth, String>> {
        Box::pin(self.ask_health())
    }
}

/// Every call has a connection of its own.
fn caller(url: &ServiceUrl, connect_timeout: Duration) -> Caller {
    Caller::new(url.clone(), Connections::OnePerCall { connect_timeout })
}

/// Both services check a whole batch before they carry out its first command, so a 4xx means that nothing was carried out.
/// A 5xx may come at any point, also when a part was carried out. Only that its round is not known there yet is said before
/// anything is begun.
fn refused(refusal: &Refusal, reason: String) -> BatchFault {
    let is_early = |problem: &Problem| problem.code == Code::RoundNotReached;
    match refusal.status {
        status if status.is_client_error() => BatchFault::TurnedDown(reason),
        StatusCode::SERVICE_UNAVAILABLE if refusal.problem.as_ref().is_some_and(is_early) => {
            BatchFault::NotNow(reason)
        }
        _ => BatchFault::Unclear(reason),
    }
}

/// What our own executors need to know beside the commands; those of the existing stack ignore it.
fn headers_of(batch: &Batch, time_left: Duration) -> [(HeaderName, HeaderValue); 4] {
    // An executor that cannot keep up says so early enough for its answer to be heard.
    let timeout = time_left.saturating_sub(ANSWER_RESERVE.min(time_left / 2));
    let header = |name, text: String| {
        (HeaderName::from_static(name), HeaderValue::from_str(&text).expect("digits and hyphens"))
    };
    [
        header(batch_headers::GAME, batch.game.to_string()),
        header(batch_headers::ROUND, batch.round.to_string()),
        header(batch_headers::SEED, batch.seed.to_string()),
        header(batch_headers::TIMEOUT_MILLIS, timeout.as_millis().to_string()),
    ]
}

fn body_of(batch: &Batch) -> Vec<u8> {
    let commands = batch.commands.iter().map(|command| &**command);
    let body = match batch.kind.executor() {
        ExecutorKind::Trading => serde_json::to_vec(&commands.filter_map(trade).collect::<Vec<_>>()),
        ExecutorKind::Robots => {
            serde_json::to_vec(&RobotCommands { commands: commands.filter_map(sentence).collect() })
        }
    };
    body.expect("the contract's types are plain data")
}

fn trade(command: &Command) -> Option<TradeCommand> {
    let robot_id = command.order.robot().map(|robot| RobotId(robot.0));
    let payload = match command.order.clone() {
        Order::Sell { item, planet, .. } => {
            let command_type = TradeType::Sell;
            Trade { command_type, robot_id, amount: None, planet_id: planet, item_name: item }
        }
        Order::Buy { item, planet, .. } => {
            let command_type = TradeType::Buy;
            Trade { command_type, robot_id, amount: Some(1), planet_id: planet, item_name: Some(item) }
        }
        Order::BuyRobots { quantity, planet } => Trade {
            command_type: TradeType::Buy,
            robot_id,
            amount: Some(quantity),
            planet_id: planet,
            item_name: Some("ROBOT".to_owned()),
        },
        Order::Move { .. } | Order::Fight { .. } | Order::Mine { .. } | Order::Regenerate { .. } => {
            return None;
        }
    };
    let (transaction_id, player_id) = (TransactionId(command.id.0), PlayerId(command.player.0));
    Some(TradeCommand { transaction_id, player_id, payload })
}

fn sentence(command: &Command) -> Option<String> {
    let id = command.id;
    Some(match &command.order {
        Order::Move { robot, planet } => format!("move {robot} {planet} {id}"),
        Order::Fight { robot, target } => format!("fight {robot} {target} {id}"),
        Order::Mine { robot } => format!("mine {robot} {id}"),
        Order::Regenerate { robot } => format!("regenerate {robot} {id}"),
        Order::Sell { .. } | Order::Buy { .. } | Order::BuyRobots { .. } => return None,
    })
}
