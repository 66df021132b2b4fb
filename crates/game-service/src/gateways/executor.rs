//! The services that carry commands out, over HTTP: the trading service and the robot service, each with its own form of
//! a batch. What may have arrived and what certainly has not is told apart here, and nowhere else.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use starkeep_contract::dispatch::{RobotCommands, Trade, TradeCommand, TradeType};
use starkeep_contract::{PlayerId, RobotId, TransactionId};
use starkeep_game_core::{Command, ExecutorKind, Order};
use starkeep_platform::error_chain::error_chain;

use super::service_url::ServiceUrl;
use crate::ports::{Batch, BatchFault, Executor};

/// A connection that does not come about within this long is as good as refused.
const LONGEST_CONNECT: Duration = Duration::from_secs(2);

/// So much of a refusal is read, for the log.
const LONGEST_REASON: usize = 4096;

/// And so much of how a service says it is.
const LONGEST_HEALTH: usize = 1024 * 1024;

pub struct HttpExecutor {
    url: ServiceUrl,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl HttpExecutor {
    pub fn new(url: ServiceUrl) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(LONGEST_CONNECT));
        // A connection of its own for each batch, and no second attempt behind our back: one that is kept may be closed
        // by the other side at any instant, and then nobody knows what arrived.
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(0)
            .retry_canceled_requests(false)
            .build(connector);
        Self { url, client }
    }

    /// Does the service say of itself that it carries a batch out once, however often it comes?
    pub async fn executes_once(&self) -> bool {
        let Ok(address) = self.url.path("/health").parse() else { return false };
        let Ok(answer) = self.client.get(address).await else { return false };
        let Ok(body) = Limited::new(answer.into_body(), LONGEST_HEALTH).collect().await else { return false };
        let health: Option<Value> = serde_json::from_slice(&body.to_bytes()).ok();
        health.is_some_and(|health| health["executesOnce"] == true)
    }

    async fn send(&self, batch: &Batch) -> Result<(), BatchFault> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.url.path("/commands"))
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(header::ACCEPT, HeaderValue::from_static("application/json"))
            .body(Full::from(body_of(batch)))
            .map_err(|fault| BatchFault::NotReached(format!("the request cannot be built: {fault}")))?;
        let answer = self.client.request(request).await.map_err(|fault| {
            let reason = format!("{}: {}", self.url.as_str(), error_chain(&fault));
            if fault.is_connect() { BatchFault::NotReached(reason) } else { BatchFault::Unclear(reason) }
        })?;
        let status = answer.status();
        if status.is_success() {
            // What the answer's body says, and how it is labelled, means nothing.
            return Ok(());
        }
        let body = Limited::new(answer.into_body(), LONGEST_REASON).collect().await;
        let text =
            body.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned()).unwrap_or_default();
        Err(refused(status, &format!("{} answers {status}: {}", self.url.as_str(), text.escape_debug())))
    }
}

impl Executor for HttpExecutor {
    fn take<'a>(&'a self, batch: &'a Batch) -> BoxFuture<'a, Result<(), BatchFault>> {
        Box::pin(self.send(batch))
    }
}

/// Both services look at a batch as a whole before they carry out the first command; one that breaks down does so anywhere.
fn refused(status: StatusCode, reason: &str) -> BatchFault {
    if status.is_client_error() {
        BatchFault::TurnedDown(reason.to_owned())
    } else {
        BatchFault::Unclear(reason.to_owned())
    }
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
