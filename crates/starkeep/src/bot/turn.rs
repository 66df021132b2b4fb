//! One bot's turn: it looks at the game, sends its commands of the round and says that it is ready, so that a turbo game goes on.
//! What is too late is not sent: it would count for the next round.

use std::sync::Arc;

use starkeep_bot_core::Order;
use starkeep_client::ClientError;
use starkeep_contract::command::{BatchItem, CommandRequest};
use starkeep_contract::game::Phase;
use starkeep_contract::view::GameView;
use starkeep_contract::{Code, GameId, TransactionId};
use tokio::sync::watch;

use super::robot_events::RobotEvents;
use super::seated_bot::Bot;
use super::service::Service;
use super::wire;

/// A bot whose turn it is.
pub(super) struct Turn {
    pub(super) bot: Arc<Bot>,
    pub(super) robot_events: Arc<RobotEvents>,
    pub(super) round: u32,
    /// The game's last one.
    pub(super) last_round: u32,
    /// Whether the round takes no more commands.
    pub(super) over: watch::Receiver<bool>,
}

/// The outcome of a turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) commands: Vec<Sent>,
    /// Why the service refused that the bot is ready.
    pub(super) unready: Option<Code>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Accepted(TransactionId),
    Refused(Code),
    /// No answer that could be read: it may have been taken or not.
    Lost,
    /// The round was over before its turn came.
    TooLate,
}

pub(super) async fn play(service: Arc<Service>, game: GameId, mut turn: Turn) -> Played {
    let mut over = turn.over.clone();
    let orders = tokio::select! {
        biased;
        _ = over.wait_for(|over| *over) => None,
        orders = orders(&service, game, &turn) => orders,
    };
    let Some(orders) = orders.filter(|_| !*turn.over.borrow()) else {
        return Played { commands: vec![Sent::TooLate], unready: None };
    };
    let token = turn.bot.token();
    let requests: Vec<_> = orders.iter().map(|order| wire::command(game, token, order)).collect();
    let commands = send(&service, &requests).await;
    // Who was too late for this round must not be ready for the next one before its command.
    if commands.contains(&Sent::Refused(Code::InputEnded)) {
        return Played { commands, unready: None };
    }
    let ready = tokio::select! {
        biased;
        _ = turn.over.wait_for(|over| *over) => return Played { commands, unready: None },
        ready = service.until_answered(|| service.client.ready(game, token)) => ready,
    };
    let unready = match ready {
        Err(ClientError::Refused(problem)) => Some(problem.code),
        Ok(_) | Err(_) => None,
    };
    Played { commands, unready }
}

/// None if the round is over.
async fn orders(service: &Service, game: GameId, turn: &Turn) -> Option<Vec<Order>> {
    turn.robot_events.tell(turn.round).await;
    let shown = service.until_answered(|| turn.bot.client().view(game)).await;
    match shown {
        Ok(shown) if is_over(&shown, turn.round) => None,
        Ok(shown) => match wire::view(&shown, turn.last_round) {
            Some(view) => Some(turn.bot.decide(&view)),
            None => Some(blind()),
        },
        Err(_) => Some(blind()),
    }
}

fn is_over(shown: &GameView, round: u32) -> bool {
    shown.round_number > round || shown.phase == Some(Phase::Execution)
}

/// What a bot orders that sees nothing: robots and trading are another program's, or the service shows nothing.
fn blind() -> Vec<Order> {
    vec![Order::BuyRobots { amount: 1 }]
}

async fn send(service: &Service, requests: &[CommandRequest]) -> Vec<Sent> {
    match requests {
        [] => Vec::new(),
        [request] => vec![match service.client.command(request).await {
            Ok(receipt) => Sent::Accepted(receipt.transaction_id),
            Err(fault) => refused(fault),
        }],
        several => match service.client.commands(several).await {
            Ok(items) => items.into_iter().map(outcome).collect(),
            Err(fault) => vec![refused(fault); several.len()],
        },
    }
}

fn outcome(item: BatchItem) -> Sent {
    match (item.receipt, item.problem) {
        (Some(receipt), _) => Sent::Accepted(receipt.transaction_id),
        (None, Some(problem)) => Sent::Refused(problem.code),
        (None, None) => Sent::Lost,
    }
}

fn refused(fault: ClientError) -> Sent {
    match fault {
        ClientError::Refused(problem) => Sent::Refused(problem.code),
        ClientError::Unreachable { .. } | ClientError::Unreadable { .. } => Sent::Lost,
    }
}
