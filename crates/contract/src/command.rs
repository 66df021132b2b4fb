//! Commands: how a player sends one, in the two shapes that bots know, and the receipt for it.
//! Whatever else a bot sends along is ignored; which fields a command needs depends on its type.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::channel::Channel;
use crate::schema::{OptionalId, SentCommandType, SentDetails};
use crate::{GameId, PlayerId, Problem, RobotId, RoundId, TransactionId};

/// As many commands are taken in one request.
pub const LARGEST_BATCH: usize = 1000;

/// `POST /commands`. Either `{gameId, playerToken, robotId, commandType, commandObject}` or `{playerId, type, data}`;
/// also a mixture. An empty text and null mean that a field is absent.
// Taken as it comes: bots send empty texts, nulls and zeros where they mean nothing. The game service makes sense of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(examples(
    json!({
        "gameId": "5eed0000-0000-4000-8000-000000000001", "playerToken": "5eed0000-0000-4000-8000-000000000009",
        "robotId": "5eed0000-0000-4000-8000-000000000008", "commandType": "movement",
        "commandObject": { "planetId": "5eed0000-0000-4000-8000-000000000002" },
    }),
    json!({
        "playerId": "5eed0000-0000-4000-8000-000000000004", "type": "buying",
        "data": { "itemName": "ROBOT", "itemQuantity": 2 },
    }),
))]
pub struct CommandRequest {
    /// The game that is meant; if absent, the only running one of the player.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = OptionalId)]
    pub game_id: Value,
    /// The player's token, unless it is shown as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = OptionalId)]
    pub player_token: Value,
    /// The player who sends it; enough in the msd dialect.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = OptionalId)]
    pub player_id: Value,
    /// The robot that is to act; may also stand among the details.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = OptionalId)]
    pub robot_id: Value,
    /// What to do. It is needed, here or as `type`.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = SentCommandType)]
    pub command_type: Value,
    /// The same as `commandType`, in the other shape.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = SentCommandType)]
    pub r#type: Value,
    /// The details.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = SentDetails)]
    pub command_object: Value,
    /// The same as `commandObject`, in the other shape.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = SentDetails)]
    pub data: Value,
}

/// The details of a command, as they are sent. Null, and an empty text for a text, mean that a field is absent; fields that
/// the command does not need are ignored.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct CommandDetails {
    /// Ignored: the type stands beside the details.
    #[schema(required = false)]
    pub command_type: SentCommandType,
    /// The robot that is to act, where it does not stand beside the details.
    #[schema(required = false)]
    pub robot_id: OptionalId,
    /// Where to move, a UUID; of a trade where it takes place, handed on as it is.
    #[schema(max_length = 255)]
    pub planet_id: Option<String>,
    /// The robot to attack, on the same planet. The result of a movement lists all `robots` on the planet that was reached.
    #[schema(required = false)]
    pub target_id: OptionalId,
    /// What to buy or sell, handed on as it is; `ROBOT` buys robots.
    #[schema(max_length = 255)]
    pub item_name: Option<String>,
    /// How many robots to buy, without a meaning elsewhere. 0 means 1, and so does an absent one.
    #[schema(maximum = 1000)]
    pub item_quantity: Option<u32>,
}

/// The details of a command, as they are shown. What does not apply is null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandObject {
    /// The same as beside the details.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CommandType, required = false)]
    pub command_type: Option<CommandType>,
    /// The robot that is to act, where it does not stand beside the details.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = RobotId, required = false)]
    pub robot_id: Option<RobotId>,
    /// Where to move; of a trade where it takes place, handed on as it is.
    #[schema(max_length = 255, required)]
    pub planet_id: Option<String>,
    /// The robot to attack, on the same planet. The result of a movement lists all `robots` on the planet that was reached.
    #[schema(required)]
    pub target_id: Option<RobotId>,
    /// What to buy or sell, handed on as it is; `ROBOT` buys robots.
    #[schema(max_length = 255, required)]
    pub item_name: Option<String>,
    /// How many robots to buy, 1 to 1000; without a meaning elsewhere.
    #[schema(minimum = 1, maximum = 1000, required)]
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
    /// It was sent, and nobody knows whether it arrived. It is not sent again; an answer that comes late, or its result, may still
    /// tell.
    Unknown,
    /// The game ended before it was sent.
    Dropped,
}

/// Answer to `POST /commands` and `GET /commands/{transactionId}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "transactionId": "5eed0000-0000-4000-8000-000000000007", "state": "pending", "roundNumber": 3,
    "collectionLeftInMillis": 39_750,
})))]
pub struct Receipt {
    /// Links the command to the events that come of it.
    pub transaction_id: TransactionId,
    /// What became of it so far.
    pub state: CommandState,
    /// The round that the command belongs to.
    pub round_number: u32,
    /// How long that round still takes commands; 0 when it does not any longer.
    pub collection_left_in_millis: u64,
    /// What came of it; absent while that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CommandResult, required = false)]
    pub result: Option<CommandResult>,
}

/// What came of a command: the event that whoever carried it out has published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "channel": "regeneration", "type": "regeneration",
    "payload": { "success": true, "message": "Robot regenerated successfully", "remainingEnergy": 8 },
})))]
pub struct CommandResult {
    /// `movement`, `mining`, `regeneration`, `fighting` or `trades`.
    #[schema(value_type = String)]
    pub channel: Channel,
    /// What kind of event it is; of `trades` it says what kind of trade it was.
    pub r#type: String,
    /// As `/asyncapi.json` of its publisher describes it for the channel.
    #[schema(value_type = Object)]
    pub payload: Value,
}

/// One element of the answer to `POST /commands/batch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "status": 201,
    "receipt": {
        "transactionId": "5eed0000-0000-4000-8000-000000000007", "state": "pending", "roundNumber": 3,
        "collectionLeftInMillis": 39_750,
    },
})))]
pub struct BatchItem {
    /// What the command alone would have been answered with.
    #[schema(minimum = 201, maximum = 599)]
    pub status: u16,
    /// Where it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Receipt, required = false)]
    pub receipt: Option<Receipt>,
    /// Where it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Problem, required = false)]
    pub problem: Option<Problem>,
}

/// Answer to `GET /commands`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "gameId": "5eed0000-0000-4000-8000-000000000001", "roundId": "5eed0000-0000-4000-8000-000000000005", "roundNumber": 3,
    "commands": [{
        "transactionId": "5eed0000-0000-4000-8000-000000000007", "gameId": "5eed0000-0000-4000-8000-000000000001",
        "playerId": "5eed0000-0000-4000-8000-000000000004", "robotId": null, "commandType": "buying",
        "commandObject": {
            "commandType": "buying", "planetId": null, "targetId": null, "itemName": "ROBOT", "itemQuantity": 2,
        },
    }],
})))]
pub struct RoundCommands {
    /// The game that was asked for.
    pub game_id: GameId,
    /// The round's id, as in the events about it.
    pub round_id: RoundId,
    /// The round that was asked for.
    pub round_number: u32,
    /// In the order of their acceptance, without those that were replaced.
    pub commands: Vec<ShownCommand>,
}

/// A command of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownCommand {
    /// As in its receipt.
    pub transaction_id: TransactionId,
    /// The game that it was sent to.
    pub game_id: GameId,
    /// The player who sent it.
    pub player_id: PlayerId,
    /// Null where robots are bought.
    #[schema(required)]
    pub robot_id: Option<RobotId>,
    /// What it is about.
    pub command_type: CommandType,
    /// Its details.
    pub command_object: CommandObject,
}
