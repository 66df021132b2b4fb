//! One bot's turn: it sends its command of the round and says that it is ready, so that a turbo game goes on.
//! What is too late is not sent: it would count for the next round.

use std::sync::Arc;

use serde_json::json;
use starkeep_client::ClientError;
use starkeep_contract::command::{CommandObject, CommandRequest, CommandType};
use starkeep_contract::{Code, GameId, TransactionId};
use tokio::sync::watch;

use super::seat::Bot;
use super::service::Service;

/// A bot whose turn it is.
pub(super) struct Turn {
    pub(super) bot: Arc<Bot>,
    /// Whether the round takes no more commands.
    pub(super) over: watch::Receiver<bool>,
}

/// The outcome of a turn.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) command: Sent,
    /// Why the service refused that the bot is ready.
    pub(super) unready: Option<Code>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Accepted(TransactionId),
    Refused(Code),
    /// No answer that could be read: it may have been taken or not.
    Lost,
    /// The round was over before its turn came.
    TooLate,
}

pub(super) async fn play(service: Arc<Service>, game: GameId, mut turn: Turn) -> Played {
    if *turn.over.borrow() {
        return Played { command: Sent::TooLate, unready: None };
    }
    let token = turn.bot.token();
    let command = match service.client.command(&robot_bought(game, token)).await {
        Ok(receipt) => Sent::Accepted(receipt.transaction_id),
        Err(ClientError::Refused(problem)) => Sent::Refused(problem.code),
        Err(_) => Sent::Lost,
    };
    // Who was too late for this round must not be ready for the next one before its command.
    if command == Sent::Refused(Code::InputEnded) {
        return Played { command, unready: None };
    }
    let ready = tokio::select! {
        biased;
        _ = turn.over.wait_for(|over| *over) => return Played { command, unready: None },
        ready = service.until_answered(|| service.client.ready(game, token)) => ready,
    };
    let unready = match ready {
        Err(ClientError::Refused(problem)) => Some(problem.code),
        Ok(_) | Err(_) => None,
    };
    Played { command, unready }
}

/// In the shape that the existing bots send.
fn robot_bought(game: GameId, token: &str) -> CommandRequest {
    let details = CommandObject {
        command_type: Some(CommandType::Buying),
        item_name: Some("ROBOT".to_owned()),
        item_quantity: Some(1),
        ..CommandObject::default()
    };
    CommandRequest {
        game_id: json!(game),
        player_token: json!(token),
        command_type: json!(CommandType::Buying),
        command_object: json!(details),
        ..CommandRequest::default()
    }
}
