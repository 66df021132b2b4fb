//! What players see of commands: receipts, and the commands of a round as their readers know them.
//! How a command is asked for is in `command_input`.

use std::time::Duration;

use starkeep_contract::command::{
    BatchItem, CommandObject, CommandResult as WireResult, CommandState, CommandType, Receipt, RoundCommands,
    ShownCommand,
};
use starkeep_contract::events::Channel;
use starkeep_contract::{
    GameId as WireGameId, PlayerId as WirePlayerId, Problem, RobotId as WireRobotId, RoundId, TransactionId,
};
use starkeep_game_core::{Command, GameId, Kind, Order};

use super::{Wire, millis};
use crate::domain::{AcceptedCommand, BatchState, CommandResult};
use crate::ports::{KeptCommand, KeptRound};

/// Buys robots, which no robot does.
pub(super) const ROBOT: &str = "ROBOT";

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    pub fn accepted(self, AcceptedCommand { command, collection_left }: &AcceptedCommand) -> Receipt {
        receipt(command, CommandState::Pending, *collection_left)
    }

    pub fn receipt(self, kept: &KeptCommand, collection_left: Duration) -> Receipt {
        let state = match state(kept.batch) {
            _ if kept.replaced => CommandState::Replaced,
            // Whoever has told its result has taken it.
            CommandState::Unknown if kept.result.is_some() => CommandState::Dispatched,
            state => state,
        };
        let result = kept.result.as_ref().and_then(result);
        Receipt { result, ..receipt(&kept.command, state, collection_left) }
    }

    /// What one of several commands would have been answered with alone.
    pub fn batch_item(self, outcome: Result<Receipt, Problem>) -> BatchItem {
        match outcome {
            Ok(receipt) => BatchItem { status: 201, receipt: Some(receipt), problem: None },
            Err(problem) => BatchItem { status: problem.status, receipt: None, problem: Some(problem) },
        }
    }

    pub fn round_commands(self, game: GameId, round: u32, kept: &KeptRound) -> RoundCommands {
        RoundCommands {
            game_id: WireGameId(game.0),
            round_id: RoundId(kept.id.0),
            round_number: round,
            commands: kept.commands.iter().map(shown).collect(),
        }
    }
}

fn receipt(command: &Command, state: CommandState, collection_left: Duration) -> Receipt {
    Receipt {
        transaction_id: TransactionId(command.id.0),
        state,
        round_number: command.round,
        collection_left_in_millis: millis(collection_left),
        result: None,
    }
}

/// None if it was kept by a version with other channels.
fn result(CommandResult { channel, event_type, payload, .. }: &CommandResult) -> Option<WireResult> {
    Some(WireResult {
        channel: Channel::from_name(channel)?,
        r#type: event_type.clone(),
        payload: serde_json::from_str(payload).ok()?,
    })
}

fn state(batch: Option<BatchState>) -> CommandState {
    match batch {
        None | Some(BatchState::Sending) => CommandState::Pending,
        Some(BatchState::Dispatched) => CommandState::Dispatched,
        Some(BatchState::Undelivered) => CommandState::Undelivered,
        Some(BatchState::Unknown) => CommandState::Unknown,
        Some(BatchState::Dropped) => CommandState::Dropped,
    }
}

fn shown(command: &Command) -> ShownCommand {
    let command_type = word(command.order.kind());
    let object = CommandObject { command_type: Some(command_type), ..CommandObject::default() };
    let command_object = match command.order.clone() {
        Order::Sell { item: item_name, planet: planet_id, .. } => {
            CommandObject { item_name, planet_id, ..object }
        }
        Order::Buy { item, planet: planet_id, .. } => {
            CommandObject { item_name: Some(item), planet_id, ..object }
        }
        Order::BuyRobots { quantity, planet: planet_id } => CommandObject {
            item_name: Some(ROBOT.to_owned()),
            item_quantity: Some(quantity),
            planet_id,
            ..object
        },
        Order::Move { planet, .. } => CommandObject { planet_id: Some(planet.to_string()), ..object },
        Order::Fight { target, .. } => CommandObject { target_id: Some(WireRobotId(target.0)), ..object },
        Order::Mine { .. } | Order::Regenerate { .. } => object,
    };
    ShownCommand {
        transaction_id: TransactionId(command.id.0),
        game_id: WireGameId(command.game.0),
        player_id: WirePlayerId(command.player.0),
        robot_id: command.order.robot().map(|robot| WireRobotId(robot.0)),
        command_type,
        command_object,
    }
}

fn word(kind: Kind) -> CommandType {
    match kind {
        Kind::Selling => CommandType::Selling,
        Kind::Buying => CommandType::Buying,
        Kind::Movement => CommandType::Movement,
        Kind::Battle => CommandType::Battle,
        Kind::Mining => CommandType::Mining,
        Kind::Regeneration => CommandType::Regeneration,
    }
}
