//! Commands between the wire and the core: both shapes that bots send, made sense of field by field, and what they are told.
//! Which fields a command needs depends on its type; all others are ignored, whatever stands in them.

use std::time::Duration;

use serde_json::Value;
use starkeep_contract::command::{
    BatchItem, CommandObject, CommandRequest, CommandState, CommandType, Receipt, RoundCommands, ShownCommand,
};
use starkeep_contract::{
    Code, GameId as WireGameId, PlayerId as WirePlayerId, Problem, RobotId as WireRobotId, RoundId,
    TransactionId,
};
use starkeep_game_core::{Command, GameId, Kind, Order, PlayerId, RobotId};
use uuid::Uuid;

use super::{Wire, millis};
use crate::app::Accepted;
use crate::domain::Fate;
use crate::ports::{KeptCommand, KeptRound};

/// Buys robots, which no robot does.
const ROBOT: &str = "ROBOT";

/// In characters.
const LONGEST_TEXT: usize = 255;

/// What a request says, before anybody has looked who sent it.
pub(crate) struct Asked {
    pub(crate) token: Option<String>,
    pub(crate) player: Option<PlayerId>,
    pub(crate) game: Option<GameId>,
    pub(crate) order: Order,
}

impl Asked {
    pub(crate) fn read(request: &CommandRequest) -> Result<Self, Problem> {
        let kind = kind_of(request)?;
        Ok(Self {
            order: order(kind, &Details::of(request)?)?,
            token: text(&request.player_token, "playerToken")?.map(str::to_owned),
            player: uuid(&request.player_id, "playerId")?.map(PlayerId),
            game: uuid(&request.game_id, "gameId")?.map(GameId),
        })
    }

    /// One of many: nothing but an object is a command.
    pub(crate) fn read_one(element: Value) -> Result<Self, Problem> {
        let request = Some(element).filter(Value::is_object).map(serde_json::from_value::<CommandRequest>);
        match request {
            Some(Ok(request)) => Self::read(&request),
            _ => Err(refuse("body", "expected a JSON object")),
        }
    }
}

/// What a request says beside the type, wherever it stands.
struct Details<'a> {
    robot: &'a Value,
    object: &'a Value,
}

impl<'a> Details<'a> {
    fn of(request: &'a CommandRequest) -> Result<Self, Problem> {
        let named = [("commandObject", &request.command_object), ("data", &request.data)];
        let (name, object) = named.into_iter().find(|(_, value)| !value.is_null()).unwrap_or(named[0]);
        if !object.is_object() && !is_absent(object) {
            return Err(refuse(name, "expected a JSON object"));
        }
        let beside = &request.robot_id;
        Ok(Self { robot: if is_absent(beside) { &object["robotId"] } else { beside }, object })
    }

    fn robot(&self) -> Result<RobotId, Problem> {
        needed(uuid(self.robot, "robotId")?, "robotId").map(RobotId)
    }

    fn planet(&self) -> Result<Option<String>, Problem> {
        short_text(&self.object["planetId"], "planetId")
    }

    fn item(&self) -> Result<Option<String>, Problem> {
        short_text(&self.object["itemName"], "itemName")
    }

    fn quantity(&self) -> Result<u32, Problem> {
        let quantity = &self.object["itemQuantity"];
        if is_absent(quantity) {
            return Ok(1);
        }
        let number = quantity.as_u64().and_then(|number| u32::try_from(number).ok());
        match number {
            Some(0) => Ok(1),
            Some(number @ 1..=1000) => Ok(number),
            _ => Err(refuse("itemQuantity", "expected an integer from 1 to 1000")),
        }
    }
}

