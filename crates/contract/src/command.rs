//! Commands: how a player sends one, in the two shapes that bots know, and what it is told about it.
//! Whatever else a bot sends along is ignored; which fields a command needs depends on its type.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{GameId, PlayerId, Problem, RobotId, RoundId, TransactionId};

/// As many commands are taken in one request.
pub const LARGEST_BATCH: usize = 1000;

/// `POST /commands`. Either `{gameId, playerToken, robotId, commandType, commandObject}` or `{playerId, type, data}`;
/// also a mixture. An empty text and null mean that a field is absent.
// Taken as it comes: bots send empty texts, nulls and zeros where they mean nothing. The game service makes sense of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandRequest {
    /// The game that is meant; if absent, the only running one of the player.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub game_id: Value,
    /// The player's token, unless it is shown as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub player_token: Value,
    /// Enough in the msd dialect.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub player_id: Value,
    /// The robot that is to act; may also stand among the details.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub robot_id: Value,
    /// `selling`, `buying`, `movement`, `battle`, `mining` or `regeneration` (or `regenerate`).
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<String>, example = "buying")]
    pub command_type: Value,
    /// The same in the other shape.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<String>)]
    pub r#type: Value,
    /// The details.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<CommandObject>)]
    pub command_object: Value,
    /// The same in the other shape.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<CommandObject>)]
    pub data: Value,
}

/// The details of a command, as they are sent and shown. What does not apply is null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_type: Option<CommandType>,
    /// The robot that is to act, where it does not stand beside the details.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot_id: Option<RobotId>,
    /// Where to move; of a trade where it takes place, handed on as it is.
    pub planet_id: Option<String>,
    /// The robot to fight.
    pub target_id: Option<RobotId>,
    /// What to buy or sell, handed on as it is; `ROBOT` buys robots.
    #[schema(example = "ROBOT")]
    pub item_name: Option<String>,
    /// How many robots to buy, 1 to 1000; without a meaning elsewhere.
    pub item_quantity: Option<u32>,
}

/// What a command is about; in the order in which a round's commands are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommandType {
    Selling,
    Buying,
    Movement,
    Battle,
    Mining,
    #[serde(alias = "regenerate")]
    Regeneration,
}

impl CommandType {
    pub const ALL: [Self; 6] =
        [Self::Selling, Self::Buying, Self::Movement, Self::Battle, Self::Mining, Self::Regeneration];

    pub fn name(self) -> &'static str {
        match self {
            Self::Selling => "selling",
            Self::Buying => "buying",
            Self::Movement => "movement",
            Self::Battle => "battle",
            Self::Mining => "mining",
            Self::Regeneration => "regeneration",
        }
    }
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommandState {
    /// Accepted; its round's execution has yet to come to it.
    Pending,
    /// A later command for the same robot took its place.
    Replaced,
    /// The service that carries it out has taken it.
    Dispatched,
    /// It certainly did not reach the service that carries it out.
    Undelivered,
    /// It was sent, and nobody knows whether it arrived. It is not sent again.
    Unknown,
    /// The game ended before it was sent.
    Dropped,
}

/// Answer to `POST /commands` and `GET /commands/{transactionId}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Links the command to the events that come of it.
    pub transaction_id: TransactionId,
    pub state: CommandState,
    /// The round that the command belongs to.
    pub round_number: u32,
    /// How long that round still takes commands; 0 when it does not any longer.
    pub collection_left_in_millis: u64,
}

/// One element of the answer to `POST /commands/batch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchItem {
    /// What the command alone would have been answered with.
    pub status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Answer to `GET /commands`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundCommands {
    pub game_id: GameId,
    pub round_id: RoundId,
    pub round_number: u32,
    /// In the order of their acceptance, without those that were replaced.
    pub commands: Vec<ShownCommand>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownCommand {
    pub transaction_id: TransactionId,
    pub game_id: GameId,
    pub player_id: PlayerId,
    /// Null where robots are bought.
    pub robot_id: Option<RobotId>,
    pub command_type: CommandType,
    pub command_object: CommandObject,
}
