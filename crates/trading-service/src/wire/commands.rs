//! One element of a batch, read as leniently as possible: what cannot be read is a command that fails with a sentence, and
//! its event carries as much of it as was understood.

use serde_json::Value;
use starkeep_contract::did_you_mean::nearest;
use starkeep_trading_core::{Item, PlanetId, PlayerId, RobotId};
use uuid::Uuid;

use crate::domain::{Side, Trade, TradeCommand, Transaction};

/// So much of a text that is no id is repeated.
const LONGEST_TEXT: usize = 100;

pub(crate) fn command(element: &Value) -> TradeCommand {
    let payload = &element["payload"];
    let transaction = element["transactionId"].as_str().filter(|text| !text.is_empty()).map(Transaction::of);
    let id_in = |value: &Value| value.as_str().and_then(|text| Uuid::try_parse(text).ok());
    TradeCommand {
        side: if payload["commandType"] == "sell" { Side::Sell } else { Side::Buy },
        player: id_in(&element["playerId"]).map(PlayerId),
        robot: id_in(&payload["robotId"]).map(RobotId),
        trade: trade(element, payload, transaction.as_ref()),
        transaction,
    }
}

fn trade(element: &Value, payload: &Value, transaction: Option<&Transaction>) -> Result<Trade, String> {
    if !element.is_object() {
        return Err("A command is a JSON object.".to_owned());
    }
    match transaction {
        Some(Transaction::Id(_)) => {}
        Some(Transaction::Text(text)) => return Err(no_uuid(text)),
        None => return Err("The command has no transactionId.".to_owned()),
    }
    let player = needed(&element["playerId"], "player").map(PlayerId)?;
    if !payload.is_object() {
        return Err("The command has no payload.".to_owned());
    }
    match payload["commandType"].as_str() {
        Some("buy") => purchase(payload, player),
        Some("sell") => {
            let (robot, planet) = robot_and_planet(payload)?;
            Ok(Trade::Sale { player, robot, planet })
        }
        Some(other) => Err(format!("The command type '{}' does not exist.", short(other))),
        None => Err("The command has no commandType.".to_owned()),
    }
}

fn purchase(payload: &Value, player: PlayerId) -> Result<Trade, String> {
    let Some(name) = payload["itemName"].as_str() else {
        return Err("The command names no item.".to_owned());
    };
    if name == "ROBOT" {
        let amount = whole_number(&payload["amount"]).ok_or("The amount is not a whole number.")?;
        return Ok(Trade::Robots { player, amount });
    }
    let (robot, planet) = robot_and_planet(payload)?;
    let item = Item::find(name).ok_or_else(|| no_item(name, Item::is_for_sale))?;
    Ok(Trade::Item { player, robot, item, planet })
}

/// The existing service's sentence, and what was probably meant among the items that make sense.
pub(super) fn no_item(name: &str, makes_sense: impl Fn(Item) -> bool) -> String {
    let known: Vec<_> = Item::all().filter(|item| makes_sense(*item)).map(Item::name).collect();
    let hint = nearest(name, known.iter().map(String::as_str));
    let hint = hint.map(|item| format!(" Did you mean `{item}`?")).unwrap_or_default();
    format!("The item/upgrade '{}' does not exist.{hint}", short(name))
}

/// A number that is too large for this type is too large in any case.
fn whole_number(value: &Value) -> Option<i64> {
    let huge = |number: f64| if number < 0.0 { i64::MIN } else { i64::MAX };
    let is_huge = |number: &f64| number.abs() >= 2_f64.powi(63);
    value.as_i64().or_else(|| value.as_f64().filter(is_huge).map(huge))
}

/// The planet may be left out: the robot's own is meant.
fn robot_and_planet(payload: &Value) -> Result<(RobotId, Option<PlanetId>), String> {
    let robot = needed(&payload["robotId"], "robot").map(RobotId)?;
    let planet = match &payload["planetId"] {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        named => Some(needed(named, "planet").map(PlanetId)?),
    };
    Ok((robot, planet))
}

fn needed(value: &Value, noun: &str) -> Result<Uuid, String> {
    match value {
        Value::String(text) => Uuid::try_parse(text).map_err(|_| no_uuid(text)),
        Value::Null => Err(format!("The command names no {noun}.")),
        other => Err(no_uuid(&other.to_string())),
    }
}

fn no_uuid(text: &str) -> String {
    format!("Invalid UUID string: {}", short(text))
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}