fn order(kind: Kind, details: &Details<'_>) -> Result<Order, Problem> {
    Ok(match kind {
        Kind::Selling => {
            Order::Sell { robot: details.robot()?, item: details.item()?, planet: details.planet()? }
        }
        Kind::Buying => {
            let (item, planet) = (needed(details.item()?, "itemName")?, details.planet()?);
            if item == ROBOT {
                Order::BuyRobots { quantity: details.quantity()?, planet }
            } else {
                Order::Buy { robot: details.robot()?, item, planet }
            }
        }
        Kind::Movement => {
            let robot = details.robot()?;
            Order::Move { robot, planet: needed(uuid(&details.object["planetId"], "planetId")?, "planetId")? }
        }
        Kind::Battle => {
            let robot = details.robot()?;
            let target = needed(uuid(&details.object["targetId"], "targetId")?, "targetId")?;
            Order::Fight { robot, target: RobotId(target) }
        }
        Kind::Mining => Order::Mine { robot: details.robot()? },
        Kind::Regeneration => Order::Regenerate { robot: details.robot()? },
    })
}

fn kind_of(request: &CommandRequest) -> Result<Kind, Problem> {
    let named = [("commandType", &request.command_type), ("type", &request.r#type)];
    let (name, value) = named.into_iter().find(|(_, value)| !is_absent(value)).unwrap_or(named[0]);
    let word = needed(text(value, name)?, name)?;
    let known = CommandType::ALL.into_iter().find(|known| known.name() == word);
    match (known, word) {
        (Some(known), _) => Ok(kind(known)),
        // As the newer bots spell it.
        (None, "regenerate") => Ok(Kind::Regeneration),
        (None, _) => {
            let known = CommandType::ALL.map(CommandType::name).join(", ");
            Err(refuse(name, &format!("expected one of {known}")))
        }
    }
}

/// An empty text stands for nothing.
fn is_absent(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

fn text<'a>(value: &'a Value, name: &str) -> Result<Option<&'a str>, Problem> {
    match value {
        value if is_absent(value) => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(refuse(name, "expected a text")),
    }
}

fn short_text(value: &Value, name: &str) -> Result<Option<String>, Problem> {
    let text = text(value, name)?;
    if text.is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
        return Err(refuse(name, &format!("expected at most {LONGEST_TEXT} characters")));
    }
    Ok(text.map(str::to_owned))
}

fn uuid(value: &Value, name: &str) -> Result<Option<Uuid>, Problem> {
    let text = text(value, name)?;
    text.map(|text| Uuid::try_parse(text).map_err(|_| refuse(name, "expected a UUID"))).transpose()
}

fn needed<T>(value: Option<T>, name: &str) -> Result<T, Problem> {
    value.ok_or_else(|| refuse(name, "this command needs it"))
}

/// What stands in a field is not repeated: it may be a secret in the wrong place.
fn refuse(name: &str, expectation: &str) -> Problem {
    Problem::new(Code::InvalidField, format!("`{name}`: {expectation}")).at_field(name)
}

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    pub fn accepted(self, Accepted { command, collection_left }: &Accepted) -> Receipt {
        receipt(command, CommandState::Pending, *collection_left)
    }

    pub fn receipt(self, kept: &KeptCommand, collection_left: Duration) -> Receipt {
        let state = if kept.replaced { CommandState::Replaced } else { state(kept.fate) };
        receipt(&kept.command, state, collection_left)
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
    }
}

fn state(fate: Option<Fate>) -> CommandState {
    match fate {
        None | Some(Fate::Sending) => CommandState::Pending,
        Some(Fate::Dispatched) => CommandState::Dispatched,
        Some(Fate::Undelivered) => CommandState::Undelivered,
        Some(Fate::Unknown) => CommandState::Unknown,
        Some(Fate::Dropped) => CommandState::Dropped,
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

fn kind(word: CommandType) -> Kind {
    match word {
        CommandType::Selling => Kind::Selling,
        CommandType::Buying => Kind::Buying,
        CommandType::Movement => Kind::Movement,
        CommandType::Battle => Kind::Battle,
        CommandType::Mining => Kind::Mining,
        CommandType::Regeneration => Kind::Regeneration,
    }
}
